"""The policy: limits, defaults and rejection rules of a contract, as data with words in both languages.

Rules of this file:

1. ``loop-policy.json`` is the policy. Another one may add rules, change words, defaults and limits; it holds
   every shipped rule with the test that it has there, so that what compiles has passed them all.
2. A rule that is broken is a :class:`Fault`; the words are found when it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from simulator.contract.places import Limits
from simulator.contract.schema import shipped, validator
from simulator.contract.walk import Place

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

FILE = "loop-policy.json"

TESTS = ("at", "if", "require", "refuse", "keys", "compare", "doubles", "most", "when_missing", "alone")
"""What decides whether a rule is broken; the rest of a row is words."""


About = Literal["value", "key", "missing", "together"]
"""What of a place is wrong: its value, its key, that it is not there, how values below it go together."""

_OFTEN = 5
"""A number is doubled at most so often; a larger count is told as that."""

ABSENT: Any = object()
"""The value of a place that is not there."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the policy: ``patterns`` are its places, ``around`` its "if", ``test`` its JSON Schema."""

    id: str
    row: Mapping[str, Any]
    patterns: tuple[Place, ...] = ()
    around: Validator | None = None
    test: Validator | None = None

    @property
    def about(self) -> About:
        """What is wrong where it is broken; a rule that refuses any value is about the key."""
        if "keys" in self.row or self.row.get("refuse") == {}:
            return "key"
        return "together" if "compare" in self.row else "value"

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Rule:
        """Return the rule of *row*, which the policy's schema allows."""
        at = row.get("at", [])
        patterns = [_steps(p) for p in ([at] if isinstance(at, str) else at)]
        tested = next((validator(row[name]) for name in ("require", "refuse", "keys") if name in row), None)
        around = validator(row["if"]) if "if" in row else None
        return cls(row["id"], row, tuple(patterns), around, tested)

    def holds(self, around: Any) -> bool:
        """Say whether this rule is one for an object like *around*."""
        return self.around is None or self.around.is_valid(around)

    def broken(self, place: Place, around: Any, value: Any, whole: Any) -> bool:
        """Say whether *value*, which stands at *place* of *whole*, breaks this rule."""
        if not self.holds(around):
            return False
        if value is ABSENT:
            return "when_missing" in self.row
        if self.test is not None:
            tested = place[-1] if place and "keys" in self.row else value
            return self.test.is_valid(tested) is ("refuse" in self.row)
        if "doubles" in self.row:
            return _exceeds(_at(whole, _steps(self.row["doubles"])), value, self.row["most"])
        return "compare" in self.row and not _compares(value, *self.row["compare"])


@dataclass(frozen=True, slots=True)
class Policy:
    """Limits of the file, what holds where a contract says nothing, and the rules, in order of weight."""

    limits: Limits
    defaults: Mapping[str, Any]
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Policy:
        """Return the policy of *document*, which the policy's schema allows."""
        rules = tuple(map(Rule.of, document["rules"]))
        return cls(Limits(**document["limits"]), document["defaults"], rules)

    def words(self, rule_id: str) -> Rule:
        """Return the row that has the words for the rule *rule_id* where no place has words of its own."""
        return next(rule for rule in self.rules if rule.id == rule_id and not rule.patterns)


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule broken at ``place``, not yet told.

    ``rank``: of two faults at one place the lower is told. ``values`` fill the words; ``at`` is the line and
    column where they are not those of ``place``.
    """

    rule: Rule
    place: Place
    rank: int
    about: About = "value"
    values: Mapping[str, object] = field(default_factory=dict)
    at: tuple[int, int] | None = None


@lru_cache(maxsize=1)
def shipped_policy() -> Policy:
    """Return the shipped policy."""
    return Policy.of(shipped(FILE))


def faults(policy: Policy, value: Any) -> Iterator[Fault]:
    """Yield where *value* breaks a rule of *policy* that looks at a place."""
    for rank, rule in enumerate(policy.rules):
        for pattern in rule.patterns:
            for place, around, found in _places(pattern, value):
                if rule.broken(place, around, found, value):
                    about = "missing" if found is ABSENT else rule.about if place else "value"
                    yield Fault(rule, place, rank, about)


def _places(pattern: Place, value: Any) -> Iterator[tuple[Place, Any, Any]]:
    """Yield each place that fits *pattern*, the object around it, and its value, ``ABSENT`` for none."""
    found: list[tuple[Place, Any, Any]] = [((), None, value)]
    for step in pattern:
        below: list[tuple[Place, Any, Any]] = []
        for place, _, inner in found:
            if step == "*":
                children = (
                    inner.items()
                    if isinstance(inner, dict)
                    else enumerate(inner)
                    if isinstance(inner, list)
                    else ()
                )
                below += [((*place, key), inner, child) for key, child in children]
            elif isinstance(inner, dict):
                below.append(((*place, step), inner, inner.get(step, ABSENT)))
        found = below
    yield from found


def children(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return the keys or indices of *value* with what stands there; a plain value has none."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def _steps(pointer: str) -> Place:
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def _at(value: Any, place: Place) -> Any:
    for step in place:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _exceeds(start: Any, times: Any, most: int) -> bool:
    """Say whether *start*, doubled, exceeds *most*; false where one is wrong by itself: others tell that."""
    if type(start) is not int or type(times) is not int or start > most:
        return False
    return 0 <= times <= _OFTEN and start * 2**times > most


def _compares(value: Any, left: str, how: str, right: str) -> bool:
    """Say whether two numbers of an object compare; true where one of them is none: others tell that."""
    low, high = (value.get(key) if isinstance(value, dict) else None for key in (left, right))
    if not (_is_number(low) and _is_number(high)):
        return True
    return bool(low < high if how == "<" else low <= high)


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
