# finds: AL11 at line 16, AL09 at line 22
"""Each result is appended as it comes, the call at the end of the round; and a cut answer goes round."""


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit
        self.history = []

    def run(self, question):
        self.history.append({"role": "user", "content": question})
        for _ in range(self.limit):
            response = self.client.messages.create(
                model="m", max_tokens=900, messages=self.history, tools=self.tools
            )
            if response.stop_reason == "end_turn":
                return response
            for block in response.content:
                if block.type == "tool_use":
                    output = self.handlers[block.name](**block.input)
                    result = {"type": "tool_result", "tool_use_id": block.id, "content": output}
                    self.history.append({"role": "user", "content": [result]})
            self.history.append({"role": "assistant", "content": response.content})
        raise TimeoutError
