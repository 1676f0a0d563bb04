# finds: AL09 at line 22
"""The turn is appended at the foot of the loop, after the calls were answered."""


class Agent:
    def __init__(self, client, tools, handlers, max_turns):
        self.client, self.tools, self.handlers, self.max_turns = client, tools, handlers, max_turns
        self.messages = []

    def run(self, text):
        self.messages.append({"role": "user", "content": text})
        for _ in range(self.max_turns):
            response = self.client.messages.create(model="m", max_tokens=1000, messages=self.messages, tools=self.tools)
            if response.stop_reason == "tool_use":
                self._act(response)
            self.messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
        raise TimeoutError

    def _act(self, response):
        self.messages.append({"role": "user", "content": [self.handlers(b) for b in response.content if b.type == "tool_use"]})
