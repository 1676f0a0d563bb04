"""Family j: there are many ways to be patient, and some to be wrong about it."""

import inspect

import pytest

from simulator.gate.judgements import retries
from tests.gate.judgements import retrying_loops
from tests.gate.judgements.saying import said
from tests.gate.proving import Provers

PROBES = [probe.id for probe in retries.PROBES]
LOOPS = [
    (name, loop)
    for name, loop in vars(retrying_loops).items()
    if inspect.isfunction(loop) and [*inspect.signature(loop).parameters][:2] == ["client", "messages"]
]
RIGHT = [name for name, loop in LOOPS if ": retries." not in (loop.__doc__ or "")]
WRONG = [(name, *loop.__doc__.split(": ")) for name, loop in LOOPS if name not in RIGHT]


@pytest.fixture(scope="module")
def found():
    """Return what the probes find about a loop of ``retrying_loops``, by its name."""
    provers = Provers()
    asked = {name: provers.ask(f"{retrying_loops.__name__}:{name}", 3, PROBES) for name, _ in LOOPS}
    yield lambda name: asked[name].result()
    provers.close()


@pytest.mark.parametrize("name", RIGHT)
def test_any_bounded_patience_is_right(name, found):
    states = {probe: one for probe, one in found(name).items() if one["state"] != "pass"}
    assert states == {}


@pytest.mark.parametrize(("name", "probe", "finding"), WRONG)
def test_each_way_to_be_wrong_has_its_finding(name, probe, finding, found):
    one = found(name)[probe]
    assert (one["state"], one["finding"]) == ("fail", finding), one
    assert all(said(finding, one["turn"], one["facts"]))
