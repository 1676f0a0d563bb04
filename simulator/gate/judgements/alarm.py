"""Does whoever called the loop learn that a run went wrong? By an exception, or by what came back.

Rules of this file:

1. An exception tells, whatever it says: it cannot be overlooked. But one that any slip in the loop's own code
   raises (a ``KeyError``, a ``TypeError``) is a crash and tells nothing of the matter.
2. What was returned tells when it names the matter, in any form; see ``telling``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simulator.gate.judgements.reading import Exchange
from simulator.gate.judgements.telling import tells

if TYPE_CHECKING:
    from simulator.trace.document import Trace

SLIPS = frozenset(
    {
        "AssertionError",
        "AttributeError",
        "IndexError",
        "JSONDecodeError",
        "KeyError",
        "NameError",
        "RecursionError",
        "TypeError",
        "UnboundLocalError",
    }
)
"""Types of exceptions that a slip in the loop's code raises."""

SETTINGS = frozenset({"max_retries", "retries", "attempts", "max_attempts", "tool_timeout", "timeout"})
"""Names that state how a loop is set up, and not that anything happened."""

SAYS_FAILED = re.compile(
    r"\berrors?\b|\bfail(?:ed|ure|s)?\b|unavailable|overloaded|outage|rate.?limit|retr(?:y|ies)\b|g[ai]ve.?up"
    r"|abort|fatal|exhausted|denied|unauthori[sz]ed|forbidden|authentication|permission|credit|not.?found"
    r"|\b[45]\d\d\b|(?:Error|Failure|Failed|Unavailable|Fatal|Exhausted)\b"
    r"|fall[oó]|fallid|sobrecarg|no disponible|ca[ií]d[ao]|reintent|agotad|denegad|permiso|cr[eé]dito",
    re.IGNORECASE,
)
"""Words by which a caller learns that the API failed."""


def heard(trace: Trace, seen: list[Exchange], words: re.Pattern[str]) -> bool | None:
    """True when the caller learns of what *words* describe, False when not, None when nobody can tell.

    Nobody can after a crash (rule 1), a deadline, or a stop of the simulator.
    """
    match trace.exit.reason:
        case "returned":
            return tells(trace, seen, words, SETTINGS)
        case "raised":
            return None if trace.exit.error_type in SLIPS else True
        case "exited" | "interrupted":
            return True
        case _:
            return None
