"""Mend what can be mended: in a text, and in a file.

Rules of this file:

1. All edits of a finding are made, or none. Of fixes that touch one another the first is made; the text is
   then linted anew, and the next one made, until nothing is left to do.
2. A fix counts only if Python takes the result and the rule finds less than before. What never comes to
   rest is left as it was.
3. A file is replaced in one step, in its own encoding and with its own line ends, and only if it still holds
   what was read.
"""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from simulator import files
from simulator.contract.lint.catalogue import Rules, slugs
from simulator.contract.lint.edits import apply, disjoint
from simulator.contract.lint.finding import Finding
from simulator.contract.lint.parsing import Text, compiles, decode, encode, parses, with_plain_ends
from simulator.contract.lint.problems import BrokenSourceError, Problem
from simulator.contract.lint.rules import RULES
from simulator.contract.lint.run import NOTEBOOK, Linted, findings_in, lint_job, read
from simulator.contract.lint.walk import Job

Lint = Callable[[str], Sequence[Finding]]

PASSES = 100
"""How often a text is linted anew. A fix that waits for another needs one more."""


@dataclass(frozen=True, slots=True)
class Mended:
    """A text that was mended."""

    whole: str
    done: tuple[Finding, ...] = ()
    """What was put right, each at its place at the time."""
    left: tuple[Finding, ...] = ()
    """What is found in the text as it is now."""


def mend(whole: str, lint: Lint) -> Mended:
    """Return *whole* with all mended that *lint* finds and has a fix for; raises what *lint* raises."""
    found = list(lint(with_plain_ends(whole)))
    first = Mended(whole, left=tuple(found))
    sound = compiles if compiles(with_plain_ends(whole)) else parses
    done: list[Finding] = []
    for _ in range(PASSES):
        step = _step(whole, found, lint, sound)
        if step is None:
            return Mended(whole, tuple(done), tuple(found))
        whole, made, found = step
        done += made
    return first


def _step(
    whole: str, found: Sequence[Finding], lint: Lint, sound: Callable[[str], bool]
) -> tuple[str, list[Finding], list[Finding]] | None:
    """Return the text with what fixes can be made at once, those, and what is found then; None for none."""
    before = Counter(each.rule for each in found)
    candidates = [each for each in found if each.fix]
    while True:
        chosen = _sound(whole, disjoint(whole, candidates), sound)
        if not chosen:
            return None
        text = _with(whole, chosen)
        try:
            after = list(lint(with_plain_ends(text)))
        except BrokenSourceError:
            return None
        counts = Counter(each.rule for each in after)
        idle = {each.rule for each in chosen if counts[each.rule] >= before[each.rule]}
        if not idle:
            return text, chosen, after
        candidates = [each for each in candidates if each.rule not in idle]


def _sound(whole: str, chosen: list[Finding], sound: Callable[[str], bool]) -> list[Finding]:
    """Return those of *chosen* that can be made together so that the result is still Python."""
    if not chosen or sound(with_plain_ends(_with(whole, chosen))):
        return chosen
    kept: list[Finding] = []
    for each in chosen:
        if sound(with_plain_ends(_with(whole, [*kept, each]))):
            kept.append(each)
    return kept


def _with(whole: str, findings: Sequence[Finding]) -> str:
    return apply(whole, [edit for each in findings for edit in each.fix])


@dataclass(frozen=True, slots=True)
class Change:
    """What fixing makes of one file."""

    linted: Linted
    """As the file is found afterwards."""
    before: bytes = b""
    after: bytes = b""
    text: tuple[str, str] = ("", "")
    """Before and after, for a comparison."""


def change(job: Job, rules: Rules = RULES) -> Change:
    """Return what fixing makes of the file of *job*; nothing is written."""
    linted = lint_job(job, rules)
    if job.path.suffix == NOTEBOOK or not any(each.fix for each in linted.findings):
        return Change(linted)
    asked = job.settings.asked(slugs(rules), job.path)
    try:
        before = read(job)
        text = decode(before)
        mended = mend(text.whole, lambda source: findings_in(source, job.name, asked, rules))
        after = _encoded(text, mended.whole, before)
    except BrokenSourceError as error:
        return Change(replace(linted, problems=(*linted.problems, error.problem)))
    now = Linted(job.name, with_plain_ends(mended.whole), mended.left, mended=mended.done)
    return Change(now, before, after, (text.whole, mended.whole))


def _encoded(text: Text, whole: str, before: bytes) -> bytes:
    """Return *whole* in the encoding of *text*; raises BrokenSourceError where the file would suffer."""
    try:
        if encode(text) == before:
            return encode(Text(whole, text.encoding))
    except UnicodeError:
        pass
    raise BrokenSourceError(Problem("lint.broken.not_encoded", {"encoding": text.encoding}))


def fix(job: Job, rules: Rules = RULES) -> Linted:
    """Mend the file of *job* and return what is found in it afterwards."""
    changed = change(job, rules)
    if changed.before == changed.after:
        return changed.linted
    try:
        _write(job, changed)
    except (BrokenSourceError, OSError) as error:
        problem = getattr(error, "problem", None) or Problem(
            "lint.broken.unwritable", {"problem": getattr(error, "strerror", None) or type(error).__name__}
        )
        linted = lint_job(job, rules)
        return replace(linted, problems=(*linted.problems, problem))
    return changed.linted


def _write(job: Job, changed: Change) -> None:
    if not os.access(job.path, os.W_OK):
        raise BrokenSourceError(Problem("lint.broken.read_only"))
    if read(job) != changed.before:
        raise BrokenSourceError(Problem("lint.broken.changed"))
    files.put(job.path, changed.after)


_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")


def difference(changed: Change) -> str:
    """Return what fixing would change as a unified diff that ``patch`` takes; "" for nothing."""
    if changed.before == changed.after:
        return ""
    name = changed.linted.name.replace("\\", "/")
    before, after = (_LINE.findall(text) for text in changed.text)
    lines = difflib.unified_diff(before, after, name, name)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
