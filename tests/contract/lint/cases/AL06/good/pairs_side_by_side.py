"""Calls and outputs, side by side, both in the order of the calls."""

from concurrent.futures import ThreadPoolExecutor


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
            outputs = pool.map(lambda call: handlers[call.name](**call.input), calls)
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": output}
                for call, output in zip(calls, outputs, strict=True)
            ]
            messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
