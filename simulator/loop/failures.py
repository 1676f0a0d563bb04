"""Three kinds of failure, three answers; and how long to wait.

Rules of this file:

1. ``Transient``: the loop waits and sends the very same request; the model never hears of it. Bounded.
   ``Invalid``: the model can mend it, so the model is told. ``FatalFailure``: nobody here can; out at once.
   ``TooLong`` is the API's word that the conversation must shrink first.
2. ``retry-after`` is honoured as it is. Where it asks for more than ``Retry.longest``, waiting is not this
   loop's business any more and the failure is fatal, with the figure in its reason.
3. One layer retries: this one. The SDK's own retries are turned off where the client can be told so.
4. Nothing with a side effect is repeated. A request has none; a handler is run again only when it says
   itself, by raising :class:`TransientFailure`, that nothing has happened yet. Any other exception is told,
   not retried.
5. Errors are known by what they carry (``status_code``, ``response.headers``, ``body``), so that no SDK is
   imported here and any client with errors of that shape will do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

TRANSIENT_STATUS = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
TRANSIENT_TYPES = frozenset({"rate_limit_error", "api_error", "overloaded_error", "timeout_error"})
_CONNECTION = frozenset({"APIConnectionError", "TransportError", "ConnectionError", "TimeoutError"})


class ToolFailure(Exception):  # noqa: N818  # named for what a handler says with it
    """What a handler raises to say what kind of failure it met; the text is for the model."""


class TransientFailure(ToolFailure):
    """Nothing has happened yet; try again after *retry_after* seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class InvalidCall(ToolFailure):
    """The model asked for something it can ask better.

    *given* is the value at fault, *choices* what there is instead: the closest are suggested to the model.
    """

    def __init__(self, message: str, given: str = "", choices: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.given, self.choices = given, tuple(choices)


class FatalFailure(ToolFailure):
    """Nothing in this session can mend it: the run ends."""


class Incomplete(Exception):  # noqa: N818  # named for what it tells
    """An answer that did not arrive whole: no ``stop_reason``, or a stream that was cut."""


@dataclass(frozen=True, slots=True)
class Transient:
    """Wait, then the same again."""

    reason: str
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Invalid:
    """The model is told, and corrects itself."""

    reason: str


@dataclass(frozen=True, slots=True)
class Hopeless:
    """The run ends."""

    reason: str


@dataclass(frozen=True, slots=True)
class TooLong:
    """The conversation is larger than the model takes."""

    reason: str


Failure = Transient | Invalid | Hopeless | TooLong


def as_is(seconds: float) -> float:
    """Return *seconds*: waits are not spread unless somebody asks for it."""
    return seconds


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and how long to wait for what is transient."""

    attempts: int = 4
    """Retries after the first try, counted anew after each success."""
    first: float = 0.5
    """Seconds before the first retry where the API names none; doubled each time."""
    most: float = 8.0
    """Seconds that such a wait never exceeds."""
    longest: float = 60.0
    """The longest ``retry-after`` that is waited for."""
    spread: Callable[[float], float] = as_is
    """Turns a wait of our own choice into another, for many loops at once (jitter). Deterministic by
    default.
    """

    def wait(self, failure: Transient, failed: int) -> float | None:
        """Return the seconds to wait after the *failed*-th failure in a row, or None to give up."""
        if failed > self.attempts:
            return None
        if failure.retry_after is not None:
            return failure.retry_after if failure.retry_after <= self.longest else None
        # The exponent is bounded because only the cap counts from there on.
        return self.spread(min(self.most, self.first * 2 ** min(failed - 1, 30)))


def classify(error: Exception, now: Callable[[], float]) -> Failure:
    """Return what kind of failure an exception of the client is. *now* is Unix time, for a dated retry-
    after.
    """
    reason = str(error) or type(error).__name__
    status, kind = getattr(error, "status_code", None), error_type(error)
    asked = _header(error, "x-should-retry")
    if status == 413 or kind == "request_too_large" or (status == 400 and "too long" in reason.lower()):
        return TooLong(reason)
    if isinstance(error, Incomplete) or (status is None and _is_connection(error)):
        return Transient(reason)
    transient = status in TRANSIENT_STATUS or kind in TRANSIENT_TYPES
    if asked == "true" or (transient and asked != "false"):
        return Transient(reason, retry_after(_header(error, "retry-after"), now))
    return Hopeless(reason)


def error_type(error: Exception) -> str | None:
    """Return the API's own type of *error*, such as ``overloaded_error``; None where it names none."""
    body: Any = getattr(error, "body", None)
    inner = body.get("error") if isinstance(body, dict) else None
    kind = inner.get("type") if isinstance(inner, dict) else None
    return kind if isinstance(kind, str) else None


def retry_after(value: str | None, now: Callable[[], float]) -> float | None:
    """Return the seconds that a ``retry-after`` header asks for: a number or a date; None where it says
    none.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now()
        except (TypeError, ValueError):
            return None
    return max(0.0, seconds) if seconds == seconds else None


def _header(error: Exception, name: str) -> str | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None)
    value = headers.get(name) if headers is not None else None
    return None if value is None else str(value)


def _is_connection(error: Exception) -> bool:
    return any(each.__name__ in _CONNECTION for each in type(error).__mro__)
