"""A dataclass holds the state; a flag ends the loop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MODEL = "claude-sonnet-5-5"


def results_of(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


@dataclass
class Agent:
    client: Any
    tools: list
    handlers: dict
    history: list = field(default_factory=list)
    last: Any = None

    def step(self) -> bool:
        self.last = self.client.messages.create(
            model=MODEL, max_tokens=1024, messages=self.history, tools=self.tools
        )
        if self.last.stop_reason != "tool_use":
            return False
        self.history.append({"role": "assistant", "content": self.last.content})
        self.history.append({"role": "user", "content": results_of(self.last, self.handlers)})
        return True


def run_agent_loop(client, messages, tools, handlers, **unused):
    agent = Agent(client, tools, handlers, messages)
    while agent.step():
        print("one more step")
    return agent.last
