# finds: AL08 at line 17
"""A record says done for everything."""
from dataclasses import dataclass


@dataclass
class Result:
    text: str
    done: bool = True


async def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": reply.content})
        if reply.stop_reason in ("end_turn", "max_tokens", "stop_sequence"):
            return Result(text=reply.content[0].text)
        if reply.stop_reason != "tool_use":
            raise RuntimeError(reply.stop_reason)
        messages.append({"role": "user", "content": [await handlers(b) for b in reply.content if b.type == "tool_use"]})
    raise TimeoutError
