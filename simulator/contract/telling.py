"""Faults into problems: which are told, in what order, and in what words.

Rules of this file:

1. One problem per fault: a fault in a place whose surroundings are already wrong is left out, and so is the
   lack of a key where a key of nearly that name stands.
2. Of two faults at one place the one of lower rank is told; below 0 are flaws of the text itself.
3. At most ``MOST`` are told: who has more of them has another file than he thinks.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from simulator.contract import schema as shape
from simulator.contract.places import Located, pointer
from simulator.contract.policy import Fault
from simulator.contract.problems import ContractError, Problem, quoted
from simulator.contract.walk import Place
from simulator.text import language, say
from simulator.text.visible import visible

MOST = 100
"""Problems told of one file."""

_LOOKED_AT = 50
"""Unknown keys of one object that are compared with one that is missing."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def error(
    file: str, located: Located, value: Any, schema: Mapping[str, Any], faults: Iterable[Fault]
) -> ContractError | None:
    """Return the refusal of the file for its *faults*, or None where there are none.

    *value* is that of the file with its defaults filled in.
    """
    told = _sifted(list(faults), value, schema)
    ordered = sorted(told, key=lambda fault: (_at(fault, located), fault.rank))
    problems = [_problem(fault, located, value, schema) for fault in ordered[:MOST]]
    return ContractError(file, problems, max(0, len(ordered) - MOST)) if problems else None


def _sifted(faults: list[Fault], value: Any, schema: Mapping[str, Any]) -> list[Fault]:
    alone = [fault for fault in faults if fault.rank < 0 or fault.rule.row.get("alone")]
    if not any(fault.rank >= 0 for fault in alone):
        alone = faults
    first: dict[Place, Fault] = {}
    for fault in sorted(alone, key=lambda fault: fault.rank):
        first.setdefault(fault.place, fault)
    closed = {place for place, fault in first.items() if fault.about in ("value", "key")}
    kept = {p: f for p, f in first.items() if not any(p[:depth] in closed for depth in range(len(p)))}
    # Values cannot be said to go badly together where one of them is wrong by itself.
    spoilt = {place[:depth] for place in kept for depth in range(len(place))}
    hidden = _slips(kept, value, schema) | _unsure(kept)
    return [
        fault
        for place, fault in kept.items()
        if not (fault.about == "together" and place in spoilt) and place not in hidden
    ]


def _slips(faults: Mapping[Place, Fault], value: Any, schema: Mapping[str, Any]) -> set[Place]:
    """Return the places of missing keys that stand there under a name with a slip of the pen."""
    lacking = {place[:-1] for place, fault in faults.items() if fault.about == "missing"}
    unknown: dict[Place, list[str]] = {place: [] for place in lacking}
    for place, fault in faults.items():
        if fault.about == "key" and place[:-1] in lacking and len(unknown[place[:-1]]) < _LOOKED_AT:
            unknown[place[:-1]].append(str(place[-1]))
    near = {(*place, _near((*place, key), value, schema)) for place, keys in unknown.items() for key in keys}
    return {place for place in near if place in faults and faults[place].about == "missing"}


def _unsure(faults: Mapping[Place, Fault]) -> set[Place]:
    """Return the places of keys that may be right or wrong by which of two values of one key counts."""
    twice = {place[:-1] for place, fault in faults.items() if fault.rule.id == "json.duplicate_key"}
    return {
        place
        for place, fault in faults.items()
        if place[:-1] in twice and (fault.about == "missing" or fault.values.get("misplaced"))
    }


def _near(place: Place, value: Any, schema: Mapping[str, Any]) -> str:
    """Return the free key that was most likely meant by the unknown one at *place*, or ""."""
    around = _found(value, place[:-1])
    known = (shape.part(schema, place[:-1]) or {}).get("properties", {})
    free = [key for key in known if not isinstance(around, dict) or key not in around]
    return next(iter(difflib.get_close_matches(str(place[-1])[:100], free, n=1)), "")


def _at(fault: Fault, located: Located) -> tuple[int, int]:
    if fault.at is not None:
        return fault.at
    place = fault.place[:-1] if fault.about == "missing" else fault.place
    return located.at(place, key=fault.about == "key")


def _problem(fault: Fault, located: Located, value: Any, schema: Mapping[str, Any]) -> Problem:
    line, column = _at(fault, located)
    place = fault.place[:-1] if fault.about == "missing" else fault.place
    while not located.has(place):  # what a default says has no place of its own
        place = place[:-1]
    saw, fix = _seen(fault, value, schema)
    if fault.about == "value" and not located.has(fault.place):
        saw = say("contract.read.seen.default", value=saw)
    values = {"fits": shape.fits(schema, fault.place), "fix": fix, **fault.values}
    row, lang = fault.rule.row, language()
    return Problem(
        rule=fault.rule.id,
        pointer=pointer(place),
        line=line,
        column=column,
        saw=str(fault.values.get("saw", saw)),
        reason=filled_in(row["reason"][lang], values),
        remedy=filled_in(row["remedy"][lang], values),
    )


def _seen(fault: Fault, value: Any, schema: Mapping[str, Any]) -> tuple[str, str]:
    """Return what was seen, and what would mend it."""
    name = quoted(fault.place[-1]) if fault.place else ""
    if fault.about == "missing":
        around = pointer(fault.place[:-1])
        given = shape.example(schema, fault.place)
        fix = f"{name}: {given}" if given else name
        where = "missing" if around else "root"
        return say(f"contract.read.seen.{where}", **{"key": name, "place": visible(around)[:120]}), fix
    if fault.about == "key":
        return say("contract.read.seen.key", key=name), _instead(fault, value, schema)
    return quoted(_found(value, fault.place)), ""


def _instead(fault: Fault, value: Any, schema: Mapping[str, Any]) -> str:
    place = fault.place
    if fault.values.get("misplaced"):
        around = _found(value, place[:-1])
        return say("contract.read.fix.misplaced", key=quoted(place[-1]), around=quoted(around))
    near = _near(place, value, schema)
    if near:
        return say("contract.read.fix.near", key=quoted(near))
    known = (shape.part(schema, place[:-1]) or {}).get("properties", {})
    return say("contract.read.fix.known", known=", ".join(known))


def _found(value: Any, place: Place) -> Any:
    for step in place:
        if isinstance(value, dict):
            value = value.get(str(step))
        else:
            value = value[int(step)] if isinstance(value, list) and int(step) < len(value) else None
    return value


def filled_in(words: str, values: Mapping[str, object]) -> str:
    """Return *words* with the values that they name; a brace that names none stays."""
    return _PLACEHOLDER.sub(lambda name: str(values.get(name.group(1), name.group())), words)
