class LimitReached(Exception):
    pass


class Agent:
    def __init__(self, client, tools, most):
        self.client, self.tools, self.most, self.asked = client, tools, most, 0

    def ask(self, messages):
        if 0 < self.most <= self.asked:
            raise LimitReached(self.most)
        self.asked += 1
        return self.client.messages.create(model="m", max_tokens=900, tools=self.tools, messages=messages)

    def run(self, messages):
        while True:
            response = self.ask(messages)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            messages.append(
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": block.id, "content": self.tools[block.name](block.input)}
                        for block in response.content
                        if block.type == "tool_use"
                    ],
                }
            )
