"""Kata 01, typed_stop_reason: an agent that works on a task with tools until it is finished.

The story, the rules and how to run the grader are in README.md, beside this file. The bug is somewhere in
here. Change what you like, but keep the name and the parameters of run_agent_loop.
"""

MODEL = "claude-sonnet-5-5"


def run_tools(response, handlers):
    """Run every tool the model asks for; one result per call, in order."""
    results = []
    for block in response.content:
        if block.type == "tool_use":
            output = handlers[block.name](**block.input)
            results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
    return results


def run_agent_loop(client, messages, tools, handlers):
    """Let the model work until it has finished, and return its final response."""
    while True:
        response = client.messages.create(
            model=MODEL, max_tokens=1024, messages=messages, tools=tools
        )
        if response.stop_reason != "tool_use":
            return response

        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": run_tools(response, handlers)})
