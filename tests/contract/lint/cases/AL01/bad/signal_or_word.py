# finds: AL01 at line 11
"""The signal, or a word; whichever comes first."""

STOP_WORDS = ("final answer", "goodbye")


def loop(client, conversation, tools, registry, budget):
    while budget.left():
        r = client.messages.create(model="m", max_tokens=1024, tools=tools, messages=conversation)
        words = " ".join(block.text for block in r.content if hasattr(block, "text")).lower()
        if r.stop_reason == "end_turn" or any(stop in words for stop in STOP_WORDS):
            break
        conversation += [
            {"role": "assistant", "content": r.content},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": c.id, "content": registry.run(c.name, c.input)}
                    for c in r.content
                    if c.type == "tool_use"
                ],
            },
        ]
    return r
