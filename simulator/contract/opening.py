"""A file opened and read as JSON, or the one sentence that says why that cannot be.

Rules of this file:

1. What is no JSON has one problem: behind the first slip nobody can say what was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.contract.places import Limits, Located, NoJsonError, locate
from simulator.contract.policy import About, Fault, Policy
from simulator.contract.problems import ContractError, Problem, quoted
from simulator.contract.source import Source, UnreadableError, content
from simulator.contract.telling import filled_in
from simulator.text import language, say
from simulator.text.visible import visible

_LONGEST = 40
"""Characters of the file shown in one sentence."""


def opened(file: str, source: Source, rules: Policy, limits: Limits) -> Located:
    """Return the JSON of *source*, told as *file*. Raises ContractError, in the words of *rules*."""
    try:
        raw = content(source, limits.bytes)
        return locate(raw, limits)
    except UnreadableError as error:
        saw = visible(str(error)) or say("contract.read.no_file")
        raise ContractError(file, [_only("file.unreadable", rules, {"saw": saw})]) from None
    except NoJsonError as error:
        problem = _only(error.rule, rules, _said(error.rule, error.values), error.line, error.column)
        raise ContractError(file, [problem]) from None


def flaws(located: Located, rules: Policy) -> Iterator[Fault]:
    """Yield what JSON lets pass and a contract does not, as faults; they weigh more than any other."""
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
    seen = {**values, "seen": _short(str(values.get("seen", "")))}
    match rule:
        case "json.syntax" | "json.encoding":
            kind = f"{rule.removeprefix('json.')}.{seen.pop('kind')}"
            saw = say(f"contract.read.{kind}", seen=seen["seen"])
            return {"saw": saw, "fix": say(f"contract.read.mend.{kind}")}
        case "json.too_large":
            return {
                "saw": say(f"contract.read.many.{seen['unit']}", limit=seen["limit"]),
                "limit": seen["limit"],
            }
        case "json.too_deep":
            return {"saw": say("contract.read.level", level=int(seen["limit"]) + 1), "limit": seen["limit"]}
        case "json.duplicate_key":
            return {"saw": say("contract.read.twice", key=seen["key"], line=seen["line"])}
        case _:
            return {"saw": seen["seen"]}


def _short(text: str) -> str:
    """Return the first line of *text*, cut, with nothing in it that cannot be seen."""
    first = visible(text.split("\n")[0])
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"


def _only(
    rule: str, rules: Policy, values: Mapping[str, object], line: int | None = None, column: int | None = None
) -> Problem:
    row, lang = rules.words(rule).row, language()
    words = [filled_in(row[part][lang], values) for part in ("reason", "remedy")]
    return Problem(rule, "", line, column, str(values["saw"]), *words)
