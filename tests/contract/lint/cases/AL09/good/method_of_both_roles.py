"""One method keeps turns of either role."""


class Conversation:
    def __init__(self, turns):
        self.turns = turns

    def add(self, role, content):
        self.turns.append({"role": role, "content": content})


async def run(client, conversation: Conversation, tools, handlers, max_turns):
    for _ in range(max_turns):
        reply = await client.messages.create(model="m", max_tokens=1000, messages=conversation.turns, tools=tools)
        conversation.add("assistant", reply.content)
        if reply.stop_reason != "tool_use":
            return reply
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": await handlers[b.name](**b.input)}
            for b in reply.content
            if b.type == "tool_use"
        ]
        conversation.add("user", results)
    raise TimeoutError
