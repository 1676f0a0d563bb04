"""A checked contract's JSON into the values of ``model.py``; nothing is checked here any more."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from simulator.contract.model import (
    Action,
    Budget,
    Compaction,
    Contract,
    Handlers,
    Prices,
    Progress,
    Request,
    Results,
    Retries,
    Tracing,
    Verification,
)
from simulator.contract.places import pointer
from simulator.contract.schema import part
from simulator.contract.walk import Place
from simulator.wire.message import sha256


def filled(
    value: Any, defaults: Mapping[str, Any], schema: Mapping[str, Any], place: Place = ()
) -> tuple[Any, set[str]]:
    """Return *value* with what *defaults* say where it says nothing, and the pointers of all that.

    What *schema* requires is not made up, even where parts of it have defaults.
    """
    if not isinstance(value, dict):
        return value, set()
    made, left = dict(value), set()
    required = (part(schema, place) or {}).get("required", ())
    for key, default in defaults.items():
        if key not in value and key in required:
            continue
        if key not in value:
            made[key] = deepcopy(default)
            left.add(pointer((*place, key)))
        elif isinstance(default, dict):
            made[key], below = filled(value[key], default, schema, (*place, key))
            left |= below
    return made, left


def contract(value: Mapping[str, Any], defaults: frozenset[str]) -> Contract:
    """Return the contract of *value*, which is whole and holds every rule."""
    said = {key: inner for key, inner in value.items() if key != "$schema"}
    return Contract(
        name=value["name"],
        description=value.get("description"),
        request=_request(value["request"]),
        budget=_budget(value["budget"]),
        signals={name: Action(do["do"], do.get("times")) for name, do in value["signals"].items()},
        results=Results(value["results"].get("max_chars")),
        handlers=Handlers(**value["handlers"]),
        progress=Progress(**value["progress"]),
        retries=Retries(**value["retries"]),
        verification=Verification(**value["verification"]) if "verification" in value else None,
        compaction=Compaction(**value["compaction"]) if "compaction" in value else None,
        tracing=Tracing(**value["tracing"]),
        digest=sha256(said),
        defaults=defaults,
    )


def _request(value: Mapping[str, Any]) -> Request:
    named = ("model", "max_tokens", "system")
    rest = {key: inner for key, inner in value.items() if key not in named}
    return Request(value["model"], value["max_tokens"], value.get("system"), rest)


def _budget(value: Mapping[str, Any]) -> Budget:
    cost = value.get("cost")
    return Budget(
        iterations=value.get("iterations"),
        tokens=value.get("tokens"),
        seconds=value.get("seconds"),
        usd=cost["usd"] if cost else None,
        prices=Prices(**cost["prices"]) if cost else None,
    )
