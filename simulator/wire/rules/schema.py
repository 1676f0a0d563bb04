"""Whether a JSON schema is evidently not one of draft 2020-12.

Not a validator of schemas: it knows the shape of the keywords that tools use, so what it calls broken is
broken, and it may overlook a rarer fault. It needs no library and never recurses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_ONE = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")
_MANY = ("anyOf", "allOf", "oneOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "dependentSchemas")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def is_broken(schema: object) -> bool:
    """Say whether *schema*, or a schema inside it, breaks the draft. ``items: [...]`` of draft 4 does."""
    waiting = [schema]
    while waiting:
        current = waiting.pop()
        if isinstance(current, bool):
            continue
        if not isinstance(current, dict) or not all(_keywords(current)):
            return True
        waiting += _inside(current)
    return False


def _keywords(schema: dict[str, Any]) -> Iterator[bool]:
    """Yield, for each keyword of *schema* that has a rule, whether it keeps it."""
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        yield all(isinstance(name, str) and name in _TYPES for name in types)
    if "required" in schema:
        required = schema["required"]
        yield isinstance(required, list) and all(isinstance(name, str) for name in required)
    if "enum" in schema:
        yield isinstance(schema["enum"], list)
    for key in _MANY:
        yield key not in schema or (isinstance(schema[key], list) and bool(schema[key]))
    for key in _NAMED:
        yield isinstance(schema.get(key, {}), dict)
    for key in _NUMBERS:
        yield key not in schema or (
            isinstance(schema[key], int | float) and not isinstance(schema[key], bool)
        )


def _inside(schema: dict[str, Any]) -> list[object]:
    inside: list[object] = [schema[key] for key in _ONE if key in schema]
    for key in _MANY:
        inside += schema.get(key, [])
    for key in _NAMED:
        inside += schema.get(key, {}).values()
    return inside
