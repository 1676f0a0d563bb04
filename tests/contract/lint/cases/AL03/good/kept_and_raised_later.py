"""A thread keeps what was raised, for the loop to raise."""

import threading


def in_thread(work):
    box = {}

    def target():
        try:
            box["value"] = work()
        except BaseException as error:
            box["error"] = error

    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    thread.join()
    if "error" in box:
        raise box["error"]
    return box["value"]


def run_tool(call, handlers):
    try:
        content = in_thread(lambda: handlers[call.name](**call.input))
    except Exception as error:
        return {"type": "tool_result", "tool_use_id": call.id, "content": str(error), "is_error": True}
    return {"type": "tool_result", "tool_use_id": call.id, "content": content}


def loop(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        calls = [block for block in response.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": [run_tool(call, handlers) for call in calls]})
    raise RuntimeError("no answer")
