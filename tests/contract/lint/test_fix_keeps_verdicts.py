"""``--fix`` does not change what a passing loop does: the gate sees the same runs, and says the same of them.

Each folder of ``cases/fixed`` holds a loop as somebody wrote it and as it is after ``--fix``. A limit that is
now a parameter is one more thing that the gate can try: what did not apply before may apply then. Two loops
go through ``simulator check`` itself, one of them passing every probe there is.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.contract.lint import lint_source
from simulator.contract.lint.fixing import fix, mend
from simulator.contract.lint.settings import Settings
from simulator.contract.lint.walk import Job
from simulator.gate import target
from simulator.gate.judge import examine
from simulator.gate.probes import all_probes

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
LOOPS = {path.name: path for path in sorted((HERE / "cases" / "fixed").iterdir())}


def text(name, which):
    return (LOOPS[name] / f"{which}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LOOPS)
def test_what_comes_of_a_loop_is_known_and_lints_clean(name):
    result = mend(text(name, "before"), lint_source)
    assert result.done
    assert result.whole == text(name, "after")
    assert result.left == ()
    assert mend(result.whole, lint_source).done == ()


@pytest.fixture(scope="module")
def compared():
    """Have a child run and judge every loop, before and after."""
    command = [sys.executable, "-X", "utf8", "-m", "tests.contract.lint.before_and_after", *LOOPS]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, cwd=ROOT)
    return {one["name"]: one for one in map(json.loads, done.stdout.splitlines())}


def applicable(states):
    return {probe: state for probe, state in states.items() if state != "not-applicable"}


@pytest.mark.parametrize("name", LOOPS)
def test_a_mended_loop_runs_and_is_judged_as_before(name, compared):
    one = compared[name]
    assert one["different"] == []
    assert one["compared"] > 10
    assert "fail" not in one["before"].values()
    assert applicable(one["before"]).items() <= one["after"].items()


# Through `simulator check`


def whole(folder):
    """Return a loop of the gate's own that passes every probe, with comments in it that suppress nothing."""
    source = (ROOT / "tests" / "gate" / "loops" / "passing" / "plain.py").read_text(encoding="utf-8")
    for old, new in (
        ("    while True:\n", "    while True:  # loop: ignore[AL02, AL09] guard() ends it\n"),
        ("        guard()\n", "        # loop: ignore[swallowed-tool-error] not here\n        guard()\n"),
    ):
        assert source.count(old) == 1
        source = source.replace(old, new)
    path = folder / "whole.py"
    path.write_bytes(source.replace("\n", "\r\n").encode("utf-8-sig"))
    return path


def changing(folder):
    """Return a loop whose code `--fix` changes."""
    path = folder / "changing.py"
    path.write_text(text("method", "before"), encoding="utf-8")
    return path


FEW = [one for one in all_probes() if one.id.partition(".")[0] in ("pairing", "parallel")]


def verdicts(named, probes):
    report = examine(target.read(named), probes)
    assert report.problem is None
    return {found.probe.id: found.state for found in report.findings}


@pytest.mark.parametrize(
    ("make", "name", "probes"),
    [(whole, "run_agent_loop", all_probes()), (changing, "loop", FEW)],
    ids=["passes every probe", "its code is changed"],
)
def test_simulator_check_says_the_same_before_and_after(tmp_path, make, name, probes):
    path = make(tmp_path)
    raw, before = path.read_bytes(), verdicts(f"{path}:{name}", probes)
    file = fix(Job(path, path.name, Settings()))
    assert file.mended
    assert file.findings == file.problems == ()
    assert path.read_bytes() != raw
    assert before == verdicts(f"{path}:{name}", probes)
    assert "fail" not in before.values()
    assert make is changing or set(before.values()) == {"pass"}
