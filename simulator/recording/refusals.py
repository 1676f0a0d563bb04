"""The first thing wrong with a screenplay by its JSON Schema, in one sentence a writer can act on.

Rules of this file:

1. Of several faults the deepest is told first: the writer got that far, so that is what he meant.
2. The validator's own English is never shown; its keyword chooses our sentence.
"""

from __future__ import annotations

import json
from typing import Any

from simulator.recording.marked import Marked, Place, ScreenplayError
from simulator.schemas import library

_KINDS = {
    "object": "screenplay.kind.object",
    "array": "screenplay.kind.array",
    "string": "screenplay.kind.string",
    "integer": "screenplay.kind.integer",
    "number": "screenplay.kind.number",
    "boolean": "screenplay.kind.boolean",
}


def first_refusal(source: Marked, schema: dict[str, Any]) -> ScreenplayError | None:
    """Return the error about the first value of *source* that *schema* does not allow, or None."""
    jsonschema: Any = library()
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(source.value))
    return None if error is None else _told(source, error)


def _told(source: Marked, error: Any) -> ScreenplayError:
    place: Place = tuple(error.absolute_path)
    match error.validator:
        case "additionalProperties":
            known = sorted(error.schema.get("properties", {}))
            key = next((key for key in error.instance if key not in known), "?")
            return source.error((*place, str(key)), "screenplay.unknown_key", key=key, known=", ".join(known))
        case "required":
            missing = next(key for key in error.validator_value if key not in error.instance)
            return source.error(place, "screenplay.missing_key", key=missing)
        case "type":
            return source.error(place, "screenplay.wrong_kind", saw=_short(error.instance), kind=_kind(error))
        case "enum":
            allowed = ", ".join(str(value) for value in error.validator_value)
            return source.error(place, "screenplay.not_one_of", saw=_short(error.instance), allowed=allowed)
        case "const":
            allowed = error.validator_value
            return source.error(place, "screenplay.not_one_of", saw=_short(error.instance), allowed=allowed)
        case _:
            hint = error.schema.get("description") if isinstance(error.schema, dict) else None
            rule = f"{error.validator}: {_short(error.validator_value)}"
            return source.error(place, "screenplay.unfit", saw=_short(error.instance), rule=hint or rule)


def _kind(error: Any) -> str:
    from simulator.text import say

    # Only JSON itself may be of several kinds.
    kind = error.validator_value
    return say(_KINDS[kind] if isinstance(kind, str) else "screenplay.kind.json")


def _short(value: object, limit: int = 60) -> str:
    """Return *value* as JSON on one line, cut where it gets long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= limit else text[: limit - 1] + "…"
