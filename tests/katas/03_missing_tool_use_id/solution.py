"""Kata 03, missing_tool_use_id: an agent that may ask for several tools at once.

The story, the rules and how to run the grader are in README.md, beside this file. The bug is somewhere in
here. Change what you like, but keep the name and the parameters of run_agent_loop.
"""

MODEL = "claude-sonnet-5-5"


def run_tool(call, handlers):
    """Run one tool. A tool that fails is told to the model as an error, in its own words."""
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return {**result, "content": handlers[call.name](**call.input)}
    except Exception as error:
        return {**result, "content": str(error), "is_error": True}


def run_agent_loop(client, messages, tools, handlers):
    """Let the model use tools until it answers, and return its final response."""
    while True:
        response = client.messages.create(
            model=MODEL, max_tokens=1024, messages=messages, tools=tools
        )
        if response.stop_reason != "tool_use":
            return response

        calls = [block for block in response.content if block.type == "tool_use"]
        results = [run_tool(call, handlers) for call in calls]
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
