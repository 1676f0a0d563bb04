"""A table from signal to method, with one for all others."""


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit
        self.final = None

    def run(self, messages):
        roads = {"end_turn": self.finish, "stop_sequence": self.finish, "tool_use": self.act}
        for _ in range(self.limit):
            response = self.client.messages.create(model="m", max_tokens=900, messages=messages, tools=self.tools)
            messages.append({"role": "assistant", "content": response.content})
            roads.get(response.stop_reason, self.unhandled)(response, messages)
            if self.final is not None:
                return self.final
        raise TimeoutError

    def finish(self, response, messages):
        self.final = response

    def act(self, response, messages):
        results = []
        for block in response.content:
            if block.type == "tool_use":
                output = self.handlers[block.name](**block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
        messages.append({"role": "user", "content": results})

    def unhandled(self, response, messages):
        raise RuntimeError(response.stop_reason)
