"""A recording alone has a trace: what its requests and answers show, and nothing made up."""

import pytest

from simulator import paths
from simulator.recording.cassette import CassetteError, read
from simulator.recording.scenario import scenarios
from simulator.trace.document import Trace
from tests.trace.made import events, kinds, roles


@pytest.mark.parametrize("name", scenarios())
def test_a_shipped_scenario_shows_its_main_line(name):
    path = paths.cassettes() / f"{name}.yaml"
    trace = Trace.from_cassette(path)
    trace.verify()
    main = read(path).metadata["scenario"]["main"]
    assert [event.exchange for event in events(trace, "response")] == main
    assert trace.exit.reason == "recorded"
    assert trace.loop is None
    assert trace.source is None
    assert trace.scenario["name"] == name


def test_the_steps_of_a_recording_are_those_of_a_loop_without_its_lines():
    trace = Trace.from_cassette(paths.cassettes() / "list_then_read.yaml")
    round_trip = ("request", "response", "append", "branch", "tool_call", "tool_result", "append")
    assert kinds(trace) == [*round_trip, *round_trip, "request", "response", "branch", "exit"]
    assert [roles(trace.messages_at(step.n)) for step in trace.requests] == ["u", "uau", "uauau"]


def test_what_is_no_recording_is_refused(tmp_path):
    with pytest.raises(CassetteError):
        Trace.from_cassette(tmp_path / "nowhere.yaml")
