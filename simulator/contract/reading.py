"""Read a contract: all that is wrong with it at once, or the values of ``model.py``.

Rules of this file:

1. Nothing of a contract is ever executed, and nothing of it decides which file is read.
2. In this order: the file, its JSON, the policy and the schema together, the API's own rules. Whoever cannot
   be asked because of what was found before is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.contract import by_api, by_schema, telling
from simulator.contract import policy as policies
from simulator.contract.build import contract, filled
from simulator.contract.model import Contract
from simulator.contract.places import Located, NoJsonError, locate
from simulator.contract.policy import About, Fault, Policy, shipped_policy
from simulator.contract.problems import ContractError, Problem, problems_as_dicts, quoted
from simulator.contract.schema import CONTRACT, shipped
from simulator.contract.source import Source, UnreadableError, content, name_of
from simulator.text import language, say
from simulator.text.visible import visible

__all__ = ["ContractError", "Policy", "Problem", "problems_as_dicts", "read"]


def read(source: Source, *, policy: Policy | Source | None = None) -> Contract:
    """Return the contract in the file *source* (a path), or in the bytes *source*.

    *policy*: another one than the shipped, itself or as a file. Raises ContractError with all problems.
    """
    rules = shipped_policy() if policy is None else policy_of(policy)
    file = name_of(source)
    located = _located(file, source, rules)
    value, defaults = filled(located.value, rules.defaults, shipped(CONTRACT))
    found = [*_flaws(located, rules), *policies.faults(rules, value)]
    found += by_schema.faults(rules, shipped(CONTRACT), value)
    if not any(fault.place[:1] == ("request",) or not fault.place for fault in found):
        found += by_api.faults(rules, value.get("request", {}))
    refusal = telling.error(file, located, value, shipped(CONTRACT), found)
    if refusal is not None:
        raise refusal
    return contract(value, frozenset(defaults))


def policy_of(source: Policy | Source) -> Policy:
    """Return *source*, read where it is a file. Raises ContractError about the policy's file."""
    return source if isinstance(source, Policy) else shipped_policy()


def _located(file: str, source: Source, rules: Policy) -> Located:
    try:
        raw = content(source, rules.max_bytes)
        return locate(raw, max_bytes=rules.max_bytes, max_depth=rules.max_depth)
    except UnreadableError as error:
        saw = visible(str(error)) or say("contract.read.no_file")
        raise ContractError(file, [_only("file.unreadable", rules, {"saw": saw})]) from None
    except NoJsonError as error:
        problem = _only(error.rule, rules, _said(error.rule, error.values), error.line, error.column)
        raise ContractError(file, [problem]) from None


def _flaws(located: Located, rules: Policy) -> Iterator[Fault]:
    for rank, flaw in enumerate(located.flaws):
        values = dict(flaw.values)
        if "earlier" in values:
            values["line"] = located.lines.at(int(str(values["earlier"])))[0]
            values["key"] = quoted(flaw.place[-1])
        about: About = "key" if flaw.key else "value"
        said, at = _said(flaw.rule, values), located.lines.at(flaw.offset)
        yield Fault(rules.words(flaw.rule), flaw.place, rank - len(located.flaws), about, said, at)


def _said(rule: str, values: Mapping[str, Any]) -> dict[str, object]:
    """Return what a fault of the file itself is told with: what was seen, and what would mend it."""
    seen = {**values, "seen": visible(str(values.get("seen", "")))}
    match rule:
        case "json.syntax" | "json.encoding":
            kind = f"{rule.removeprefix('json.')}.{seen.pop('kind')}"
            saw = say(f"contract.read.{kind}", seen=seen["seen"])
            return {"saw": saw, "fix": say(f"contract.read.mend.{kind}")}
        case "json.too_large":
            return {"saw": say("contract.read.bytes", limit=seen["limit"]), "limit": seen["limit"]}
        case "json.too_deep":
            return {"saw": say("contract.read.level", level=int(seen["limit"]) + 1), "limit": seen["limit"]}
        case "json.duplicate_key":
            return {"saw": say("contract.read.twice", key=seen["key"], line=seen["line"])}
        case _:
            return {"saw": seen["seen"]}


def _only(
    rule: str, rules: Policy, values: Mapping[str, object], line: int | None = None, column: int | None = None
) -> Problem:
    row, lang = rules.words(rule).row, language()
    words = [telling.filled_in(row[part][lang], values) for part in ("reason", "remedy")]
    return Problem(rule, "", line, column, str(values["saw"]), *words)
