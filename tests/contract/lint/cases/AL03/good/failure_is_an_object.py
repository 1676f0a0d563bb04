"""A failure is an object of its own, told by a converter."""
from dataclasses import dataclass


@dataclass
class Failure:
    reason: str


def attempt(handlers, block):
    try:
        return handlers[block.name](**block.input)
    except Exception as error:
        return Failure(str(error))


def as_block(block, outcome):
    failed = isinstance(outcome, Failure)
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": outcome.reason if failed else str(outcome),
        "is_error": failed,
    }


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append(
            {
                "role": "user",
                "content": [as_block(b, attempt(handlers, b)) for b in response.content if b.type == "tool_use"],
            }
        )
    raise TimeoutError
