"""Everything is told to the model but what is meant for the program."""


def result_of(call, handlers):
    try:
        content, failed = handlers[call.name](**call.input), False
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        content, failed = f"{call.name}: {error!r}", True
    return {"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": failed}


def loop(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls = [block for block in response.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": [result_of(call, handlers) for call in calls]})
    raise RuntimeError("no answer")
