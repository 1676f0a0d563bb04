"""A loop contract as values: what a loop is allowed and what it does at each signal.

Rules of this file:

1. A contract that exists is valid: these are made by ``reading.py`` alone, after every rule was held.
2. Values only: nothing here reads a file, renders code or knows a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Signal = Literal[
    "tool_use",
    "end_turn",
    "stop_sequence",
    "max_tokens",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
    "otherwise",
]
"""The seven values of ``stop_reason``, and any other."""

Do = Literal["run_tools", "finish", "raise", "resume", "ask_again"]
"""What a loop does at a signal."""


@dataclass(frozen=True, slots=True)
class Action:
    """What is done at one signal."""

    do: Do
    times: int | None = None
    """How often in a row, for ``resume`` and ``ask_again``; None for the others."""


@dataclass(frozen=True, slots=True)
class Request:
    """What every request states besides its messages and tools."""

    model: str
    max_tokens: int
    system: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The rest, as JSON, in the order of the contract: ``temperature``, ``thinking``, ``tool_choice`` …"""


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars for a million tokens, and the day they were looked up (``YYYY-MM-DD``)."""

    as_of: str
    input: float
    output: float
    cache_write: float
    cache_read: float


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits; at least one is no None."""

    iterations: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    usd: float | None = None
    prices: Prices | None = None
    """There where ``usd`` is."""


@dataclass(frozen=True, slots=True)
class Results:
    """How tool results go back: all blocks, with their ids, in one user turn. ``max_chars`` bounds each."""

    max_chars: int | None = None


@dataclass(frozen=True, slots=True)
class Handlers:
    """What happens where a handler fails, is unknown, or takes longer than ``timeout_seconds``."""

    on_error: Literal["tell", "propagate"]
    on_unknown: Literal["tell", "raise"]
    timeout_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Rounds in a row that bring nothing new: each call was made before, with that result.

    The first time counts as one. The model is told at ``note_at``, the run ends at ``stop_at``.
    """

    note_at: int
    stop_at: int


@dataclass(frozen=True, slots=True)
class Retries:
    """Who asks again after a failure that passes: the ``client`` (the SDK's own retries) or the ``loop``."""

    by: Literal["client", "loop"]
    attempts: int = 1
    first_wait_seconds: float = 0.0
    longest_wait_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Verification:
    """A caller's check decides success; its failure goes back to the model ``rounds`` times."""

    rounds: int


@dataclass(frozen=True, slots=True)
class Compaction:
    """From ``share`` of ``context_tokens`` on, all but the last ``keep_steps`` steps are told in short."""

    context_tokens: int
    share: float
    keep_steps: int


@dataclass(frozen=True, slots=True)
class Tracing:
    """The name of the logger that gets every transition."""

    logger: str


@dataclass(frozen=True, slots=True)
class Contract:
    """One declared loop."""

    name: str
    description: str | None
    request: Request
    budget: Budget
    signals: Mapping[Signal, Action]
    results: Results
    handlers: Handlers
    progress: Progress
    retries: Retries
    verification: Verification | None
    compaction: Compaction | None
    tracing: Tracing
    digest: str
    """SHA-256 of the contract's canonical JSON, defaults filled in: the same loop, the same digest."""
    defaults: frozenset[str] = frozenset()
    """JSON pointers of what the contract left to the policy: ``/request/max_tokens``, ``/progress`` …"""
