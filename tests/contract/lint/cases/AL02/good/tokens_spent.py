"""A budget of tokens, in an object of its own."""


class Purse:
    def __init__(self, tokens):
        self.left = tokens

    def pay(self, usage):
        self.left -= usage.input_tokens + usage.output_tokens
        if self.left < 0:
            raise RuntimeError("the purse is empty")


def run(client, messages, tools, handlers, tokens):
    purse = Purse(tokens)
    while (response := client.messages.create(model="m", max_tokens=900, messages=messages, tools=tools)).stop_reason == "tool_use":
        purse.pay(response.usage)
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": [answer(b, handlers) for b in response.content if b.type == "tool_use"]})
    return response


def answer(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
