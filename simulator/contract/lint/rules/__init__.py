"""Every rule of the linter, in the order of its id.

A rule is a function from a module that was read to its findings; its sentences stand in the catalogue
``lint`` under its id: ``title``, ``saw``, ``rule``, ``remedy``. An id never changes its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from simulator.contract.lint.facts import Module
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.rules import (
    bounds,
    control,
    defaults,
    errors,
    firsts,
    history,
    results,
    retries,
    signals,
    streams,
    unhandled,
)

Check = Callable[[Module], Iterator[Finding]]

RULES: Mapping[str, tuple[str, Check]] = {
    "AL01": ("prose-control", control.prose_control),
    "AL02": ("unbounded-loop", bounds.unbounded_loop),
    "AL03": ("swallowed-tool-error", errors.swallowed),
    "AL04": ("result-role", results.role),
    "AL05": ("first-block-only", firsts.first_only),
    "AL06": ("missing-tool-use-id", results.call_id),
    "AL07": ("budget-literal", bounds.budget_literal),
    "AL08": ("truncation-as-end", signals.truncation_as_end),
    "AL09": ("results-before-call", history.results_before_call),
    "AL10": ("answer-not-appended", history.answer_not_appended),
    "AL11": ("unhandled-signals", unhandled.unhandled_signals),
    "AL12": ("shared-history", defaults.shared),
    "AL13": ("fragment-parsed", streams.fragment),
    "AL14": ("permanent-retried", retries.permanent),
}
"""Id -> slug and check: ``"AL01": ("prose-control", control.prose)``."""
