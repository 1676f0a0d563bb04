"""Hooks before and after; a hook may stop the run."""

from dataclasses import dataclass, field
from typing import Any, Callable


@dataclass
class Hooks:
    on_text: Callable[[str], None] = print
    on_call: Callable[[str, dict], None] = lambda name, args: None
    should_stop: Callable[[Any], bool] = lambda response: False


@dataclass
class Runner:
    client: Any
    tools: list
    handlers: dict
    hooks: Hooks = field(default_factory=Hooks)
    max_turns: int = 20

    def run(self, messages):
        turn = 0
        response = None
        while turn < self.max_turns:
            turn += 1
            response = self.client.messages.create(model="m", max_tokens=1000, messages=messages, tools=self.tools)
            messages.append({"role": "assistant", "content": response.content})
            results = []
            for block in response.content:
                if block.type == "text":
                    self.hooks.on_text(block.text)
                elif block.type == "tool_use":
                    self.hooks.on_call(block.name, block.input)
                    results.append(self._result(block))
            if response.stop_reason != "tool_use" or self.hooks.should_stop(response):
                break
            messages.append({"role": "user", "content": results})
        return response

    def _result(self, block):
        try:
            return {"type": "tool_result", "tool_use_id": block.id, "content": str(self.handlers[block.name](**block.input))}
        except Exception as exc:
            return {"type": "tool_result", "tool_use_id": block.id, "content": str(exc), "is_error": True}
