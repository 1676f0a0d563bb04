# finds: AL02 at line 18
"""As long as it is tool_use: the head of the loop asks the signal alone."""


class Agent:
    def __init__(self, client, tools, handlers):
        self.client, self.tools, self.handlers = client, tools, handlers
        self.history = []

    def ask(self):
        return self.client.messages.create(
            model="m", max_tokens=1000, messages=self.history, tools=self.tools
        )

    def run(self, question):
        self.history.append({"role": "user", "content": question})
        response = self.ask()
        while response.stop_reason == "tool_use":
            self.history.append({"role": "assistant", "content": response.content})
            self.history.append({"role": "user", "content": list(self.results(response))})
            response = self.ask()
        return response

    def results(self, response):
        for block in response.content:
            if block.type == "tool_use":
                output = self.handlers[block.name](**block.input)
                yield {"type": "tool_result", "tool_use_id": block.id, "content": output}
