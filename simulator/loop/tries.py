"""The tries of one call: what each of them means, whoever makes it (a thread, or an event loop)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simulator.loop.answers import content_of, told
from simulator.loop.failures import FatalFailure, Transient, TransientFailure
from simulator.loop.outcome import Failed, Outcome
from simulator.loop.policy import Policy
from simulator.loop.transcript import plain
from simulator.wire.message import Block


@dataclass(slots=True)
class Tries:
    """How often a call was tried, and since when."""

    call: Block
    policy: Policy
    began: float
    made: int = 0
    over: bool = False
    """Nobody waits for it any more: no further try may begin, or it would have its effect twice."""

    def input(self) -> dict[str, Any]:
        """Return the arguments of one more try: a copy, for the conversation keeps what the model asked."""
        self.made += 1
        given: dict[str, Any] = plain(self.call["input"])
        return given

    def returned(self, value: object) -> Outcome:
        """Return the outcome of a handler that returned *value*."""
        failed = isinstance(value, Failed)
        return self._outcome(plain(content_of(value.content if isinstance(value, Failed) else value)), failed)

    def again(self, error: Exception) -> float | None:
        """Return the seconds to wait before the next try, or None where *error* is the outcome."""
        if self.over or not isinstance(error, TransientFailure):
            return None
        return self.policy.retry.wait(Transient(str(error), error.retry_after), self.made)

    def raised(self, error: Exception) -> Outcome:
        """Return the outcome of a handler that raised *error*."""
        fatal = isinstance(error, FatalFailure) or self.policy.on_tool_error == "propagate"
        return self._outcome(told(str(self.call.get("name")), error), True, error, fatal)

    def _outcome(
        self, content: Any, is_error: bool, error: Exception | None = None, fatal: bool = False
    ) -> Outcome:
        seconds = self.policy.clock() - self.began
        return Outcome(self.call, content, is_error, seconds, error=error, fatal=fatal, attempts=self.made)
