"""What a replay gives for a request, and who is told of it.

Rule of this file: nothing here decides anything; ``recording.replay`` does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from simulator.recording.stops import SimulatorStop
    from simulator.wire.rules import ApiError


@dataclass(frozen=True)
class Answer:
    """What one request got back. ``message`` and ``when`` are the recording's own and must not be changed."""

    status: int
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes
    """JSON, or server-sent events where the request asked for a stream and got one."""
    by: Literal["recording", "rule", "branch"]
    exchange: int | None = None
    """Index of the exchange that answered; None for a rule."""
    branch: str | None = None
    when: dict[str, Any] | None = None
    """The condition by which ``branch`` answered."""
    error: ApiError | None = None
    """The rule that refused the request."""
    message: dict[str, Any] | None = None
    """The API message, or as much of it as a broken stream brought; None for an error."""
    fault: dict[str, Any] | None = None
    """``{"type", "message"}`` of an error response, or of an error in the middle of a stream."""
    instead_of: str | None = None
    """The recorded ``stop_reason`` of an answer that a what-if has ended with another."""


class Listener(Protocol):
    """Is told what happens in a run, in order: each ``request``, then ``answered`` or ``stopped``.

    ``body`` is read from what was sent, so no object of the loop is in it. Equal messages of different
    requests are one object; nothing in it may be changed.
    """

    def request(self, body: dict[str, Any], digest: str) -> None:
        """A request came in."""

    def answered(self, answer: Answer) -> None:
        """It was answered."""

    def stopped(self, stop: SimulatorStop) -> None:
        """The run was ended, by this request or by a handler; told once."""

    def ignored(self, stop: SimulatorStop) -> None:
        """The loop asks again all the same; *stop* is about to be raised again."""
