"""A dictionary from stop_reason to a method; what is not in it raises KeyError."""


class Loop:
    def __init__(self, client, tools, handlers, max_turns):
        self.client = client
        self.tools = tools
        self.handlers = handlers
        self.max_turns = max_turns
        self.messages = []
        self.dispatch = {
            "tool_use": self._on_tool_use,
            "end_turn": self._on_end,
            "stop_sequence": self._on_end,
            "max_tokens": self._on_cut,
            "pause_turn": self._on_pause,
        }

    def __call__(self, prompt):
        self.messages.append({"role": "user", "content": prompt})
        for _ in range(self.max_turns):
            response = self.client.messages.create(
                model="m", max_tokens=1000, tools=self.tools, messages=self.messages
            )
            self.messages.append({"role": "assistant", "content": response.content})
            done, value = self.dispatch[response.stop_reason](response)
            if done:
                return value
        raise RuntimeError("max_turns")

    def _on_tool_use(self, response):
        results = []
        for block in response.content:
            if block.type == "tool_use":
                results.append(
                    {"type": "tool_result", "tool_use_id": block.id, "content": self.handlers[block.name](**block.input)}
                )
        self.messages.append({"role": "user", "content": results})
        return False, None

    def _on_end(self, response):
        return True, "".join(b.text for b in response.content if b.type == "text")

    def _on_cut(self, response):
        raise RuntimeError("answer was cut off")

    def _on_pause(self, response):
        return False, None
