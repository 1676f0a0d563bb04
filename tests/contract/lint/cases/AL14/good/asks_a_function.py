"""A function says what can pass."""

import time


def passing(error):
    return getattr(error, "status_code", 500) in (408, 409, 429) or getattr(error, "status_code", 500) >= 500


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit

    def ask(self, messages):
        for attempt in range(self.limit):
            try:
                return self.client.messages.create(
                    model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=self.tools
                )
            except Exception as error:
                if not passing(error):
                    raise
                time.sleep(2**attempt)
        raise RuntimeError("the API does not answer")

    def run(self, messages):
        for _ in range(self.limit):
            response = self.ask(messages)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [self.use(b) for b in response.content if b.type == "tool_use"]
            messages.append({"role": "user", "content": results})
        raise RuntimeError("no answer")

    def use(self, block):
        output = self.handlers[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
