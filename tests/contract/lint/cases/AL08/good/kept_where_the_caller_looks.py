"""The object keeps the last answer, signal and all."""


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit
        self.stop_reason = None

    def run(self, messages):
        for _ in range(self.limit):
            response = self.client.messages.create(model="m", max_tokens=900, messages=messages, tools=self.tools)
            self.stop_reason = response.stop_reason
            if response.stop_reason != "tool_use":
                return "".join(b.text for b in response.content if b.type == "text")
            messages.append({"role": "assistant", "content": response.content})
            messages.append({"role": "user", "content": [self.answer(b) for b in response.content if b.type == "tool_use"]})
        raise TimeoutError

    def answer(self, block):
        return {"type": "tool_result", "tool_use_id": block.id, "content": self.handlers[block.name](**block.input)}
