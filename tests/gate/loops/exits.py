"""How the base loop ends when it does not end well: one exception for each way, with what was done so far."""

from __future__ import annotations

from typing import Any


class LoopStopped(Exception):  # noqa: N818  # named for what it tells
    """The loop stopped before the work was done.

    ``messages``: the conversation so far, every call in it answered. ``text``: what the model said last.
    ``usage``: tokens used by all answers together.
    """

    def __init__(self, why: str, **facts: Any) -> None:
        super().__init__(why)
        self.messages: list[dict[str, Any]] = []
        self.text = ""
        self.usage: dict[str, int] = {}
        vars(self).update(facts)


class BudgetExceeded(LoopStopped):
    """A limit was reached; ``name`` says which, ``limit`` is its value, ``missing`` what was not done."""


class Truncated(LoopStopped):
    """The answer was cut at ``max_tokens``."""


class Refused(LoopStopped):
    """The model refused."""


class PausedTooOften(LoopStopped):
    """The server paused the turn again and again."""


class UnhandledStop(LoopStopped):
    """A ``stop_reason`` that this loop has no answer to; ``stop_reason`` is its value."""


class ContextFull(LoopStopped):
    """The conversation does not fit, and cannot be made smaller."""


class EmptyAnswer(LoopStopped):
    """The model ended its turn without a word, twice."""


class Unverified(LoopStopped):
    """The model says it is done; the check does not agree. ``problem`` is what it found last."""


class NoProgress(LoopStopped):
    """The model goes in a circle; ``call`` is the call it repeats."""


class ApiFailed(LoopStopped):
    """The API did not answer; the cause is the SDK's own exception."""


class StreamCut(LoopStopped):
    """A streamed answer ended in the middle, again and again. Nothing of it was run."""


class Cancelled(LoopStopped):
    """The caller does not want it any more."""
