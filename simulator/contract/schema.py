"""The JSON Schema of a contract: validators, and what it says about one place in words.

Rules of this file:

1. The shipped schema is read once and never changed.
2. A pattern that is anchored holds for the whole text: ``$`` alone would let a line end through in Python,
   and in no editor.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.contract.walk import Place
from simulator.schemas import library
from simulator.text import say

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

CONTRACT = "loop-contract.schema.json"
POLICY = "loop-policy.schema.json"

_HERE = Path(__file__).parent


@lru_cache(maxsize=4)
def shipped(name: str) -> dict[str, Any]:
    """Return the shipped JSON file *name*. It is shared: do not change it."""
    return dict(json.loads((_HERE / name).read_text(encoding="utf-8")))


def validator(schema: Any) -> Validator:
    """Return a validator of *schema*, which may refer to ``loop-contract.schema.json#/$defs/…``."""
    made: Validator = _class()(schema, registry=_registry(), format_checker=_dates())
    return made


@lru_cache(maxsize=1)
def _class() -> Any:
    jsonschema: Any = library()
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": _pattern})


@lru_cache(maxsize=1)
def _dates() -> Any:
    jsonschema: Any = library()
    return jsonschema.FormatChecker(formats=("date",))


@lru_cache(maxsize=1)
def _registry() -> Any:
    library()
    from referencing import Registry, Resource

    resource: Resource[Any] = Resource.from_contents(shipped(CONTRACT))
    registry: Registry[Any] = Registry().with_resource(CONTRACT, resource)
    return registry


def _pattern(_: Validator, pattern: str, instance: Any, __: Any) -> Iterator[Any]:
    if not isinstance(instance, str):
        return
    anchored = pattern.startswith("^") and pattern.endswith("$")
    found = re.fullmatch(pattern[1:-1], instance) if anchored else re.search(pattern, instance)
    if not found:
        jsonschema: Any = library()
        yield jsonschema.ValidationError("pattern")


def part(schema: Mapping[str, Any], place: Place) -> Mapping[str, Any] | None:
    """Return what *schema* says about the value at *place*, or None where it knows no such place."""
    here: Any = _followed(schema, schema)
    for step in place:
        here = here.get("items") if isinstance(step, int) else here.get("properties", {}).get(step)
        if not isinstance(here, Mapping):
            return None
        here = _followed(schema, here)
    return dict(here)


def _followed(schema: Mapping[str, Any], here: Any) -> Any:
    while "$ref" in here:
        target: Any = schema
        for step in here["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        here = target
    return here


def refers(reference: str) -> bool:
    """Say whether *reference* leads to a part of the contract's schema."""
    file, _, path = reference.partition("#/")
    here: Any = shipped(CONTRACT)
    for step in path.split("/"):
        here = here.get(step) if isinstance(here, dict) else None
    return file == CONTRACT and isinstance(here, dict)


def example(schema: Mapping[str, Any], place: Place) -> str | None:
    """Return JSON that fits at *place*, or None."""
    here = part(schema, place) or {}
    for key in ("default", "const"):
        if key in here:
            return _json(here[key])
    for key in ("examples", "enum"):
        if here.get(key):
            return _json(here[key][0])
    return None


def fits(schema: Mapping[str, Any], place: Place) -> str:
    """Return in words what *schema* lets stand at *place*: ``a whole number from 1 to 5``."""
    here = part(schema, place) or {}
    if "const" in here:
        return _json(here["const"])
    if "enum" in here:
        return say("contract.read.fits.enum", allowed=", ".join(map(_json, here["enum"])))
    match here.get("type"):
        case "integer":
            return say("contract.read.fits.integer", low=here["minimum"], high=here["maximum"])
        case "number" if "minimum" in here:
            return say("contract.read.fits.number", low=here["minimum"], high=here["maximum"])
        case "number":
            return say("contract.read.fits.above", low=here["exclusiveMinimum"], high=here["maximum"])
        case "string" if "pattern" in here and here.get("examples"):
            return say("contract.read.fits.form", example=_json(here["examples"][0]))
        case "string":
            low, high = here.get("minLength", 0), here.get("maxLength", 0)
            return say("contract.read.fits.string", low=low, high=high)
        case "boolean":
            return say("contract.read.fits.boolean")
        case "array":
            return say("contract.read.fits.array", high=here.get("maxItems", ""))
        case _:
            return say("contract.read.fits.object", example=example(schema, place) or "{}")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
