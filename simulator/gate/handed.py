"""What a loop hands its caller, in full: the fields of what it returned, the attributes of what it raised.

A trace keeps a return value as JSON as the SDK would, and of an exception its type and text. Some judgements
ask whether a caller can find something in it (that the answer is incomplete, the text so far), and a caller
has eyes for a dataclass's fields too. So the child puts them into the exit's value before the trace leaves.

Rules of this file:

1. Names stay with their values, and a type's name counts as something said: ``{"class": "Truncated", ...}``.
2. Nothing here raises or goes round in circles; what cannot be looked into is told by its ``repr``.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.trace.document import Trace

DEPTH = 8
"""How deep a value is looked into."""

LONG = 200_000
"""Characters of a text that are kept, half of them from its end."""


class Witness:
    """Stands between the observer and a loop, and keeps what the loop handed back."""

    def __init__(self, loop: Callable[..., Any]) -> None:
        self.returned: Any = None
        self.raised: BaseException | None = None
        self.records: list[Any] = []
        """What the loop logged, or put into the list or callable it was given for that."""
        self._loop = loop
        self._given: Any = None
        self._before: Any = None

    def wrapped(self) -> Callable[..., Any]:
        """Return the loop, watched; it is called and looks like the loop itself."""

        @functools.wraps(self._loop)
        def watched(*args: Any, **keywords: Any) -> Any:
            self._given = keywords.get("messages")
            self._before = self._messages()
            try:
                self.returned = self._loop(*args, **keywords)
            except BaseException as error:
                self.raised = error
                raise
            return self.returned

        return watched

    def complete(self, trace: Trace) -> Trace:
        """Return *trace* with all that was handed back in the value of its exit."""
        end = dataclasses.replace(trace.exit, left=self._left())
        if end.reason == "returned" and type(self.returned).__name__ not in ("generator", "coroutine"):
            value = structured(self.returned)
        elif end.reason == "raised" and self.raised is not None:
            value = _attributes_of(self.raised)
        else:
            value = end.value
        told = dataclasses.replace(end, value=value)
        steps = (*trace.steps[:-1], dataclasses.replace(trace.steps[-1], event=told))
        return dataclasses.replace(trace, steps=steps)

    def _messages(self) -> Any:
        from simulator.trace.jsonable import jsonable

        return jsonable(self._given)

    def _left(self) -> dict[str, Any]:
        """Return what the caller can see besides the value: its list where it was changed, the records."""
        after = self._messages()
        changed = {"messages": after} if after != self._before else {}
        return changed | ({"records": structured(self.records)} if self.records else {})


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


def _structured(value: Any, depth: int) -> Any:
    if isinstance(value, enum.Enum):
        return {"class": type(value).__name__, "name": value.name, "value": structured(value.value, depth)}
    if _is_model(value) or isinstance(value, float):
        from simulator.trace.ending import value_of

        return value_of(value)
    if isinstance(value, Mapping):
        return _message(value) or {str(key): structured(item, depth) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)) and not hasattr(value, "_asdict"):
        return [structured(item, depth) for item in value]
    return _object(value, depth)


def _object(value: Any, depth: int) -> Any:
    from simulator.trace.jsonable import jsonable

    fields = dict(value._asdict()) if hasattr(value, "_asdict") else _fields(value)
    if not fields or isinstance(value, type) or callable(value):
        return jsonable(value)
    if isinstance(value, str):
        fields["text"] = str.__str__(value)
    told = {name: structured(item, depth) for name, item in fields.items()}
    return {"class": type(value).__name__, **told}


def _fields(value: Any) -> dict[str, Any]:
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    found = {name: getattr(value, name) for name in slots if isinstance(name, str) and hasattr(value, name)}
    return found | dict(getattr(value, "__dict__", {}))


def _attributes_of(error: BaseException) -> dict[str, Any]:
    stated = {name: value for name, value in _fields(error).items() if not name.startswith("_abc")}
    if len(error.args) > 1:
        stated["args"] = list(error.args)
    return {name: structured(value, 1) for name, value in stated.items()}


def _message(value: Mapping[Any, Any]) -> Any:
    """Return a response that is a dictionary by now, told as a response is; None for other mappings."""
    if value.get("type") == "message" and "content" in value:
        from simulator.trace.ending import value_of

        return value_of(dict(value))
    return None


def _is_model(value: Any) -> bool:
    pydantic = sys.modules.get("pydantic")
    return pydantic is not None and isinstance(value, pydantic.BaseModel)
