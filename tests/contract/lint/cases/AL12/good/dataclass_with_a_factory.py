"""A factory makes the list."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Session:
    client: Any
    tools: list
    handlers: dict
    limit: int = 20
    turns: list = field(default_factory=list)

    def ask(self, question):
        self.turns.append({"role": "user", "content": question})
        for _ in range(self.limit):
            response = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=self.turns, tools=self.tools
            )
            self.turns.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [self.use(b) for b in response.content if b.type == "tool_use"]
            self.turns.append({"role": "user", "content": results})
        raise RuntimeError("no answer")

    def use(self, block):
        output = self.handlers[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
