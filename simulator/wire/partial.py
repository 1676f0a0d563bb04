"""JSON that was cut off in the middle: what of it is certain.

A stream that stops at ``max_tokens`` inside a tool call leaves ``{"path": "notes.md", "content": "# No``. As
the Anthropic SDK does, every value that had arrived whole is kept and the one cut in the middle is dropped,
here ``{"path": "notes.md"}``. Text that is no beginning of any JSON is a ValueError.
"""

from __future__ import annotations

import json
import re
from typing import Any

_STRING = r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*'
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_TOKEN = re.compile(rf'\s*(?:{_STRING}"|[\[\]{{}},:]|(?:{_NUMBER}|true|false|null)(?=[\s,\]}}:]|\Z))')
_CUT = re.compile(
    rf"\s*(?:{_STRING}(?:\\(?:u[0-9a-fA-F]{{0,3}})?)?|-?[0-9.eE+-]*|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)\Z"
)


def loads_partial(text: str) -> Any:
    """Return the JSON value of *text*, or of as much of it as had arrived whole.

    Raises ValueError when *text* is not JSON nor the beginning of JSON, or nests too deep to be read.
    """
    try:
        try:
            return json.loads(text)
        except ValueError:
            return json.loads(_closed(text))
    except RecursionError:
        raise ValueError("nested too deep") from None


def _closed(text: str) -> str:
    """Return *text* up to its last whole value, with the brackets still open closed after it."""
    at, end, before = 0, 0, ""
    open_brackets: list[
        str
    ] = []  # as closers; after the last whole value only a key, colon or comma can come
    while token := _TOKEN.match(text, at):
        at, word = token.end(), token.group().strip()
        if word in "{[":
            open_brackets.append("}" if word == "{" else "]")
        elif word in "}]" and open_brackets:
            open_brackets.pop()
        key = open_brackets and open_brackets[-1] == "}" and before != ":" and word.startswith('"')
        if word not in ",:" and not key:
            end = at
        before = word
    if not _CUT.match(text, at):
        raise ValueError(f"not JSON at character {at}")
    return text[:end] + "".join(reversed(open_brackets))
