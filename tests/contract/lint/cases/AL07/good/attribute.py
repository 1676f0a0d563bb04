"""An attribute of the object."""


class Agent:
    def __init__(self, client, tools, handlers, limit=20):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit

    def run(self, messages):
        turn = 0
        while turn < self.limit:
            turn += 1
            response = self.client.messages.create(model="m", max_tokens=900, messages=messages, tools=self.tools)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            messages.append({"role": "user", "content": [self.answer(b) for b in response.content if b.type == "tool_use"]})
        raise TimeoutError

    def answer(self, block):
        return {"type": "tool_result", "tool_use_id": block.id, "content": self.handlers[block.name](**block.input)}
