"""A machine of states in a dictionary of methods, with a context that is changed."""
from dataclasses import dataclass, field


@dataclass
class Context:
    messages: list
    left: int
    state: str = "ask"
    response: object = None
    results: list = field(default_factory=list)


class Machine:
    def __init__(self, client, tools, handlers):
        self.client, self.tools, self.handlers = client, tools, handlers

    def ask(self, ctx):
        if ctx.left <= 0:
            ctx.state = "exhausted"
            return
        ctx.left -= 1
        ctx.response = self.client.messages.create(model="m", max_tokens=1000, messages=ctx.messages, tools=self.tools)
        ctx.messages.append({"role": "assistant", "content": ctx.response.content})
        ctx.state = "act" if ctx.response.stop_reason == "tool_use" else "stopped"

    def act(self, ctx):
        ctx.messages.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": b.id, "content": self.handlers[b.name](**b.input)}
                    for b in ctx.response.content
                    if b.type == "tool_use"
                ],
            }
        )
        ctx.state = "ask"

    def run(self, ctx):
        steps = {"ask": self.ask, "act": self.act}
        while ctx.state in steps:
            steps[ctx.state](ctx)
        return ctx
