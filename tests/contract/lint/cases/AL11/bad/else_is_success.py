# finds: AL11 at line 21
"""An else that gives back text for signals nobody named."""


class Refused(Exception):
    pass


def run(client, messages, tools, handlers, max_turns):
    for _ in range(max_turns):
        r = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        text = "".join(b.text for b in r.content if b.type == "text")
        if r.stop_reason == "tool_use":
            messages.append({"role": "assistant", "content": r.content})
            messages.append({"role": "user", "content": [answer(b, handlers) for b in r.content if b.type == "tool_use"]})
        elif r.stop_reason == "end_turn":
            return text
        elif r.stop_reason in ("refusal", "max_tokens"):
            raise Refused(r.stop_reason)
        else:
            return text or "(no answer)"
    raise TimeoutError


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
