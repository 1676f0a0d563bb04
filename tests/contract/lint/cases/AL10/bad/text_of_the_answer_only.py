# finds: AL10 at line 14
"""Of the answer, its text alone is kept: the calls are lost."""


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit
        self.history = []

    def ask(self):
        return self.client.messages.create(
            model="m",
            max_tokens=900,
            messages=self.history,
            tools=self.tools,
        )

    def run(self, question):
        self.history.append({"role": "user", "content": question})
        for _ in range(self.limit):
            response = self.ask()
            if response.stop_reason != "tool_use":
                return response
            text = "".join(b.text for b in response.content if b.type == "text")
            self.history.append({"role": "assistant", "content": text})
            self.history.append({"role": "user", "content": [self.result(b) for b in response.content if b.type == "tool_use"]})
        raise TimeoutError

    def result(self, block):
        return {"type": "tool_result", "tool_use_id": block.id, "content": self.handlers[block.name](**block.input)}
