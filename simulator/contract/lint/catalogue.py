"""The names of the rules, and what is said about a finding.

Rules of this file:

1. A rule goes by its id or by its slug, in any case. Both stay what they are.
2. A title and the sentence why hold for the rule itself, so ``--list`` can say them without a finding.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from simulator.contract.lint.finding import Finding
from simulator.contract.lint.rules import RULES, Check
from simulator.text import say
from simulator.text.visible import visible

Rules = Mapping[str, tuple[str, Check]]

WITHOUT_REASON, UNUSED = "AL90", "AL91"

ABOUT_SUPPRESSIONS = {WITHOUT_REASON: "suppression-without-reason", UNUSED: "unused-suppression"}
"""What is found about the comments that suppress findings: id -> slug."""

FIXABLE = frozenset({"AL03", "AL04", "AL06", "AL07", "AL09", "AL12", UNUSED})
"""Rules of which some findings have a fix."""

PARTS = ("saw", "rule", "remedy")


@dataclass(frozen=True, slots=True)
class Told:
    """A finding in words: what was seen, why it matters, what to do; safe to show."""

    title: str
    saw: str
    rule: str
    remedy: str


def slugs(rules: Rules = RULES) -> dict[str, str]:
    """Return every rule, id -> slug, in the order of the ids."""
    named = {rule: slug for rule, (slug, _) in rules.items()} | ABOUT_SUPPRESSIONS
    return dict(sorted(named.items()))


def resolve(word: str, named: Mapping[str, str]) -> str | None:
    """Return the id that *word* (an id or a slug) means among *named* (id -> slug), or None."""
    wanted = word.strip().lower()
    return next((rule for rule, slug in named.items() if wanted in (rule.lower(), slug)), None)


def near(word: str, known: Iterable[str]) -> str | None:
    """Return the one of *known* that *word* comes close to."""
    by_lower = {each.lower(): each for each in known}
    found = difflib.get_close_matches(word.strip().lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[found[0]] if found else None


def told(finding: Finding, lang: str | None = None) -> Told:
    """Return the sentences of *finding*."""
    said = {part: say(f"lint.{finding.rule}.{part}", lang, **finding.facts) for part in PARTS}
    return Told(title(finding.rule, lang), **{part: visible(text) for part, text in said.items()})


def title(rule: str, lang: str | None = None) -> str:
    """Return the title of a rule by its id."""
    return say(f"lint.{rule}.title", lang)


def why(rule: str, lang: str | None = None) -> str:
    """Return why a rule is one."""
    return say(f"lint.{rule}.rule", lang)
