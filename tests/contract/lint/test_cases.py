"""Small loops of every style: what a rule finds in bad ones, and that it is silent on good ones.

A bad one begins with ``# finds: AL02 at line 9`` (several: ``AL02 at line 9, AL08 at line 12``). All rules
run on all of them. What stands there is all that is found.
"""

import re
from pathlib import Path

import pytest

from simulator.contract.lint.rules import RULES
from simulator.contract.lint.run import lint_source

CASES = Path(__file__).parent / "cases"
BAD = sorted(CASES.glob("AL*/bad/*.py"))
GOOD = sorted(CASES.glob("AL*/good/*.py"))
EXPECTED = re.compile(r"(AL\d\d) at line (\d+)")


def named(paths):
    return [pytest.param(path, id=f"{path.parents[1].name}-{path.stem}") for path in paths]


def found(path):
    source = path.read_text(encoding="utf-8")
    return source, [(each.rule, each.place.line) for each in lint_source(source, path.name)]


@pytest.mark.parametrize("path", named(BAD))
def test_a_bad_loop_has_its_findings_and_no_others(path):
    source, findings = found(path)
    head = source.partition("\n")[0]
    assert head.startswith("# finds: "), "the first line says what is found"
    assert findings == sorted(
        [(rule, int(line)) for rule, line in EXPECTED.findall(head)], key=lambda f: f[1]
    )


@pytest.mark.parametrize("path", named(GOOD))
def test_a_good_loop_has_no_findings(path):
    assert found(path)[1] == []


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_has_six_bad_and_six_good_cases(rule):
    assert len([path for path in BAD if path.parents[1].name == rule]) >= 6
    assert len([path for path in GOOD if path.parents[1].name == rule]) >= 6
