"""The proof of the grader of each kata whose learner writes a contract, in the spirit of ``test_graders.py``.

The whole gate takes seconds. Each right contract goes before it once, under a seed of its own, and so does
the loop by hand; where the gate is not what is tried, one stands in for it that finds nothing.
"""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from simulator.contract import loop_source, read
from simulator.gate.judge import Found, Report
from simulator.gate.probes import all_probes
from simulator.gate.runner import Runner
from simulator.grading import catalogue, checks
from simulator.grading.checks import first_failure, grade
from simulator.grading.declared import Declared
from simulator.grading.report import LINES, page, passed, to_dict
from simulator.grading.results import CheckError, Result

HERE = Path(__file__).parent
KATAS = [kata for kata in catalogue.load().katas if kata.kind == "contract"]


@dataclass(frozen=True)
class Wrong:
    """A row of ``rejected.toml``: what lies in a learner's folder, and the message for it."""

    kata: catalogue.Kata
    expects: str
    contract: str | None
    """What ``contract.json`` holds; None for no such file."""
    loop: str | None


def _solution(kata):
    return json.loads((HERE / kata.slug / "solution.json").read_text(encoding="utf-8"))


def _changed(kata, row):
    """Return the solution with what *row* says put in its place, or left out."""
    made = inner = _solution(kata)
    *path, last = row["at"].split("/")[1:]
    for key in path:
        inner = inner[key]
    if "value" in row:
        inner[last] = row["value"]
    else:
        del inner[last]
    return json.dumps(made, indent=1)


def _compiled(text):
    return loop_source(read(text.encode("utf-8")))


def _contract(kata, row):
    return _changed(kata, row) if "at" in row else row.get("text")


def _loop(kata, row):
    if "file" in row:
        return kata.loop.read_text(encoding="utf-8") if row["file"] == "starter" else None
    if "of" in row:
        return _compiled(_changed(kata, row["of"]))
    made = _compiled(json.dumps(_solution(kata)))
    assert row["old"] in made
    return made.replace(row["old"], row["new"])


def _wrong(kata):
    """Return the rows of *kata* by their names."""
    rows = tomllib.loads((HERE / kata.slug / "rejected" / "rejected.toml").read_text(encoding="utf-8"))
    starter, right = kata.loop.read_text(encoding="utf-8"), json.dumps(_solution(kata))
    found = {
        row["name"]: Wrong(kata, row["expects"], _contract(kata, row), starter) for row in rows["contract"]
    }
    return found | {row["name"]: Wrong(kata, row["expects"], right, _loop(kata, row)) for row in rows["loop"]}


def _laid(folder, contract, loop):
    """Put *contract* and *loop* into *folder*, as a learner has them; return where the loop is."""
    if contract is not None:
        (folder / "contract.json").write_text(contract, encoding="utf-8")
    if loop is not None:
        (folder / "loop.py").write_text(loop, encoding="utf-8", newline="\n")
    return folder / "loop.py"


def _fine(loop, seed):
    """Stand in for the gate: it finds nothing."""
    probe = all_probes()[0]
    return Report(str(loop), seed, None, (Found(probe, "pass", probe.cases[0]),))


def _graded(wrong, folder, seed=7):
    """Return the results on *wrong*; the real gate is asked only where it is what the message is about."""
    loop = _laid(folder, wrong.contract, wrong.loop)
    if wrong.kata.message_id("gate.failed") == wrong.expects:
        return grade(wrong.kata, loop, seed, Runner())
    declared, results = Declared(wrong.kata, loop, seed, lambda _: None, gate=_fine), []
    for declared.test, test in checks.tests_of(wrong.kata.test):
        try:
            test(declared)
        except CheckError as fell:
            results.append(fell.result)
        else:
            results.append(Result(declared.test, "pass"))
    return results


def _each():
    return [pytest.param(kata, id=kata.slug) for kata in KATAS]


def _each_wrong():
    return [
        pytest.param(wrong, id=f"{kata.number}-{name}")
        for kata in KATAS
        for name, wrong in _wrong(kata).items()
    ]


def _each_right():
    return [
        pytest.param(kata, path, seed, id=f"{kata.number}-{path.stem}")
        for kata in KATAS
        for seed, path in enumerate(
            [HERE / kata.slug / "solution.json", *sorted((HERE / kata.slug / "accepted").glob("*.json"))]
        )
    ]


@pytest.mark.parametrize("kata", _each())
def test_the_starter_fails_because_there_is_no_contract_and_for_nothing_else(kata):
    first, *others = grade(kata, kata.loop, 7, Runner())
    assert (first.state, first.message) == ("fail", f"{kata.id}-E1")
    assert {(one.state, one.message) for one in others} == {("skipped", f"{kata.id}-E1")}


@pytest.mark.parametrize(("kata", "path", "seed"), _each_right())
def test_a_right_contract_passes_however_it_is_written(kata, path, seed, tmp_path):
    text = path.read_text(encoding="utf-8")
    results = grade(kata, _laid(tmp_path, text, _compiled(text)), seed, Runner())
    assert first_failure(results) is None
    assert passed(kata, results)


@pytest.mark.parametrize("wrong", _each_wrong())
def test_what_is_wrong_gets_the_message_for_it_on_one_page_in_both_languages(wrong, tmp_path):
    first = first_failure(_graded(wrong, tmp_path))
    assert first.message == wrong.expects
    for lang in ("en", "es"):
        told = page(first, wrong.kata, 7, lang)
        lines = [line for line in told.splitlines() if not line.startswith("      simulator ")]
        assert len(lines) <= LINES + 4
        assert max(len(line) for line in lines) <= 100
        assert "Traceback" not in told
        assert told == page(first, wrong.kata, 7, lang)


@pytest.mark.parametrize("kata", _each())
def test_the_two_languages_say_it_in_their_own_words(kata, tmp_path):
    wrong = _wrong(kata)["errors_as_empty_results"]
    first = first_failure(_graded(wrong, tmp_path))
    assert "An error turned into nothing looks like a result" in page(first, kata, 7, "en")
    assert "Un error convertido en nada parece un resultado" in page(first, kata, 7, "es")
    told = to_dict(kata, [first], 7, "es")["checks"][0]
    assert (told["message_id"], told["probe"]) == ("K28-E3", "handlers.swallowed")
    assert told["expected"].startswith("Un error convertido en nada")


@pytest.mark.parametrize("kata", _each())
def test_all_that_a_contract_lacks_is_told_at_once_and_the_gate_waits(kata, tmp_path):
    bare = _solution(kata)
    del bare["verification"], bare["tracing"], bare["budget"]["cost"]
    wrong = Wrong(kata, "", json.dumps(bare), _compiled(json.dumps(bare)))
    results = _graded(wrong, tmp_path)
    lacks = [one.message for one in results if one.state == "fail"]
    assert lacks == ["K28-E10", "K28-E15", "K28-E16"]
    assert [one.state for one in results[-2:]] == ["skipped", "skipped"]


@pytest.mark.parametrize("kata", _each())
def test_a_loop_that_cannot_be_loaded_is_told_in_the_gates_words(kata, tmp_path):
    right = json.dumps(_solution(kata))
    results = grade(kata, _laid(tmp_path, right, "def run_agent_loop(\n"), 7, Runner())
    first = first_failure(results)
    assert (first.message, first.state) == ("G-GATE", "could-not-check")
    told = page(first, kata, 7, "en")
    assert "is not Python yet" in told
    assert "--force" in told
    assert results[-1].message == "K28-E18"


@pytest.mark.parametrize("kata", _each())
def test_a_contract_under_nearly_its_name_is_noticed(kata, tmp_path):
    (tmp_path / "contract.backup-1.json").write_text("{}", encoding="utf-8")
    (tmp_path / "contract.json.txt").write_text("{}", encoding="utf-8")
    first = first_failure(_graded(Wrong(kata, "", None, "x"), tmp_path))
    told = " ".join(page(first, kata, 7, "en").split())
    assert "There is contract.json.txt; was that meant?" in told


@pytest.mark.parametrize("kata", _each())
def test_force_is_named_only_where_something_by_hand_would_be_lost(kata, tmp_path):
    for name, forced in (("the_loop_by_hand", True), ("a_comment_by_hand", True), ("no_loop", False)):
        folder = tmp_path / name
        folder.mkdir()
        wrong = _wrong(kata)[name]
        found = first_failure(_graded(Wrong(kata, "", wrong.contract, wrong.loop), folder))
        assert [command.endswith(" --force") for _, command in found.commands] == [forced]


@pytest.mark.parametrize("kata", _each())
def test_every_message_of_the_kata_is_the_answer_to_something_wrong(kata):
    assert {wrong.expects for wrong in _wrong(kata).values()} == set(kata.messages)


@pytest.mark.parametrize("kata", _each())
def test_there_are_enough_right_and_wrong_contracts(kata):
    assert len(list((HERE / kata.slug / "accepted").glob("*.json"))) >= 5
    assert len(_wrong(kata)) >= 6 + len(kata.messages)
