"""Can the gate call this? The parameters of a function, held against what a loop is given.

Rules of this file:

1. Parameters are matched by name, and a loop is given only what it names. ``**keywords`` names everything.
2. A loop has to ask for the client, or it would ask a model that nobody recorded, and for the conversation,
   its tools and their handlers, or it would play another one. One that names ``scenario`` finds these there.
3. What it needs besides must have a default: its limits are its own.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any

from simulator.gate.problems import Problem, UnloadableError
from simulator.trace.calling import MAIN
from simulator.trace.source import signature_of

GIVEN = (*MAIN, "system", "model", "max_tokens", "scenario")
"""What a loop can have, by name."""

ALIKE = {
    "messages": ("history", "conversation", "msgs", "message_list", "transcript"),
    "handlers": ("tool_handlers", "functions", "tool_functions", "callbacks", "registry", "tool_map"),
    "tools": ("tool_definitions", "tool_specs", "schemas", "tool_schemas"),
    "client": ("anthropic_client", "llm", "api", "sdk"),
    "system": ("system_prompt", "instructions"),
}
"""Other names under which loops know what the gate gives."""


def check(function: Callable[..., Any], name: str) -> None:
    """Raise UnloadableError, with a code of its own, when the gate cannot call *function*."""
    if inspect.isclass(function):
        raise _problem("class", name=name)
    if not callable(function):
        raise _problem("not_callable", name=name, kind=type(function).__name__)
    try:
        parameters = signature_of(function).parameters
    except (TypeError, ValueError):
        raise _problem("no_signature", name=name) from None
    kinds = {parameter.kind for parameter in parameters.values()}
    named = [each for each, parameter in parameters.items() if parameter.kind not in _VARIABLE]
    if named[:1] in (["self"], ["cls"]):
        raise _problem("method", name=name)
    _check_needed(parameters, named, name)
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        _check_asked(named, name)


_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _check_needed(parameters: Any, named: list[str], name: str) -> None:
    for each in named:
        if each in GIVEN or parameters[each].default is not inspect.Parameter.empty:
            continue
        near = _alike(each, named)
        if near:
            raise _problem("renamed", name=name, parameter=each, near=near)
        raise _problem("needs", name=name, parameter=each, given=", ".join(GIVEN))


def _check_asked(named: list[str], name: str) -> None:
    if "client" not in named:
        raise _problem("no_client", name=name)
    missing = [each for each in MAIN if each not in named]
    if missing and "scenario" not in named:
        raise _problem("no_part", name=name, missing=", ".join(missing))


def _alike(parameter: str, named: list[str]) -> str | None:
    """Return what the gate gives that *parameter* seems to mean, unless the loop asks for that as well."""
    free = [each for each in GIVEN if each not in named]
    for each in free:
        if parameter in ALIKE.get(each, ()):
            return each
    return next(iter(difflib.get_close_matches(parameter, free, n=1, cutoff=0.75)), None)


def _problem(code: str, **facts: Any) -> UnloadableError:
    return UnloadableError(Problem(f"gate.target.{code}", facts))
