"""Is this JSON object a whole trace? What the schema says, and what a schema cannot say.

Rules of this file:

1. The first thing wrong is said in one sentence with its place; a document that passes can be read without
   any further check.
2. Work and memory stay in proportion to the document: what a number in it claims (a keyframe of a billion
   messages) is checked before it is believed.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from simulator.schemas import library
from simulator.text import say
from simulator.text.visible import visible
from simulator.trace.faults import TraceError
from simulator.trace.pool import apply, fault, ranges
from simulator.wire.message import canonical_json

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

MAX_DEPTH = 200
"""How deep values may nest. The deepest recorded request of a real project nests 20 deep."""

FILE = Path(__file__).with_name("trace.schema.json")


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the JSON Schema of a trace document. It is shared: do not change it."""
    loaded: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return loaded


def check(document: dict[str, Any], path: Path | None) -> None:
    """Raise TraceError, naming the file *path* if there is one, unless *document* is a whole trace."""
    try:
        _header(document)
        _depth(document)
        error = next(_validator().iter_errors(document), None)
        if error is not None:
            raise TraceError(_schema_sentence(error))
        _pool(document["pool"])
        _states(document)
    except TraceError as error:
        raise TraceError(str(error), path) from None


def _header(document: dict[str, Any]) -> None:
    """A file of another format or version is told apart from a damaged one."""
    from simulator.trace.document import FORMAT, VERSION

    if document.get("format") != FORMAT:
        raise TraceError(say("trace.load.format", seen=_short(document.get("format")), wanted=FORMAT))
    version = document.get("version")
    if version != VERSION or type(version) is not int:
        raise TraceError(say("trace.load.version", seen=_short(version), wanted=VERSION))


def _depth(document: dict[str, Any]) -> None:
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        level = [child for value in level for child in _children(value)]
        if not level:
            return
    raise TraceError(say("trace.load.deep"))


def _children(value: Any) -> list[Any]:
    inside = value.values() if isinstance(value, dict) else value
    return [child for child in inside if isinstance(child, (dict, list)) and child]


@lru_cache(maxsize=1)
def _validator() -> Validator:
    jsonschema: Any = library()
    draft = jsonschema.Draft202012Validator
    # JSON Schema counts 1.0 among the integers; a list index it is not.
    checker = draft.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    made: Validator = jsonschema.validators.extend(draft, type_checker=checker)(schema())
    return made


def _schema_sentence(error: ValidationError) -> str:
    """Return what the schema says, without the document that it says it about."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.path))
    place = ".".join(str(part) for part in error.absolute_path) or "/"
    rule: Any = error.validator_value
    if error.validator == "required" and isinstance(error.instance, dict):
        rule = [name for name in rule if name not in error.instance]
    return say(
        "trace.load.schema",
        place=place,
        seen=_short(error.instance),
        keyword=error.validator,
        rule=_short(rule),
    )


def _short(value: Any) -> str:
    text = visible(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= 60 else f"{text[:59]}…"


def _pool(pool: list[Any]) -> None:
    seen: dict[str, int] = {}
    for place, message in enumerate(pool):
        first = seen.setdefault(canonical_json(message), place)
        if first != place:
            raise TraceError(say("trace.pool_twice", first=first, second=place))


def _states(document: dict[str, Any]) -> None:
    """Play the operations through and compare every keyframe with the state it stands for."""
    refs: list[int] = []
    size, steps = len(document["pool"]), document["steps"]
    for n, step in enumerate(steps):
        if step.get("ref", 0) >= size and "ref" in step:
            _points_outside(n)
        for op in step.get("ops", []):
            if fault(len(refs), op, size):
                _points_outside(n)
            apply(refs, [op])
        if "keyframe" in step and [list(run) for run in ranges(refs)] != step["keyframe"]:
            raise TraceError(say("trace.keyframe", step=n))
        if (step["kind"] == "exit") != (n == len(steps) - 1):
            raise TraceError(say("trace.exit_last", step=n, seen=step["kind"]))


def _points_outside(n: int) -> NoReturn:
    raise TraceError(say("trace.points_outside", step=n))
