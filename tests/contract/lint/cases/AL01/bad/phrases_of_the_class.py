# finds: AL01 at line 21
"""A method of the class decides by words."""


class Agent:
    PHRASES = ("all done", "task finished", "nothing left to do")

    def __init__(self, client, tools, registry, max_turns):
        self.client, self.tools, self.registry, self.max_turns = client, tools, registry, max_turns
        self.messages = []

    def _finished(self, response):
        said = " ".join(b.text.lower() for b in response.content if b.type == "text")
        return any(phrase in said for phrase in self.PHRASES)

    def run(self, prompt):
        self.messages.append({"role": "user", "content": prompt})
        for _ in range(self.max_turns):
            response = self.client.messages.create(model="m", max_tokens=1000, messages=self.messages, tools=self.tools)
            self.messages.append({"role": "assistant", "content": response.content})
            if self._finished(response):
                return response
            self.messages.append({"role": "user", "content": self.registry.results(response.content)})
        raise TimeoutError
