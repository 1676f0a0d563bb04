"""When the history is too long, a second request sums it up."""


class Agent:
    def __init__(self, client, tools, handlers, *, max_turns=100, compact_at=150_000):
        self.client = client
        self.tools = tools
        self.handlers = handlers
        self.max_turns = max_turns
        self.compact_at = compact_at

    def compact(self, messages):
        response = self.client.messages.create(
            model="m",
            max_tokens=2000,
            messages=[*messages, {"role": "user", "content": "Sum up what was done and what is left."}],
        )
        if response.stop_reason != "end_turn":
            raise RuntimeError("no summary")
        summary = "".join(b.text for b in response.content if b.type == "text")
        return [messages[0], {"role": "assistant", "content": summary}, {"role": "user", "content": "Go on."}]

    def run(self, prompt):
        messages = [{"role": "user", "content": prompt}]
        for _ in range(self.max_turns):
            response = self.client.messages.create(model="m", max_tokens=4000, messages=messages, tools=self.tools)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            messages.append({"role": "user", "content": [self.result(b) for b in response.content if b.type == "tool_use"]})
            if response.usage.input_tokens > self.compact_at:
                messages = self.compact(messages)
        raise RuntimeError("max_turns")

    def result(self, block):
        return {"type": "tool_result", "tool_use_id": block.id, "content": self.handlers[block.name](**block.input)}
