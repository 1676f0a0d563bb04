"""A helper says whether it is enough."""


class Agent:
    def __init__(self, client, tools, handlers, most):
        self.client, self.tools, self.handlers, self.most, self.turns = client, tools, handlers, most, 0

    def enough(self):
        self.turns += 1
        if self.turns > self.most:
            return True
        return False

    def run(self, messages):
        while True:
            if self.enough():
                raise TimeoutError(self.most)
            response = self.client.messages.create(model="m", max_tokens=900, messages=messages, tools=self.tools)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            messages.append({"role": "user", "content": [self.answer(b) for b in response.content if b.type == "tool_use"]})

    def answer(self, block):
        return {"type": "tool_result", "tool_use_id": block.id, "content": self.handlers[block.name](**block.input)}
