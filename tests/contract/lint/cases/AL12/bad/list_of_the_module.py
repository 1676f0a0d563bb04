# finds: AL12 at line 7
"""One list for whoever calls the function."""

import anthropic

client = anthropic.Anthropic()
conversation = []


def ask(question, tools, handlers, limit=20):
    conversation.append({"role": "user", "content": question})
    for _ in range(limit):
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=conversation, tools=tools
        )
        conversation.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        found = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
        conversation.append({"role": "user", "content": found})
    raise RuntimeError("no answer")
