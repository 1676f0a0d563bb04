"""A trace document <-> a file.

Rules of this file:

1. Reading gives a whole document or one clear error; never an empty trace, whatever the file holds.
2. Writing is atomic: the old file stays until the new one is whole. The same document gives the same bytes.
3. One message and one step a line, so that a trace can be read and compared by line.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from simulator import files
from simulator.text import say
from simulator.trace.faults import TraceError

MAX_BYTES = 64 * 1024 * 1024
"""Largest trace file that is read. A run of 1,280 steps takes about half a megabyte."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def read(path: Path) -> dict[str, Any]:
    """Return the JSON object in the file *path*; raises TraceError. It is not yet held against the schema."""
    try:
        if path.exists() and not path.is_file():  # A pipe or a device may never end.
            raise TraceError(say("trace.load.not_a_file"), path)
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise TraceError(say("trace.load.huge", megabytes=size // 2**20, limit=MAX_BYTES // 2**20), path)
        raw = path.read_bytes()
    except FileNotFoundError:
        raise TraceError(say("trace.load.missing"), path) from None
    except OSError as error:
        raise TraceError(say("trace.load.unreadable", reason=error.strerror or str(error)), path) from None
    if not raw.strip():
        raise TraceError(say("trace.load.empty"), path)
    return _parse(raw, path)


def write(path: Path, document: dict[str, Any]) -> Path:
    """Write *document* to *path* and return *path*. Raises OSError."""
    files.put(path, to_bytes(document))
    return path


def to_bytes(document: dict[str, Any]) -> bytes:
    """Return *document* as UTF-8 JSON, a line for each message and step.

    A lone surrogate, which UTF-8 cannot hold, is written as its JSON escape.
    """
    parts = [f"{_text(key)}:{_lines(value, key)}" for key, value in document.items()]
    text = "{" + ",\n".join(parts) + "}\n"
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text).encode("utf-8")


def _lines(value: Any, key: str) -> str:
    if key in ("pool", "steps") and value:
        return "[\n" + ",\n".join(_text(item) for item in value) + "\n]"
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _parse(raw: bytes, path: Path) -> dict[str, Any]:
    try:
        document = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise TraceError(say("trace.load.not_utf8", place=error.start), path) from None
    except RecursionError:
        raise TraceError(say("trace.load.deep"), path) from None
    except json.JSONDecodeError as error:
        place = say("trace.load.place", line=error.lineno, column=error.colno)
        cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        sentence = "trace.load.truncated" if cut else "trace.load.not_json"
        raise TraceError(say(sentence, place=place), path) from None
    except ValueError as error:
        raise TraceError(say("trace.load.number", reason=str(error)), path) from None
    if not isinstance(document, dict):
        raise TraceError(say("trace.load.not_object", seen=type(document).__name__), path)
    return document


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
