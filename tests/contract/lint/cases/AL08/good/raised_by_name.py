"""A cut answer is an exception that holds its text."""


class Truncated(Exception):
    def __init__(self, text):
        super().__init__("cut off at max_tokens")
        self.text = text


def run(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
        text = "".join(block.text for block in response.content if block.type == "text")
        if response.stop_reason == "max_tokens":
            raise Truncated(text)
        calls = [block for block in response.content if block.type == "tool_use"]
        if not calls:
            return text
        results = [{"type": "tool_result", "tool_use_id": c.id, "content": handlers[c.name](**c.input)} for c in calls]
        messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
    raise TimeoutError
