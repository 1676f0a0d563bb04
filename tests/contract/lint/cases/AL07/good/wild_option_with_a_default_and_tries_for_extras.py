import anthropic


class Runner:
    def __init__(self, client, options):
        self.client, self.options, self.plain = client, options, False

    def ask(self, messages):
        for attempt in (1, 2):
            extras = {} if self.plain else {"thinking": {"type": "adaptive"}}
            try:
                return self.client.messages.create(model="m", max_tokens=4000, messages=messages, **extras)
            except anthropic.BadRequestError:
                if self.plain or attempt == 2:
                    raise
                self.plain = True
        raise AssertionError("unreachable")

    def run(self, messages, tools):
        most = self.options.max_turns or 50
        for _ in range(most):
            response = self.ask(messages)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": tools[block.name](block.input)}
                for block in response.content
                if block.type == "tool_use"
            ]
            messages.append({"role": "user", "content": results})
        return response
