"""What happens at each signal is a strategy that is handed in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import anthropic


class Stopped(Exception):
    def __init__(self, response: anthropic.types.Message) -> None:
        super().__init__(response.stop_reason)
        self.response = response


class Strategy(Protocol):
    def handle(self, agent: "Agent", response: anthropic.types.Message) -> bool: ...


class Default:
    def handle(self, agent: "Agent", response: anthropic.types.Message) -> bool:
        """True when the conversation is over."""
        if response.stop_reason == "tool_use":
            agent.messages.append({"role": "user", "content": agent.execute(response)})
            return False
        if response.stop_reason == "pause_turn":
            return False
        if response.stop_reason in ("end_turn", "stop_sequence"):
            return True
        raise Stopped(response)


@dataclass
class Agent:
    client: anthropic.Anthropic
    model: str
    tools: list[dict[str, Any]]
    handlers: dict[str, Any]
    strategy: Strategy = field(default_factory=Default)
    max_steps: int = 30
    messages: list[dict[str, Any]] = field(default_factory=list)

    def execute(self, response) -> list[dict[str, Any]]:
        out = []
        for block in response.content:
            if block.type != "tool_use":
                continue
            handler = self.handlers.get(block.name)
            if handler is None:
                out.append(
                    dict(type="tool_result", tool_use_id=block.id, content="unknown tool", is_error=True)
                )
                continue
            out.append(dict(type="tool_result", tool_use_id=block.id, content=handler(**block.input)))
        return out

    def run(self, text: str):
        self.messages.append({"role": "user", "content": text})
        for _ in range(self.max_steps):
            response = self.client.messages.create(
                model=self.model, max_tokens=2048, tools=self.tools, messages=self.messages
            )
            self.messages.append({"role": "assistant", "content": response.content})
            if self.strategy.handle(self, response):
                return response
        raise TimeoutError("step limit reached")
