"""A field of the class for its type, a list of each object's own."""


class Session:
    turns: list = []

    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit
        self.turns = []

    def ask(self, question):
        self.turns.append({"role": "user", "content": question})
        for _ in range(self.limit):
            response = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=self.turns, tools=self.tools
            )
            self.turns.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [self.use(b) for b in response.content if b.type == "tool_use"]
            self.turns.append({"role": "user", "content": results})
        raise RuntimeError("no answer")

    def use(self, block):
        output = self.handlers[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
