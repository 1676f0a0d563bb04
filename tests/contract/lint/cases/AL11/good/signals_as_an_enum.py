"""The signal as an enum."""

import enum
import itertools


class Stop(enum.StrEnum):
    END = "end_turn"
    TOOL = "tool_use"
    CUT = "max_tokens"
    SEQUENCE = "stop_sequence"
    PAUSE = "pause_turn"
    REFUSAL = "refusal"


class AgentError(Exception):
    pass


def run(client, messages, tools, handlers, budget):
    for turn in itertools.count():
        if turn >= budget.max_turns:
            raise AgentError("turn budget spent")
        reply = client.messages.create(model="m", max_tokens=900, tools=tools, messages=messages)
        messages.append({"role": "assistant", "content": reply.content})
        stop = Stop(reply.stop_reason)
        if stop is Stop.TOOL:
            messages.append(
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](b.input)}
                        for b in reply.content
                        if b.type == "tool_use"
                    ],
                }
            )
        elif stop is Stop.PAUSE:
            continue
        elif stop in (Stop.END, Stop.SEQUENCE):
            return reply.content
        else:
            raise AgentError(stop.value)
