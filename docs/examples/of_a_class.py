"""An agent that is a class: the adapter at the end makes one of it for each conversation."""


class Agent:
    """Knows its client and its tools, and keeps the conversation itself."""

    def __init__(self, client, tools, functions, limit):
        self.client, self.tools, self.functions, self.limit = client, tools, functions, limit
        self.history = []

    def ask(self, messages):
        """Return the answer to *messages*."""
        self.history = list(messages)
        for _ in range(self.limit):
            response = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=4096, tools=self.tools, messages=self.history
            )
            self.history.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [self.run(block) for block in response.content if block.type == "tool_use"]
            self.history.append({"role": "user", "content": results})
        raise RuntimeError(f"no answer within {self.limit} requests")

    def run(self, call):
        """Return the result of one call."""
        result = {"type": "tool_result", "tool_use_id": call.id}
        try:
            return result | {"content": str(self.functions[call.name](**call.input))}
        except Exception as error:
            return result | {"content": f"{call.name} failed: {error}", "is_error": True}


def loop(client, messages, tools, handlers, max_iterations=20):
    """Hand over what the agent needs; a limit by a known name is tried as well."""
    return Agent(client, tools, handlers, limit=max_iterations).ask(messages)
