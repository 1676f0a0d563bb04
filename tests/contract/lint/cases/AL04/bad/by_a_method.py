# finds: AL04 at line 23
"""One method appends, and is told the wrong role once."""


class Session:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit
        self.turns = []

    def say(self, role, content):
        self.turns.append({"role": role, "content": content})

    def run(self, question):
        self.say("user", question)
        for _ in range(self.limit):
            response = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=self.turns, tools=self.tools
            )
            self.say("assistant", response.content)
            if response.stop_reason != "tool_use":
                return response
            results = [self.use(block) for block in response.content if block.type == "tool_use"]
            self.say("assistant", results)
        raise RuntimeError("no answer")

    def use(self, block):
        output = self.handlers[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
