# finds: AL06 at line 26
"""The name of the tool for the id of the call."""


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit
        self.history = []

    def run(self, question):
        self.history.append({"role": "user", "content": question})
        for _ in range(self.limit):
            response = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=self.history, tools=self.tools
            )
            self.history.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            self.history.append({"role": "user", "content": list(self.results(response))})
        raise RuntimeError("no answer")

    def results(self, response):
        for block in response.content:
            if block.type == "tool_use":
                output = self.handlers[block.name](**block.input)
                yield dict(type="tool_result", tool_use_id=block.name, content=output)
