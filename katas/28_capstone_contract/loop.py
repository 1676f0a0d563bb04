"""Kata 28, capstone_contract: the night clerk of a harbour office, a loop that grew by hand.

The story, the rules and how to run the grader are in README.md, beside this file. Nothing in here has to be
mended: write contract.json, and have loop.py compiled from it.
"""

MODEL = "claude-sonnet-5-5"


def answered(block, handlers):
    """Run the tool that was asked for. At night nobody likes to be woken by a tool that fails."""
    try:
        result = handlers[block.name](**block.input)
    except Exception:
        result = "(no result)"
    return {"type": "tool_result", "tool_use_id": block.id, "content": result}


def run_agent_loop(client, messages, tools, handlers):
    """Let the clerk look things up until the entry for the log is written, and return the response."""
    while True:
        response = client.messages.create(
            model=MODEL, max_tokens=1024, messages=messages, tools=tools
        )
        block = response.content[0]
        if block.type == "text" and len(response.content) > 1:
            block = response.content[1]  # It likes to say first what it is about to do.
        if block.type != "tool_use":
            return response

        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": [answered(block, handlers)]})
