"""An agent as a class; the history of its method has a list for a default, and the limit is a figure."""


class Agent:
    """Keeps what the requests have in common."""

    def __init__(self, client, tools, handlers, model, max_tokens):
        self.client, self.tools, self.handlers = client, tools, handlers
        self.request = {"model": model, "max_tokens": max_tokens}

    def ask(self, messages=[]):
        """Return the answer to *messages*, which grow."""
        for _ in range(12):
            response = self.client.messages.create(**self.request, messages=messages, tools=self.tools)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            messages.append({"role": "user", "content": self.results(response)})
        raise RuntimeError("no end")

    def results(self, response):
        return [answer(call, self.handlers) for call in calls(response)]


def loop(client, messages, tools, handlers, model="m", max_tokens=4096):
    return Agent(client, tools, handlers, model, max_tokens).ask(messages)


def calls(response):
    return [block for block in response.content if block.type == "tool_use"]


def answer(call, handlers):
    result = {"type": "tool_result", "tool_use_id": call.id}
    try:
        return result | {"content": str(handlers[call.name](**call.input)) or "(nothing)"}
    except Exception as error:
        return result | {"content": f"{call.name} failed: {error!r}", "is_error": True}
