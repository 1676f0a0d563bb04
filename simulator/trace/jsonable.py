"""Any Python value as a JSON value that can be kept in a trace.

Rules of this file:

1. What the SDK would send is kept exactly as the SDK would send it: mappings, sequences, pydantic models,
   dates (``anthropic._utils._prepare.copy_tree`` of version 2.14).
2. Nothing here raises, drains an iterator, or takes endless time: cycles, objects whose ``repr`` raises,
   numbers that JSON does not know and the like become a short text in angle brackets.
3. What changes from run to run (addresses) or from machine to machine (folders) is left out of such a text.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections import UserString
from collections.abc import Mapping, Sequence, Set, ValuesView
from datetime import date
from pathlib import Path
from typing import Any

from simulator.wire.message import canonical_json

MAX_DEPTH = 60
"""How deep values are kept; deeper ones become a text."""

MAX_REPR = 2000
"""Characters kept of the ``repr`` of what is no JSON."""

_ADDRESS = re.compile(r"\b(at )?0x[0-9A-Fa-f]+")
_PLAIN = frozenset((str, bool, type(None)))
_TEXTS = (bytes, bytearray, memoryview, UserString)


def jsonable(value: Any, inside: tuple[int, ...] = ()) -> Any:
    """Return *value* as a JSON value, a new one. *inside* holds the ids of the containers around it."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, (int, float, str)):
        return _scalar(value)
    if id(value) in inside or len(inside) >= MAX_DEPTH:
        return "<…>"
    within = (*inside, id(value))
    if kind is list:
        return [item if type(item) in _PLAIN else jsonable(item, within) for item in value]
    try:
        if kind is dict or isinstance(value, Mapping):
            return _mapping(value, within)
        if isinstance(value, (Sequence, Set, ValuesView)) and not isinstance(value, _TEXTS):
            items = [jsonable(item, within) for item in value]
            return sorted(items, key=canonical_json) if isinstance(value, Set) else items
        if isinstance(value, date):
            return value.isoformat()
        if _is_model(value):
            return jsonable(_dump(value), within)
    except Exception:
        # A container of the loop's own making may raise at any turn; its repr may still tell something.
        return described(value)
    return described(value)


def _mapping(value: Mapping[Any, Any], within: tuple[int, ...]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, item in value.items():
        name = key if type(key) is str else _key(key)
        if type(item) in _PLAIN:
            kept[name] = item
        elif not _absent(item):
            kept[name] = jsonable(item, within)
    return kept


def described(value: object) -> str:
    """Return the ``repr`` of *value*, tidied; where it raises, the name of its type."""
    try:
        text = repr(value)
    except Exception as error:
        return f"<{type(value).__name__}: repr raised {type(error).__name__}>"
    return tidy(text if len(text) <= MAX_REPR else f"{text[: MAX_REPR - 1]}…")


def described_error(error: BaseException) -> str:
    """Return the text of *error*, tidied; where that raises, the name of its type."""
    try:
        return tidy(str(error))
    except Exception as other:
        return f"<{type(error).__name__}: str raised {type(other).__name__}>"


def tidy(text: str) -> str:
    """Return *text* without memory addresses and without this machine's own folders."""
    text = _ADDRESS.sub("", text).replace(" >", ">")
    for folder in _folders():
        text = text.replace(folder + os.sep, "")
    return text


def _folders() -> list[str]:
    try:
        folders = [str(Path.cwd()), str(Path.home())]
    except (OSError, RuntimeError):
        folders = []
    return sorted((folder for folder in folders if len(folder) > 1), key=len, reverse=True)


def _scalar(value: int | float | str) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        # json writes an int by its decimal digits, which Python refuses beyond some thousands.
        big = value.bit_length() > 8192
        return f"<int of {value.bit_length()} bits>" if big else int(value)
    return float(value) if math.isfinite(value) else f"<{float(value)!r}>"


def _key(key: Any) -> str:
    """Return *key* as json.dumps writes it; what it would refuse, as its repr."""
    if isinstance(key, str):
        return str.__str__(key)
    if type(key) in _PLAIN:
        return canonical_json(key)
    if isinstance(key, (int, float)):
        return str(_scalar(key))
    return described(key)


def _absent(value: Any) -> bool:
    """Return whether *value* is the SDK's mark for "not given", which it leaves out of what it sends."""
    return type(value).__name__ in ("NotGiven", "Omit") and type(value).__module__.startswith("anthropic")


def _is_model(value: Any) -> bool:
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(value, pydantic.BaseModel)


def _dump(model: Any) -> Any:
    return model.model_dump(
        exclude_unset=True, mode="json", by_alias=True, exclude=getattr(model, "__api_exclude__", None)
    )
