"""The proof of each probe, from both sides: a loop that fails it alone, and right loops that it lets pass.

``GATE_SEEDS=50`` proves under so many seeds instead of two.
"""

import os
from pathlib import Path

import pytest

from simulator.gate.probes import all_probes

LOOPS = Path(__file__).parent / "loops"
SEEDS = range(int(os.environ.get("GATE_SEEDS", "2")))
PROBES = [probe.id for probe in all_probes()]
PASSING = ("plain", "recursive", "machine", "asynchronous", "generator")
FAILING = sorted(path.stem for path in (LOOPS / "failing").glob("*.py"))

MACHINE = "a failing tool ends its run: there is no request after the failure"
NATURE = {
    ("machine", "parallel.one_failure_stays_alone"): MACHINE,
    ("machine", "tool_errors.an_error_teaches"): MACHINE,
}
"""What is not applicable to a right loop, and why."""


def _module(kind, name):
    return f"tests.gate.loops.{kind}{name}"


def _probe_of(name):
    module, _, function = name.partition("__")
    return f"{module}.{function}"


@pytest.fixture(scope="module", autouse=True)
def _ahead(provers, request):
    """Have the children work on all that the chosen tests will ask for."""
    for item in request.session.items:
        for kind, name in _wanted(item):
            _ask(provers, kind, name)


def _wanted(item):
    """Yield the loops that the test *item* asks for."""
    chosen = getattr(item, "callspec", None)
    if item.path == Path(__file__) and chosen is not None and "kind" in chosen.params:
        yield chosen.params["kind"], chosen.params["name"]


def _ask(provers, kind, name):
    """Return what is asked about a loop: by all probes; of a failing one, its own probe under all seeds."""
    module, first = _module(kind, name), SEEDS[0]
    if kind != "failing.":
        return [provers.ask(module, seed) for seed in SEEDS]
    own = [provers.ask(module, seed, [_probe_of(name)]) for seed in SEEDS[1:]]
    return [provers.ask(module, first), *own]


def _shown(found):
    return "\n".join(f"{probe}: {one}" for probe, one in found.items())


def test_every_probe_has_a_loop_that_fails_it_and_no_loop_fails_a_probe_that_is_not_there():
    assert sorted(map(_probe_of, FAILING)) == sorted(PROBES)


@pytest.mark.parametrize("kind", ["failing."], ids=["failing"])
@pytest.mark.parametrize("name", FAILING)
def test_a_wrong_loop_fails_its_own_probe_and_no_other(kind, name, provers):
    every, *again = [future.result() for future in _ask(provers, kind, name)]
    probe, expected = _probe_of(name), _expected(name)
    assert (every[probe]["state"], every[probe]["finding"]) == ("fail", expected), every[probe]
    others = {each: one for each, one in every.items() if one["state"] == "fail" and each != probe}
    assert not others, _shown(others)
    odd = [
        found[probe]
        for found in again
        if (found[probe]["state"], found[probe]["finding"]) != ("fail", expected)
    ]
    assert not odd, odd


def _expected(name):
    first = (LOOPS / "failing" / f"{name}.py").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# expects: "), f"{name}.py names no finding in its first line"
    return first.removeprefix("# expects: ").strip()


@pytest.mark.parametrize("kind", ["passing."], ids=["passing"])
@pytest.mark.parametrize("name", PASSING)
def test_a_right_loop_passes_every_probe_however_it_is_built(kind, name, provers):
    for found in (future.result() for future in _ask(provers, kind, name)):
        wrong = {probe: one for probe, one in found.items() if one["state"] != _right_state(name, probe)}
        assert not wrong, _shown(wrong)


def _right_state(name, probe):
    return "not-applicable" if (name, probe) in NATURE else "pass"


@pytest.mark.parametrize("kind", [""], ids=["whole"])
@pytest.mark.parametrize("name", ["base_loop", "engine_adapter"])
def test_the_loop_that_the_wrong_ones_are_made_of_and_the_engine_pass_every_probe(kind, name, provers):
    for found in (future.result() for future in _ask(provers, kind, name)):
        wrong = {probe: one for probe, one in found.items() if one["state"] != "pass"}
        assert not wrong, _shown(wrong)


@pytest.mark.parametrize("kind", [""], ids=["article"])
@pytest.mark.parametrize("name", ["engine_article"])
def test_the_engine_as_the_article_calls_it_passes_what_its_options_allow(kind, name, provers):
    for found in (future.result() for future in _ask(provers, kind, name)):
        wrong = {probe: one for probe, one in found.items() if not _passes_or_lacks(one)}
        assert not wrong, _shown(wrong)


def _passes_or_lacks(one):
    lacking = ("gate.not_offered", "streaming.no_stream")
    return one["state"] == "pass" or (one["state"] == "not-applicable" and one["finding"] in lacking)
