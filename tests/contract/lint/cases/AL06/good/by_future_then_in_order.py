"""As they are done, then in order."""

import concurrent.futures as cf


def run_calls(calls, handlers):
    done = {}
    with cf.ThreadPoolExecutor() as pool:
        futures = {pool.submit(handlers[c.name], **c.input): c for c in calls}
        for future in cf.as_completed(futures):
            call = futures[future]
            error = future.exception()
            done[call.id] = {
                "type": "tool_result",
                "tool_use_id": call.id,
                "content": str(error) if error else str(future.result()),
                "is_error": error is not None,
            }
    return [done[c.id] for c in calls]


def run(client, messages, tools, handlers, turns=10):
    while turns:
        turns -= 1
        response = client.messages.create(model="m", max_tokens=1024, tools=tools, messages=messages)
        calls = [b for b in response.content if b.type == "tool_use"]
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "tool_use":
            messages.append({"role": "user", "content": run_calls(calls, handlers)})
        else:
            return response
    raise RuntimeError("turns")
