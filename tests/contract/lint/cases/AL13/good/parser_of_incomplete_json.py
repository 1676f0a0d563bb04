"""A parser that is made for what is not complete."""

import pydantic_core


def run(client, messages, tools, handlers, show, limit=20):
    for _ in range(limit):
        with client.messages.stream(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        ) as stream:
            so_far = ""
            for event in stream:
                if event.type == "content_block_start":
                    so_far = ""
                elif event.type == "input_json":
                    so_far = so_far + event.partial_json
                    show(pydantic_core.from_json(so_far, allow_partial=True))
            response = stream.get_final_message()
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    raise RuntimeError("no answer")
