"""A dataclass that knows its call."""

from dataclasses import asdict, dataclass


@dataclass
class Result:
    tool_use_id: str
    content: str
    is_error: bool = False
    type: str = "tool_result"


def run(client, messages, tools, handlers, limit=20):
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            Result(block.id, str(handlers[block.name](**block.input)))
            for block in response.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": [asdict(result) for result in results]})
    raise RuntimeError("no answer")
