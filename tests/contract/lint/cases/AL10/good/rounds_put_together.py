"""The conversation is put together from rounds, for each request."""


def run(client, messages, tools, handlers, max_turns=20):
    rounds = []

    def conversation():
        turns = list(messages)
        for response, results in rounds:
            turns += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
        return turns

    for _ in range(max_turns):
        r = client.messages.create(model="m", max_tokens=1000, messages=conversation(), tools=tools)
        if r.stop_reason != "tool_use":
            return r
        rounds.append((r, [answer(b, handlers) for b in r.content if b.type == "tool_use"]))
    raise TimeoutError


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
