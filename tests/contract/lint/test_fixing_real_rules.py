"""``--fix`` by the rules there are, on every loop with a fault that the tests have, and on pieces of them."""

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from simulator.contract.lint import lint_source
from simulator.contract.lint.catalogue import FIXABLE
from simulator.contract.lint.fixing import mend
from simulator.contract.lint.parsing import compiles, parses, with_plain_ends

ROOT = Path(__file__).resolve().parents[3]
CASES = Path(__file__).parent / "cases"
FAULTY = sorted([*CASES.glob("AL*/bad/*.py"), *(ROOT / "tests" / "katas").glob("*/rejected/*.py")])
FIXED_BY = FIXABLE - {"AL91"}


def source(path):
    return path.read_text(encoding="utf-8")


@cache
def found(path):
    return lint_source(source(path))


@cache
def mended(path):
    return mend(source(path), lint_source)


def named(path):
    return "/".join(path.relative_to(ROOT / "tests").parts[-3:])


@pytest.mark.parametrize("path", FAULTY, ids=named)
def test_a_loop_with_a_fault_is_mended_for_good_and_stays_python(path):
    once = mended(path)
    assert compiles(once.whole)
    assert [each.rule for each in once.left if each.fix] == []
    again = mend(once.whole, lint_source)
    assert (again.whole, again.done) == (once.whole, ())
    assert {each.rule for each in once.done} <= FIXABLE


def test_a_rule_is_said_to_mend_if_and_only_if_it_does():
    mending = {each.rule for path in FAULTY for each in found(path) if each.fix}
    assert mending == FIXED_BY


def test_a_fix_puts_in_no_fault_of_another_kind():
    for path in FAULTY:
        before = {each.rule for each in found(path)}
        assert {each.rule for each in mended(path).left} <= before, named(path)


@cache
def mendable():
    return [path for path in FAULTY if any(each.fix for each in found(path))]


@given(st.data())
def test_pieces_of_loops_are_mended_for_good_or_are_no_python(data):
    lines = source(data.draw(st.sampled_from(mendable()))).splitlines()
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        change = data.draw(st.sampled_from(["drop", "twice", "comment", "suppress"]))
        if change == "drop" and len(lines) > 1:
            del lines[at]
        elif change == "twice":
            lines.insert(at, lines[at])
        elif change == "comment":
            lines[at] += "  # é"
        else:
            rule = data.draw(st.sampled_from(sorted(FIXABLE)))
            lines[at] += f"  # loop: ignore[{rule}] tried"
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(lines)
    assume(parses(text))
    once = mend(text, lint_source)
    assert parses(with_plain_ends(once.whole))
    if end == "\r\n":
        assert not re.search(r"(?<!\r)\n", once.whole)
    assert mend(once.whole, lint_source).whole == once.whole
