"""The proof of each grader: what is right passes, what is wrong fails, and with its own message.

``KATA_SEEDS=50`` grades under so many seeds instead of five. Where the learner writes a contract, the proof
is in ``test_contract_graders.py``.
"""

import os
from pathlib import Path

import pytest

from simulator.gate.runner import Runner
from simulator.grading import catalogue, checks
from simulator.grading.checks import first_failure, grade
from simulator.grading.report import LINES, page, passed

HERE = Path(__file__).parent
KATAS = [kata for kata in catalogue.load().katas if kata.kind == "loop"]
SEEDS = range(int(os.environ.get("KATA_SEEDS", "5")))


@pytest.fixture(scope="module")
def runner():
    with Runner() as one:
        yield one


def _loops(kind):
    return [
        pytest.param(kata, path, id=f"{kata.number}-{path.stem}")
        for kata in KATAS
        for path in sorted((HERE / kata.slug / kind).glob("*.py"))
    ]


def _each():
    return [pytest.param(kata, id=kata.slug) for kata in KATAS]


def _expected(path):
    first = path.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# expects: "), f"{path.name} names no message id in its first line"
    return first.removeprefix("# expects: ").strip()


def _found(kata, path, seed, runner):
    """Return the message id that a learner sees first, and empty for a pass."""
    results = grade(kata, path, seed, runner)
    first = first_failure(results)
    assert passed(kata, results) is (first is None)
    return first.message if first else ""


@pytest.mark.parametrize("kata", _each())
def test_the_starter_fails_for_its_own_reason(kata, runner):
    found = {_found(kata, kata.loop, seed, runner) for seed in SEEDS}
    assert found == {f"{kata.id}-E1"}


@pytest.mark.parametrize("kata", _each())
def test_the_solution_passes(kata, runner):
    found = {_found(kata, HERE / kata.slug / "solution.py", seed, runner) for seed in SEEDS}
    assert found == {""}


@pytest.mark.parametrize(("kata", "path"), _loops("accepted"))
def test_a_right_loop_passes_however_it_is_built(kata, path, runner):
    found = {_found(kata, path, seed, runner) for seed in SEEDS}
    assert found == {""}


@pytest.mark.parametrize(("kata", "path"), _loops("rejected"))
def test_a_wrong_loop_fails_with_the_message_for_its_misconception(kata, path, runner):
    found = {_found(kata, path, seed, runner) for seed in SEEDS}
    assert found == {_expected(path)}


@pytest.mark.parametrize("kata", _each())
def test_the_same_seed_gives_the_same_page_twice(kata, runner):
    paths = [kata.loop, *sorted((HERE / kata.slug / "rejected").glob("*.py"))]
    for path in paths:
        once, again = (first_failure(grade(kata, path, 11, runner)) for _ in range(2))
        assert page(once, kata, 11) == page(again, kata, 11)


@pytest.mark.parametrize("kata", _each())
def test_every_failure_is_one_readable_page_in_both_languages(kata, runner):
    for path in [kata.loop, *sorted((HERE / kata.slug / "rejected").glob("*.py"))]:
        result = first_failure(grade(kata, path, 3, runner))
        for lang in ("en", "es"):
            lines = page(result, kata, 3, lang).splitlines()
            assert len(lines) <= LINES + 4, f"{path.name} has {len(lines)} lines in {lang}"
            assert max(len(line) for line in lines) <= 100
            assert "Traceback" not in "\n".join(lines)


@pytest.mark.parametrize("kata", _each())
def test_the_starter_passes_no_check_but_the_guards(kata, runner):
    results = grade(kata, kata.loop, 5, runner)
    assert {one.test for one in results if one.state == "pass"} == set(kata.guards)


@pytest.mark.parametrize("kata", _each())
def test_the_catalogue_names_what_grades_the_kata(kata):
    text = kata.test.read_text(encoding="utf-8")
    assert [name for name, _ in checks.tests_of(kata.test)]
    for probe in kata.probes:
        assert f".must({probe})" in text
    assert text.count(".must(") >= len(kata.probes)
    assert set(kata.guards) <= {name for name, _ in checks.tests_of(kata.test)}
    for scenario in kata.scenarios:
        assert f'run("{scenario}")' in text


@pytest.mark.parametrize("kata", _each())
def test_every_message_of_a_kata_is_the_answer_to_some_wrong_loop(kata):
    expected = {_expected(path) for path in (HERE / kata.slug / "rejected").glob("*.py")} | {f"{kata.id}-E1"}
    assert expected == set(kata.messages)


@pytest.mark.parametrize("kata", _each())
def test_there_are_enough_right_and_wrong_loops(kata):
    assert len(list((HERE / kata.slug / "accepted").glob("*.py"))) >= 5
    assert len(list((HERE / kata.slug / "rejected").glob("*.py"))) >= 6
