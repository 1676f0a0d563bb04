"""The history is fetched from a cache before each request."""
import json


class Memory:
    def __init__(self, redis, key):
        self.redis, self.key = redis, key

    def messages(self):
        return [json.loads(each) for each in self.redis.lrange(self.key, 0, -1)]

    def push(self, role, content):
        self.redis.rpush(self.key, json.dumps({"role": role, "content": content}))


def run(client, memory, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        messages = memory.messages()
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        memory.push("assistant", response.to_dict()["content"])
        if response.stop_reason != "tool_use":
            return response
        memory.push("user", [handlers.answer(b) for b in response.content if b.type == "tool_use"])
    raise TimeoutError
