"""Recursion, and a generator of result blocks."""

MODEL = "claude-sonnet-5-5"


def call_tool(call, handlers):
    """Return what the tool says, and whether it failed."""
    try:
        return handlers[call.name](**call.input), False
    except Exception as error:
        return str(error), True


def results_of(content, handlers):
    for block in content:
        if block.type == "tool_use":
            said, failed = call_tool(block, handlers)
            yield dict(type="tool_result", tool_use_id=block.id, content=said, is_error=failed)


def run_agent_loop(client, messages, tools, handlers):
    response = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools)
    match list(results_of(response.content, handlers)):
        case []:
            return response
        case results:
            step = [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
            return run_agent_loop(client, [*messages, *step], tools, handlers)
