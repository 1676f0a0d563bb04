"""What a tool takes, read once from its schema and its handler, and held against each call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.loop.answers import wrong_arguments
from simulator.text import say


@dataclass(frozen=True, slots=True)
class Accepts:
    """What the handler of one tool can be called with."""

    name: str
    required: tuple[str, ...]
    """What the schema, or a parameter without a default, demands."""
    known: tuple[str, ...]
    """What the model is told that it takes."""
    parameters: frozenset[str] | None
    """All that the handler takes; None where it takes anything, or does not say."""

    @classmethod
    def of(cls, name: str, handler: Callable[..., Any], schema: object) -> Accepts:
        """Return what *handler* takes as the tool *name* with this ``input_schema``."""
        stated = schema if isinstance(schema, Mapping) else {}
        required = [key for key in stated.get("required") or [] if isinstance(key, str)]
        known = tuple(stated.get("properties") or {})
        try:
            parameters = inspect.signature(handler).parameters.values()
        except (TypeError, ValueError):
            return cls(name, tuple(required), known, None)  # a builtin that does not say what it takes
        if any(each.kind is each.VAR_KEYWORD for each in parameters):
            return cls(name, tuple(required), known, None)
        usable = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
        names = [each.name for each in usable]
        demanded = [each.name for each in usable if each.default is each.empty and each.name not in required]
        return cls(name, (*required, *demanded), known or tuple(names), frozenset(names))

    def problem(self, given: object) -> str | None:
        """Return what is wrong with the input of a call, for the model; None where nothing is."""
        if not isinstance(given, dict):
            return say("loop.model.no_object", name=self.name)
        missing = [key for key in self.required if key not in given]
        strange = [key for key in given if self.parameters is not None and key not in self.parameters]
        if missing or strange:
            return wrong_arguments(self.name, missing, strange, list(self.known))
        return None
