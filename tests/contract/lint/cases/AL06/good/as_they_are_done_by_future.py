"""Futures come as they are done, and each knows its call."""

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
            ids = {pool.submit(handlers[call.name], **call.input): call.id for call in calls}
            results = [
                {"type": "tool_result", "tool_use_id": ids[future], "content": future.result()}
                for future in as_completed(ids)
            ]
            messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
