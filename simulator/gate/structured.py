"""Any value of a loop as JSON in which every field has its name: a dataclass, an exception, an enum.

Rules of this file:

1. Names stay with their values, and a type's name counts as something said: ``{"class": "Truncated", ...}``.
2. Nothing here raises or goes round in circles; what cannot be looked into is told by its ``repr``.
3. So is what the SDK's errors carry of the network: a request holds the whole conversation, which the loop's
   caller is not told by it, and clocks of this run.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Mapping
from typing import Any

DEPTH = 8
"""How deep a value is looked into."""

LONG = 200_000
"""Characters of a text that are kept, half of them from its end."""

NETWORK = frozenset({"httpx2", "httpx", "httpcore2", "httpcore"})
"""Libraries whose objects are not looked into (rule 3)."""


RESPONSE = frozenset(
    {"id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage"}
    | {"container", "context_management"}
)
"""What the API itself puts into a response."""


def structured(value: Any, depth: int = 0) -> Any:
    """Return *value* as JSON in which every field has its name."""
    if value is None or type(value) in (bool, int):
        return value
    if type(value) is str:
        return value if len(value) <= LONG else f"{value[: LONG // 2]}…{value[-LONG // 2 :]}"
    if depth >= DEPTH:
        return "…"
    try:
        return _structured(value, depth + 1)
    except Exception:
        from simulator.trace.jsonable import described

        return described(value)


def attributes_of(error: BaseException) -> dict[str, Any]:
    """Return the attributes of an exception by name, and its arguments where they are several."""
    stated = {name: value for name, value in _fields(error).items() if not name.startswith("_abc")}
    if len(error.args) > 1:
        stated["args"] = list(error.args)
    return {name: structured(value, 1) for name, value in stated.items()}


def _structured(value: Any, depth: int) -> Any:
    if isinstance(value, enum.Enum):
        return {"class": type(value).__name__, "name": value.name, "value": structured(value.value, depth)}
    if _is_model(value) or isinstance(value, float):
        from simulator.trace.ending import value_of

        return value_of(value)
    if isinstance(value, Mapping):
        return _message(value, depth) or {str(key): structured(item, depth) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)) and not hasattr(value, "_asdict"):
        return [structured(item, depth) for item in value]
    return _object(value, depth)


def _object(value: Any, depth: int) -> Any:
    from simulator.trace.jsonable import jsonable

    fields = dict(value._asdict()) if hasattr(value, "_asdict") else _fields(value)
    network = type(value).__module__.partition(".")[0] in NETWORK
    if not fields or isinstance(value, type) or callable(value) or network:
        return jsonable(value)
    if isinstance(value, str):
        fields["text"] = str.__str__(value)
    told = {name: structured(item, depth) for name, item in fields.items()}
    return {"class": type(value).__name__, **told}


def _fields(value: Any) -> dict[str, Any]:
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    found = {name: getattr(value, name) for name in slots if isinstance(name, str) and hasattr(value, name)}
    return found | dict(getattr(value, "__dict__", {}))


def _message(value: Mapping[Any, Any], depth: int) -> Any:
    """Return a response that is a dictionary by now, told as a response is; None for other mappings.

    What a loop has added to it (``"status": "incomplete"``) is told besides.
    """
    if value.get("type") == "message" and "content" in value:
        from simulator.trace.ending import value_of

        added = {str(key): structured(item, depth) for key, item in value.items() if key not in RESPONSE}
        return value_of(dict(value)) | added
    return None


def _is_model(value: Any) -> bool:
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(value, pydantic.BaseModel)
