"""A script that prints the answer has given it to somebody."""


def main(client, messages, tools, handlers, max_turns):
    for _ in range(max_turns):
        reply = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        if reply.stop_reason == "end_turn":
            print(reply.content[0].text)
            break
        if reply.stop_reason != "tool_use":
            raise SystemExit(reply.stop_reason)
        results = [
            {"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](c.input)}
            for c in reply.content
            if c.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": reply.content}, {"role": "user", "content": results}]
