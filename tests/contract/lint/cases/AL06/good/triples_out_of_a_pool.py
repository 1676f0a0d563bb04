"""A pool of threads, results in the order of the calls."""

from concurrent.futures import ThreadPoolExecutor


def run(client, messages, tools, handlers, max_turns=10, workers=4):
    def one(block):
        try:
            return block.id, handlers[block.name](**block.input), False
        except Exception as error:
            return block.id, f"{error}", True

    with ThreadPoolExecutor(workers) as pool:
        for _ in range(max_turns):
            response = client.messages.create(model="m", max_tokens=1024, tools=tools, messages=messages)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            calls = [block for block in response.content if block.type == "tool_use"]
            results = [
                {"type": "tool_result", "tool_use_id": id_, "content": content, "is_error": failed}
                for id_, content, failed in pool.map(one, calls)
            ]
            messages.append({"role": "user", "content": results})
    raise RuntimeError("max turns")
