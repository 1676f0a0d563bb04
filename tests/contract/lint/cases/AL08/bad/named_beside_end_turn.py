# finds: AL08 at line 14
"""max_tokens stands beside end_turn, by name."""


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit

    def run(self, messages):
        for _ in range(self.limit):
            response = self.client.messages.create(model="m", max_tokens=900, messages=messages, tools=self.tools)
            match response.stop_reason:
                case "end_turn" | "stop_sequence" | "max_tokens":
                    return response
                case "tool_use":
                    messages.append({"role": "assistant", "content": response.content})
                    messages.append({"role": "user", "content": self.results(response)})
                case other:
                    raise RuntimeError(other)
        raise TimeoutError(self.limit)

    def results(self, response):
        return [
            {"type": "tool_result", "tool_use_id": b.id, "content": self.handlers[b.name](**b.input)}
            for b in response.content
            if b.type == "tool_use"
        ]
