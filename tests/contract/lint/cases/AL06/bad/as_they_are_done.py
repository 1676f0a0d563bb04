# finds: AL06 at line 19
"""Futures come as they are done; the calls stay in their order."""

from concurrent.futures import ThreadPoolExecutor, as_completed


def run(client, messages, tools, handlers, limit=20):
    with ThreadPoolExecutor() as pool:
        for _ in range(limit):
            response = client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
            )
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            calls = [block for block in response.content if block.type == "tool_use"]
            futures = [pool.submit(handlers[call.name], **call.input) for call in calls]
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": future.result()}
                for call, future in zip(calls, as_completed(futures))
            ]
            messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
