"""A step <-> its JSON object in the document.

Rules of this file:

1. A field that says nothing (null, or its default) is left out; reading puts it back.
2. A response's ``message`` is stored as ``ref``, its number in the pool.
3. Only objects that the schema has accepted come back in here.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from simulator.trace.build import Step
from simulator.trace.events import KINDS, Event
from simulator.trace.pool import Pool, copy_json

ALWAYS = frozenset({"turn"})


def to_object(step: Step, pool: Pool) -> dict[str, Any]:
    """Return *step* as a JSON object."""
    stated: dict[str, Any] = {"kind": step.event.kind}
    for field in dataclasses.fields(step.event):
        value = getattr(step.event, field.name)
        if field.name == "message" and step.event.kind == "response" and value is not None:
            stated["ref"] = pool.ref(value)
        elif field.name in ALWAYS or not _silent(field, value):
            stated[field.name] = copy_json(value)
    if step.ops:
        stated["ops"] = copy_json(list(step.ops))
    if step.keyframe is not None:
        stated["keyframe"] = [list(run) for run in step.keyframe]
    return stated


def from_object(n: int, stated: dict[str, Any], pool: Pool) -> Step:
    """Return the step number *n* that the JSON object *stated* describes."""
    kind = KINDS[stated["kind"]]
    values = {
        field.name: copy_json(stated[field.name]) if field.name in stated else _default(field)
        for field in dataclasses.fields(kind)
    }
    if "ref" in stated:
        values["message"] = copy_json(pool.messages[stated["ref"]])
    event: Event = kind(**values)
    keyframe = tuple((start, count) for start, count in stated["keyframe"]) if "keyframe" in stated else None
    return Step(n, event, tuple(copy_json(stated.get("ops", []))), keyframe)


def _silent(field: dataclasses.Field[Any], value: Any) -> bool:
    return value is None or (type(value) is type(_default(field)) and value == _default(field))


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if field.default is dataclasses.MISSING else field.default
