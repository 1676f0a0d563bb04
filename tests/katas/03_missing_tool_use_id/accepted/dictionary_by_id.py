"""A dictionary by id, and the results in another order than the calls."""

MODEL = "claude-sonnet-5-5"


def call_tool(call, handlers):
    """Return what the tool says, and whether it failed."""
    try:
        return handlers[call.name](**call.input), False
    except Exception as error:
        return str(error), True


def run_agent_loop(client, messages, tools, handlers):
    history = list(messages)
    response = client.messages.create(model=MODEL, max_tokens=1024, messages=history, tools=tools)
    while response.stop_reason == "tool_use":
        answers = {b.id: call_tool(b, handlers) for b in response.content if b.type == "tool_use"}
        results = []
        for id_, (content, failed) in sorted(answers.items()):
            block = {"type": "tool_result", "tool_use_id": id_, "content": content}
            results.append(block | {"is_error": True} if failed else block)
        history += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
        response = client.messages.create(model=MODEL, max_tokens=1024, messages=history, tools=tools)
    return response
