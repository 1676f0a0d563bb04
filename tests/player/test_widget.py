"""show and compare: what they take, what they send to the browser, what stands in where that is not live."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ipywidgets
import pytest

import simulator
from simulator.player.examples import LOOPS, no_append, no_id, text_decides, whole_loop
from simulator.player.picker import Picker
from simulator.player.widget import Player, compare, show
from simulator.recording.scenario import Scenario
from simulator.trace.events import SIGNALS
from tests.player.made import forgotten, hostile, whole
from tests.recording.made import ANSWERED, ASKED, DONE, TASK, exchange, recording, request


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close the widgets of a test."""
    yield
    ipywidgets.Widget.close_all()


def player(shown: Any, *more: Any, **options: Any) -> Player:
    made = show(shown, *more, **options)
    assert isinstance(made, Player)
    return made


def test_the_view_is_ascii_json_without_a_bracket_that_could_close_a_script() -> None:
    view = player(hostile()).view
    assert view.isascii()
    assert "<" not in view
    assert json.loads(view)["trace"]["steps"]


def test_only_view_and_step_are_shared_and_neither_is_echoed() -> None:
    shown = player(whole())
    theirs = {"_esm", "_css", "_anywidget_id"}
    own = set(shown.trait_names(sync=True)) - set(ipywidgets.DOMWidget().trait_names()) - theirs
    assert own == {"view", "step"}
    assert all(shown.trait_metadata(name, "echo_update") is False for name in own)
    assert shown.step == 1


def test_what_is_printed_of_a_player_is_stable() -> None:
    assert repr(player(whole())) == "Player of made: 13 steps, ends with returned"
    assert repr(compare(whole(), forgotten(), titles=("a", "b"))) == "Two players side by side: a and b"


def test_a_table_stands_in_where_the_widget_cannot_run() -> None:
    bundle = player(whole())._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert set(data) == {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"}
    assert "<table>" in data["text/html"]
    assert "needs a trusted notebook" in data["text/html"]


def test_show_runs_a_loop_on_a_scenario_with_its_arguments() -> None:
    shown = player(whole_loop, "list_then_read", max_turns=7)
    (trace,) = shown.traces
    assert trace.exit.reason == "returned"
    assert trace.loop == {"name": "whole_loop", "arguments": {"max_turns": 7}}
    assert player("list_then_read").traces[0].exit.reason == "returned"


def test_show_takes_a_scenario_or_the_path_of_a_cassette() -> None:
    (trace,) = player(simulator.scenario("list_then_read")).traces
    assert trace.scenario["name"] == "list_then_read"
    (trace,) = player(simulator.scenario("count_python_files").recording.path).traces
    assert trace.scenario["name"] == "count_python_files"


def test_a_recording_with_a_system_prompt_is_shown_with_it() -> None:
    recorded = recording(
        exchange(0, request(TASK, system="Be brief."), ASKED),
        exchange(1, request(TASK, ASKED, ANSWERED, system="Be brief."), DONE),
    )
    (trace,) = player(Scenario.of(recorded)).traces
    assert (trace.exit.reason, trace.system) == ("returned", "Be brief.")


def test_the_shipped_loops_fit_beside_the_conversation() -> None:
    files = [Path(inspect.getsourcefile(loop) or "") for loop in LOOPS.values()]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert max(map(len, lines)) <= 80


def test_the_budget_knows_a_limit_that_is_the_loops_default() -> None:
    (trace,) = player(whole_loop, "list_then_read").traces
    assert trace.loop == {"name": "whole_loop", "arguments": {"max_turns": 20}}


def test_every_step_of_a_shipped_loop_has_its_line() -> None:
    for name, loop in LOOPS.items():
        trace = simulator.observe(loop, "list_then_read")
        assert [step.event.kind for step in trace.steps[:-1] if step.event.line is None] == [], name


def test_compare_runs_two_loops_and_names_them() -> None:
    shown = compare(whole_loop, no_append, "count_python_files")
    assert shown.data["left"]["title"] == "whole_loop"
    assert shown.data["right"]["title"] == "no_append"
    assert [trace.exit.reason for trace in shown.traces] == ["returned", "raised"]


def test_what_is_no_trace_is_refused_with_what_would_be() -> None:
    with pytest.raises(TypeError, match=r"take a trace, but got int: make one with simulator\.observe"):
        show(7)  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(
        TypeError, match=r"show\(loop, .list_then_read.\)\. The scenarios are: .*list_then_read"
    ):
        show(whole_loop)


def test_the_shipped_loops_do_what_their_names_say() -> None:
    assert simulator.observe(whole_loop, "parallel_reads").exit.reason == "returned"
    assert simulator.observe(text_decides, "not_done_yet").exit.turn < len(
        simulator.observe(whole_loop, "not_done_yet").requests
    )
    assert simulator.observe(no_id, "list_then_read").exit.error_type == "BadRequestError"
    steps = simulator.observe(no_append, "list_then_read").requests
    assert len({getattr(step.event, "digest", None) for step in steps}) == 1


def mine(client: Any, messages: Any) -> None:
    """Stand for a learner's loop."""
    client.messages.create(model="m", max_tokens=5, messages=messages)


def test_the_picker_offers_scenarios_our_loops_and_the_users() -> None:
    picker = Picker(names={"mine": mine, "helper": len, "_private": mine, "other": lambda x: x})
    assert list(picker.scenario.options) == list(simulator.scenarios())
    assert [name for name, _ in picker.loop.options][len(LOOPS) :] == ["yours: mine"]
    assert isinstance(picker.children[-1], Player)


def test_the_picker_keeps_one_player_and_explains_its_button() -> None:
    picker = Picker(names={})
    first = picker.children[-1]
    picker.loop.value = no_append
    assert first.comm is None
    assert "changed your loop" in picker.run.tooltip
    assert picker.scenario.value == "list_then_read"
    assert picker.notice.layout.display == "none"


def test_what_the_picker_says_is_never_markup() -> None:
    picker = Picker(names={})
    picker._tell("<img src=x onerror=alert(1)>\u202e")
    assert ">&lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩<" in picker.notice.value


def test_the_picker_shows_what_is_chosen() -> None:
    picker = Picker(names={})
    picker.scenario.value = "list_then_read"
    picker.loop.value = no_append
    assert "ends with raised" in repr(picker.children[-1])
    picker.ending.index = 1
    assert "ends with recorded" in repr(picker.children[-1])
    assert picker.loop.disabled
    picker.ending.index = 2
    assert "ends with recorded" in repr(picker.children[-1])
    picker.run.click()
    assert isinstance(picker.children[-1], Player)


def test_the_picker_lets_an_answer_end_with_another_signal() -> None:
    picker = Picker(names={})
    assert [value for _, value in picker.signal.options] == [None, *SIGNALS, "unheard_of"]
    assert [value for _, value in picker.turn.options] == [1, 2, 3]
    assert picker.turn.disabled
    picker.signal.value = "refusal"
    assert not picker.turn.disabled
    assert picker.children[-1].traces[0].what_if == {1: ("refusal", True)}
    picker.turn.value = 3
    assert picker.children[-1].traces[0].what_if == {3: ("refusal", True)}
    picker.ending.index = 1
    assert (picker.signal.disabled, picker.turn.disabled) == (True, True)
    assert picker.children[-1].traces[0].what_if == {}


def test_the_picker_offers_the_requests_of_the_chosen_scenario() -> None:
    picker = Picker(names={}, lang="es")
    picker.signal.value, picker.turn.value = "max_tokens", 3
    first = picker.children[-1]
    picker.scenario.value = "todo_list"
    assert len(picker.turn.options) == 6
    assert picker.turn.options[0] == ("petición 1", 1)
    assert picker.children[-1].traces[0].what_if == {1: ("max_tokens", True)}
    assert first.comm is None
    picker.signal.value = None
    assert picker.children[-1].traces[0].what_if == {}


def test_every_recorded_branch_can_be_shown() -> None:
    for name in simulator.scenarios():
        scenario = simulator.scenario(name)
        for branch in scenario.branches:
            trace = simulator.Trace.from_cassette(scenario.recording.path, branch.name)
            trace.verify()
            assert trace.requests, (name, branch.name)
    with pytest.raises(LookupError, match="no branch called nowhere; its branches are: "):
        simulator.Trace.from_cassette(scenario.recording.path, "nowhere")


def broken(client: Any, messages: Any, wrong: Any) -> None:
    """Stand for a loop that cannot be called."""


def test_a_loop_that_cannot_be_called_is_one_sentence_in_the_picker() -> None:
    picker = Picker(names={"broken": broken})
    picker.loop.value = broken
    assert "wrong" in picker.notice.value
    assert not any(isinstance(child, Player) for child in picker.children)
