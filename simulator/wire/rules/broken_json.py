"""The two rules about a body that is no JSON. Their details are worded as the API's parser words them.

Where the text ends too early, the detail and its place are the API's own. For other slips the place is the
one Python's parser finds and the detail is the commonest, "unexpected character".
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from simulator.wire.rules.table import ApiError, Rule

_WORDING = "The request body is not valid JSON: {detail}: line {line} column {column} (char {char})"

EMPTY = Rule(
    "json.empty", _WORDING, (99,), "L", "request", lambda place: None, "json.broken",
)  # fmt: skip
BROKEN = Rule(
    "json.broken", _WORDING, (99,), "L", "request", lambda place: None, "json.broken",
    note="the place is exact; of the details only 'unexpected end of data' was seen",
)  # fmt: skip

JSON_RULES = (EMPTY, BROKEN)

_LONGEST_NUMBER = 4000


def parse(raw: bytes) -> tuple[Any, ApiError | None]:
    """Return the JSON value of *raw* and None, or None and the API's refusal of it."""
    if not raw:
        return None, _error(EMPTY, "Input is a zero-length, empty document", "", 0)
    text = ""
    try:
        text = raw.decode("utf-8")
        return json.loads(text, parse_constant=_no_constant, parse_int=_integer), None
    except UnicodeDecodeError as error:
        return None, _error(BROKEN, "str is not valid UTF-8", "", error.start)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated") or not text[error.pos :].strip():
            return None, _error(BROKEN, "unexpected end of data", text, len(text))
        return None, _error(BROKEN, "unexpected character", text, error.pos)
    except _NotJsonError as error:
        return None, _error(BROKEN, "unexpected character", text, text.find(str(error)))
    except RecursionError:
        return None, _error(BROKEN, "Recursion limit reached", "", 0)


class _NotJsonError(Exception):
    """A constant that Python reads and JSON has not: NaN, Infinity."""


def _no_constant(name: str) -> NoReturn:
    raise _NotJsonError(name)


def _integer(digits: str) -> int | float:
    # Python refuses to convert very long integers; as a float they are out of any range, which is the point.
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float(digits)


def _error(rule: Rule, detail: str, text: str, char: int) -> ApiError:
    before = text[:char]
    line = before.count("\n") + 1
    column = char - (before.rfind("\n") + 1) + 1
    return rule.error(None, {"detail": detail, "line": line, "column": column, "char": char})
