"""Kata 02, missing_append: an agent that looks things up with tools and then answers.

The story, the rules and how to run the grader are in README.md, beside this file. The bug is somewhere in
here. Change what you like, but keep the name and the parameters of run_agent_loop.
"""

MODEL = "claude-sonnet-5-5"


def run_tool(block, handlers):
    """Run the tool that a tool_use block asks for, and return the result block for it."""
    output = handlers[block.name](**block.input)
    return {"type": "tool_result", "tool_use_id": block.id, "content": output}


def run_agent_loop(client, messages, tools, handlers):
    """Let the model use tools until it answers, and return its final response."""
    while True:
        response = client.messages.create(
            model=MODEL, max_tokens=1024, messages=messages, tools=tools
        )
        if response.stop_reason != "tool_use":
            return response

        results = [run_tool(block, handlers) for block in response.content if block.type == "tool_use"]
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
