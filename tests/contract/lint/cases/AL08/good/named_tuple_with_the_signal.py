"""while with an else, walrus, and a named result."""

from typing import NamedTuple


class Outcome(NamedTuple):
    text: str
    stop_reason: str
    turns: int


def run(client, messages, tools, handlers, cap):
    used = 0
    while (used := used + 1) <= cap:
        if (r := client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)).stop_reason != "tool_use":
            return Outcome("".join(b.text for b in r.content if b.type == "text"), r.stop_reason, used)
        messages.extend(
            (
                {"role": "assistant", "content": r.content},
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                        for b in r.content
                        if b.type == "tool_use"
                    ],
                },
            )
        )
    return Outcome("", "cap", used)
