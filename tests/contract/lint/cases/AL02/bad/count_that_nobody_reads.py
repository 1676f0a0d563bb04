# finds: AL02 at line 9
"""It counts, and nobody looks at the count."""

import itertools
import logging


async def agent(client, messages, tools, handlers):
    for turn in itertools.count(1):
        reply = await client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        logging.info("turn %d", turn)
        match reply.stop_reason:
            case "tool_use":
                results = []
                for part in reply.content:
                    if part.type == "tool_use":
                        output = await handlers[part.name](**part.input)
                        results.append({"type": "tool_result", "tool_use_id": part.id, "content": output})
                messages.append({"role": "assistant", "content": reply.content})
                messages.append({"role": "user", "content": results})
            case "end_turn" | "stop_sequence":
                return reply
            case other:
                raise RuntimeError(f"unhandled: {other}")
