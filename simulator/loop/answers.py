"""What a tool's outcome becomes in the conversation: a ``tool_result``, and an error that teaches.

Rules of this file:

1. Every outcome is an answer: ``None``, ``""``, ``[]``, ``{}`` and ``0`` are results like any other.
2. An error says what failed, what is the case, and one next action. It is a prompt. It holds no traceback,
   and nothing that looks like a key.
3. A handler's own exception speaks for itself: its text is the message. A bare exception of Python
   (``KeyError: 'x'``), or a text that is no sentence (``ENOENT``), gets the words it lacks.
"""

from __future__ import annotations

import builtins
import difflib
import json
import re
from collections.abc import Iterable
from typing import Any

from simulator.loop.failures import FatalFailure, InvalidCall
from simulator.text import say
from simulator.wire.message import Block

LONGEST_ERROR = 2_000
"""Characters of an exception's text that the model gets to read."""

SENTENCE = 3
"""Words that a text has at least, to be one."""

_SECRET = re.compile(r"\bsk-[\w-]{8,}|\b(?i:bearer)\s+\S{8,}|\b(?i:api[_-]?key)\s*[=:]\s*\S+")
_PARTS = frozenset({"text", "image", "document", "search_result", "tool_reference"})


def content_of(value: object) -> str | list[Block]:
    """Return what a handler returned as the content of a ``tool_result``, never empty."""
    if isinstance(value, str):
        return value if value.strip() else say("loop.model.no_output")
    if value is None:
        return say("loop.model.no_output")
    if isinstance(value, list) and value and all(_is_part(each) for each in value):
        kept = [part for part in value if part["type"] != "text" or str(part.get("text", "")).strip()]
        return kept or say("loop.model.no_output")
    return _json(value)


def _is_part(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") in _PARTS


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(value) or say("loop.model.no_output")


def told(name: str, error: BaseException) -> str:
    """Return the message to the model about *error*, raised by the handler *name*."""
    text = hidden(str(error).strip())[:LONGEST_ERROR]
    if isinstance(error, InvalidCall):
        close = suggestion(error.given, error.choices)
        return f"{text}\n{close}" if close else text
    kind = type(error)
    sentence = len(text.split()) >= SENTENCE and kind is not getattr(builtins, kind.__name__, None)
    if sentence or (text and isinstance(error, FatalFailure)):
        return text
    return say("loop.model.raised", name=name, error=f"{kind.__name__}: {text}" if text else kind.__name__)


def suggestion(given: str, choices: Iterable[str]) -> str:
    """Return a line on what there is instead of *given*: the closest first; empty where there is nothing."""
    there = sorted(set(choices))
    if not there:
        return ""
    close = difflib.get_close_matches(given, there, n=3, cutoff=0.5)
    if close:
        return say("loop.model.close", close=", ".join(close))
    return say("loop.model.choices", choices=", ".join(there[:20]))


def unknown_tool(name: str, names: Iterable[str]) -> str:
    """Return the message about a tool that does not exist, with those that do."""
    there = list(names)
    close = difflib.get_close_matches(name, there, n=1, cutoff=0.5)
    known = ", ".join(there) or "-"
    if close:
        return say("loop.model.unknown_close", name=name, close=close[0], names=known)
    return say("loop.model.unknown", name=name, names=known)


def wrong_arguments(name: str, missing: list[str], strange: list[str], known: list[str]) -> str:
    """Return the message about a call whose arguments do not fit, with close matches."""
    parts = [say("loop.model.arguments", name=name, known=", ".join(known) or "-")]
    if missing:
        parts.append(say("loop.model.missing", names=", ".join(missing)))
    for each in strange:
        close = difflib.get_close_matches(each, known, n=1, cutoff=0.5)
        parts.append(
            say("loop.model.strange_close", given=each, close=close[0])
            if close
            else say("loop.model.strange", given=each)
        )
    return "\n".join(parts)


def hidden(text: str) -> str:
    """Return *text* with what looks like a key blotted out."""
    return _SECRET.sub("(hidden)", text)


def shortened(content: Any, limit: int, note: str) -> Any:
    """Return *content* with at most *limit* characters of text, and the *note* in front where it was cut."""
    if isinstance(content, str):
        return content if len(content) <= limit else f"{note}\n{content[:limit]}"
    parts: list[Any] = []
    room = limit
    for part in content:
        text = part.get("text") if part.get("type") == "text" else None
        if isinstance(text, str):
            if room > 0:
                parts.append({**part, "text": text[:room]} if len(text) > room else part)
            room -= len(text)
        else:
            parts.append(part)
    return parts if room >= 0 else [{"type": "text", "text": note}, *parts]
