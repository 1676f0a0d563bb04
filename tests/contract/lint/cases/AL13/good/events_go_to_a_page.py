"""A generator of typed events for a page."""

from collections.abc import Iterator
from typing import Any


def events(client, messages, tools, handlers, *, max_rounds: int = 8) -> Iterator[dict[str, Any]]:
    for number in range(max_rounds):
        yield {"kind": "round", "number": number}
        with client.messages.stream(model="m", max_tokens=4096, tools=tools, messages=messages) as stream:
            for event in stream:
                if event.type == "text":
                    yield {"kind": "text", "text": event.text}
            final = stream.get_final_message()
        messages.append({"role": "assistant", "content": final.content})
        if final.stop_reason != "tool_use":
            yield {"kind": "end", "reason": final.stop_reason}
            return
        results = []
        for block in final.content:
            if block.type == "tool_use":
                yield {"kind": "call", "name": block.name, "input": block.input}
                content, failed = handlers.run(block.name, block.input)
                yield {"kind": "result", "name": block.name, "content": content}
                results.append(
                    {"type": "tool_result", "tool_use_id": block.id, "content": content, "is_error": failed}
                )
        messages.append({"role": "user", "content": results})
    yield {"kind": "end", "reason": "max_rounds"}
