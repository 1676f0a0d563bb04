"""What a rule is: a row of data with a small check, and the error it makes.

Rules of this file:

1. A rule names its source: the rows of ``reference/api-errors.md`` that show the real refusal. ``grade`` is
   the evidence of the strongest of them: R recorded, L live log, M measured by the author of a public file,
   S seen in tests and comments only.
2. ``wording`` is today's text of the API, a :meth:`str.format` template. Earlier texts of the same refusal
   stand in ``older`` and are never emitted.
3. A check looks at one :class:`Place` and says where it found the fault, or None. It may rely on every
   rule before it in the table: where one of those is broken, it is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from simulator.wire.rules.request import Request

Grade = Literal["R", "L", "M", "S"]
Kind = Literal["request", "tool", "message", "block", "result_block", "message_end", "entry", "turn"]


@dataclass(frozen=True, slots=True)
class ApiError:
    """A refusal of the Messages API. A value, not an exception.

    ``message`` is the API's own text. ``path`` is the dotted place at fault, or None where the whole request
    is: ``messages.1.content.0``. Indices in ``messages`` count merged turns for rules about the conversation,
    and entries as they were sent for rules about the shape of one entry; so do the API's.
    """

    status: int
    type: str
    message: str
    path: str | None
    rule: str

    def body(self, request_id: str) -> dict[str, Any]:
        """Return the response body the API sends with this error."""
        error = {"type": self.type, "message": self.message}
        return {"type": "error", "error": error, "request_id": request_id}


@dataclass(frozen=True, slots=True)
class Place:
    """Something a rule looks at: a value, where it stands, and the request around it.

    ``index`` is the position of an entry in ``messages`` as sent, or of a turn among the merged ones.
    """

    kind: Kind
    value: Any
    path: str
    request: Request
    index: int = -1


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a check found the fault, and what the wording needs besides ``{path}``."""

    path: str | None
    values: Mapping[str, object] = field(default_factory=dict)


Check = Callable[[Place], Fault | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """One reason for which the API refuses a request.

    ``at`` says at which kind of place the rule looks, ``lesson`` which sentence of the catalogue ``rules``
    explains it (rules of one family share one), ``note`` what a reader of the table should know besides.
    """

    id: str
    wording: str
    rows: tuple[int, ...]
    grade: Grade
    at: Kind
    check: Check
    lesson: str
    older: tuple[str, ...] = ()
    note: str = ""
    status: int = 400
    type: str = "invalid_request_error"

    @property
    def source(self) -> str:
        """Where the evidence stands: ``api-errors.md row 5``."""
        return source_of(self.rows)

    def refuse(self, place: Place) -> ApiError | None:
        """Return the API's error if *place* breaks this rule."""
        fault = self.check(place)
        return None if fault is None else self.error(fault.path, fault.values)

    def error(self, path: str | None, values: Mapping[str, object]) -> ApiError:
        """Return this rule's error for the fault at *path*."""
        message = self.wording.format(path=path, **values)
        return ApiError(self.status, self.type, message, path, self.id)


@dataclass(frozen=True, slots=True)
class Accepted:
    """Something the API refused once, or is commonly believed to refuse, and accepts today."""

    id: str
    what: str
    why: str
    rows: tuple[int, ...] = ()
    older: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Where the evidence stands: a row, or section 0 for what the recordings show."""
        return source_of(self.rows)


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Refusals of the API that a request body alone cannot foretell."""

    rows: tuple[int, ...]
    why: str

    @property
    def source(self) -> str:
        """Where the evidence stands."""
        return source_of(self.rows)


@dataclass(frozen=True, slots=True)
class Stage:
    """Rules that the API checks together: one walk over the request, all rules at each place."""

    name: str
    walk: Callable[[Request], Iterator[Place]]
    rules: tuple[Rule, ...]


def source_of(rows: tuple[int, ...]) -> str:
    """Return *rows* of the reference in words; none of them is its section 0."""
    if not rows:
        return "api-errors.md section 0"
    return f"api-errors.md {'row' if len(rows) == 1 else 'rows'} {', '.join(map(str, rows))}"


def when(condition: bool, path: str | None, **values: object) -> Fault | None:
    """Return the fault at *path* if *condition* holds: most checks are one such line."""
    return Fault(path, values) if condition else None
