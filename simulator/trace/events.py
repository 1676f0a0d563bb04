"""What can happen in a run: one small frozen type per thing, and nothing else.

Rules of this file:

1. An event states what was seen, never what it means; sentences are made by whoever shows it.
2. ``turn`` counts model requests: 0 before the first, 1 from the first request on.
3. ``line`` is a line number of the loop's own source (the document's ``source``), or None where the
   event was not caused by a line that we can see.
4. Values are JSON. An event holds no object of the loop, so a trace can outlive the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

SIGNALS = (
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
)
"""The seven values of ``stop_reason``, in the order the branch rail shows them."""

UNHEARD_OF = "unheard_of"
"""Stands for a signal that the API may have tomorrow."""

Reason = Literal[
    "returned",  # the loop returned a value
    "raised",  # the loop raised an exception
    "exited",  # the loop called sys.exit or raised SystemExit
    "interrupted",  # KeyboardInterrupt
    "runaway",  # the cap on requests ended it
    "off_script",  # a lawful request that nobody recorded
    "recording_ends",  # a tool call whose result nobody recorded
    "deadline",  # it did not come to an end in the time it was given
    "recorded",  # no loop ran: this is where the recording ends
]
"""Why a run ended."""

AnsweredBy = Literal["recording", "rule", "branch"]
"""Which of the answers of a replay a response is: an exact recording, an API rule, a recorded branch."""


@dataclass(frozen=True, slots=True)
class Request:
    """The loop asked the model. The step's ops make ``messages[]`` exactly what was sent."""

    kind: ClassVar = "request"
    turn: int
    line: int | None
    digest: str
    """The key of this conversation in the recording (``wire.message.digest``)."""
    sent: str
    """SHA-256 of the canonical JSON of ``messages`` as sent; ``verify`` rebuilds and compares it."""
    parameters: dict[str, Any]
    """``model``, ``max_tokens``, ``tool_choice``, ``thinking``, ``stream``, as far as it states them;
    ``system`` and ``tools`` (names) where they are not those of the first request.
    """
    repeats: int | None = None
    """The turn that sent this very conversation first, or None when it is new."""
    waited: float | None = None
    """Seconds that the loop (or the SDK for it) slept since the request before; None where nobody counted."""


@dataclass(frozen=True, slots=True)
class Response:
    """The model's answer, or the API's error, came back."""

    kind: ClassVar = "response"
    turn: int
    line: int | None
    status: int
    """HTTP status: 200, or the error's."""
    by: AnsweredBy
    exchange: int | None = None
    """Which exchange of the recording answered (counted from 0), or None for a rule."""
    branch: str | None = None
    """Name of the scenario's branch that answered, where ``by`` is ``branch``."""
    when: dict[str, Any] | None = None
    """The condition by which that branch answered."""
    message: dict[str, Any] | None = None
    """``{"role": "assistant", "content": [...]}`` as received; None for an error."""
    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    stop_sequence: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    """Token counts as the API gave them."""
    instead_of: str | None = None
    """The recorded ``stop_reason``, where a what-if has ended this answer with another."""
    error: dict[str, Any] | None = None
    """``{"type", "message"}`` and, where one of our rules answered, ``"rule"`` and ``"path"``;
    ``"retry_after"`` as its header had it.
    """


@dataclass(frozen=True, slots=True)
class Branch:
    """The loop decided where to go after a response."""

    kind: ClassVar = "branch"
    turn: int
    line: int | None
    signal: str | None
    """The ``stop_reason`` of the response that was decided on; None where there was none."""
    test: str | None = None
    """Source text of the test, or None when the decision was not seen in the source."""
    value: bool | None = None
    """What the test came to."""
    guard: bool = False
    """True when the test is the loop's own limit rather than a look at the response."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A handler is about to run."""

    kind: ClassVar = "tool_call"
    turn: int
    line: int | None
    name: str
    input: dict[str, Any]
    id: str | None = None
    """Id of the ``tool_use`` block it answers, or None when no block asked for it."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A handler came back."""

    kind: ClassVar = "tool_result"
    turn: int
    line: int | None
    name: str
    content: Any
    """What the handler returned; where it raised, the exception's text."""
    id: str | None = None
    is_error: bool = False
    error_type: str | None = None


@dataclass(frozen=True, slots=True)
class Append:
    """The loop's own ``messages`` list changed; the step's ops say how."""

    kind: ClassVar = "append"
    turn: int
    line: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the loop ran (recorded only when asked for)."""

    kind: ClassVar = "line"
    turn: int
    line: int | None


@dataclass(frozen=True, slots=True)
class Exit:
    """The run ended."""

    kind: ClassVar = "exit"
    turn: int
    line: int | None
    reason: Reason
    value: Any = None
    """What the loop returned, as JSON; a response as ``{"type": "message", "stop_reason", "text", ...}``."""
    error_type: str | None = None
    message: str | None = None
    """The exception's text, or the simulator's own sentence about why it stopped the run."""
    traceback: list[dict[str, Any]] = field(default_factory=list)
    """``{"line", "text", "function"}`` for each frame in the loop's own source, outermost first."""
    ignored: int = 0
    """How often the loop asked again after it had been stopped, because it swallows every exception."""
    left: dict[str, Any] = field(default_factory=dict)
    """What else the caller can see: ``messages``, the list it had given, where the loop changed it;
    ``records``, what the loop logged or put where the caller asked for it; ``yielded``, all that a generator
    gave."""


Event = Request | Response | Branch | ToolCall | ToolResult | Append | Line | Exit
"""Anything that happens in a run. Closed: ``match`` on it ends in ``assert_never``."""

KINDS: dict[str, type[Event]] = {
    event.kind: event for event in (Request, Response, Branch, ToolCall, ToolResult, Append, Line, Exit)
}
"""The event types by their ``kind``."""
