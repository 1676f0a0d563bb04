"""A history with methods of its own."""


class History:
    def __init__(self, system=""):
        self.system = system
        self._turns = []

    def user(self, content):
        self._turns.append({"role": "user", "content": content})
        return self

    def assistant(self, content):
        self._turns.append({"role": "assistant", "content": content})
        return self

    def as_params(self):
        return list(self._turns)


class Agent:
    MAX_TURNS = 20

    def __init__(self, client, toolbox):
        self.client = client
        self.toolbox = toolbox

    def ask(self, question, history=None):
        history = history or History()
        history.user(question)
        for _ in range(self.MAX_TURNS):
            response = self.client.messages.create(
                model="m",
                max_tokens=1000,
                system=history.system,
                tools=self.toolbox.schemas,
                messages=history.as_params(),
            )
            history.assistant(response.content)
            if response.stop_reason != "tool_use":
                return response
            history.user([self.toolbox.result(block) for block in response.content if block.type == "tool_use"])
        raise RuntimeError("MAX_TURNS")
