# finds: AL12 at line 6
"""The default becomes the history of every object."""


class Agent:
    def __init__(self, client, tools, handlers, *, history: list[dict] = [], limit=20):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit
        self.history = history

    def run(self, question):
        self.history.append({"role": "user", "content": question})
        for _ in range(self.limit):
            response = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=self.history, tools=self.tools
            )
            self.history.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [self.use(b) for b in response.content if b.type == "tool_use"]
            self.history.append({"role": "user", "content": results})
        raise RuntimeError("no answer")

    def use(self, block):
        output = self.handlers[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
