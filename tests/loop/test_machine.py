"""The machine itself: pure, drawn as it is, logged move by move; and the names that are promised."""

import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest

import simulator.loop
from simulator.loop import Budget, Finished, Moved, Policy
from simulator.loop.budget import Spend
from simulator.loop.diagram import mermaid
from simulator.loop.exits import Refused
from simulator.loop.failures import Transient
from simulator.loop.reducer import reduce
from simulator.loop.state import (
    MOVES,
    Acted,
    Answer,
    Answered,
    Checked,
    Compacted,
    Failed,
    IllegalMove,
    Phase,
    State,
    Step,
    Stopped,
    Waited,
)
from tests.loop.made import DONE, MODEL, TASK, ApiFailure, Clock, Fake, call, play, says

STEPS: list[Step] = [
    Answered(1.0, Answer([{"type": "text", "text": "Done."}], "end_turn", {}), Spend(1, 1)),
    Failed(1.0, Transient("busy"), OSError("busy")),
    Waited(1.0),
    Acted(1.0, ()),
    Checked(1.0, None),
    Compacted(1.0, 0, None, 1),
    Stopped(1.0, Refused()),
]
PROMISED = [
    "Budget",
    "BudgetExceeded",
    "CatalogueMismatch",
    "Compaction",
    "ContextFull",
    "Dropped",
    "Exit",
    "Failed",
    "Fatal",
    "FatalFailure",
    "Finished",
    "Interrupted",
    "InvalidCall",
    "LoopInterrupted",
    "LoopStopped",
    "Memory",
    "Moved",
    "NoProgress",
    "OverBudget",
    "Patience",
    "PausedTooOften",
    "Policy",
    "Rates",
    "Refused",
    "Results",
    "Retry",
    "Run",
    "Spend",
    "SubLoop",
    "TransientFailure",
    "Truncated",
    "UnhandledSignal",
    "UnhandledStop",
    "Unverified",
    "arun",
    "load_prices",
    "run",
    "run_agent_loop",
    "sentence",
]
"""Adding one is a promise; taking one away breaks somebody."""


def state(phase: Phase) -> State:
    return State(Policy(MODEL), tuple(TASK), 1, 100, phase=phase)


def test_the_public_names_are_these() -> None:
    assert simulator.loop.__all__ == PROMISED
    assert all(getattr(simulator.loop, name).__doc__ for name in PROMISED)


def test_the_diagram_of_the_architecture_page_is_the_machines_own(root: Path) -> None:
    page = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    [drawn] = re.findall(r"```mermaid\n(.*?)\n```", page, re.DOTALL)
    assert drawn == mermaid()


def test_every_step_type_is_tried_here() -> None:
    assert [type(step) for step in STEPS] == list(get_args(Step))


def test_a_step_that_cannot_happen_in_a_phase_is_a_fault_and_changes_nothing() -> None:
    for phase, step in product(get_args(Phase), STEPS):
        if (phase, type(step)) in MOVES or isinstance(step, Compacted):
            continue
        before = state(phase)
        with pytest.raises(IllegalMove):
            reduce(before, step)
        assert before == state(phase)


def test_done_is_left_by_nothing() -> None:
    assert not [phase for phase, _ in MOVES if phase == "done"]


def test_every_phase_can_be_stopped() -> None:
    assert {phase for phase, step in MOVES if step is Stopped} == set(get_args(Phase)) - {"done"}


@pytest.mark.parametrize("phase", ["ask", "wait", "act", "check"])
def test_reduce_is_pure(phase: Phase) -> None:
    for step in STEPS:
        if (phase, type(step)) in MOVES:
            before = state(phase)
            assert reduce(before, step) == reduce(state(phase), step)
            assert before == state(phase)


def test_a_state_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="can't set attribute"):
        state("ask").phase = "done"  # type: ignore[misc]  # that it is refused is the point


def test_every_move_is_an_event_with_signal_tool_and_latency_on_the_injected_clock() -> None:
    clock = Clock()

    def slow(**given: Any) -> str:
        clock.now += 2.5
        return "12"

    seen: list[Moved] = []
    script = (ApiFailure(429, retry_after="7"), says(call("toolu_1")), DONE)
    result = play(Fake(*script), clock=clock, handlers={"count": slow}, on_move=seen.append)
    assert tuple(seen) == result.events
    assert [(e.step, e.before, e.after, e.seconds) for e in seen] == [
        ("failed", "ask", "wait", 0.0),
        ("waited", "wait", "ask", 7.0),
        ("answered", "ask", "act", 0.0),
        ("acted", "act", "ask", 2.5),
        ("answered", "ask", "done", 0.0),
    ]
    assert [e.signal for e in seen] == [None, None, "tool_use", None, "end_turn"]
    assert [(t.name, t.seconds, t.is_error) for t in seen[3].tools] == [("count", 2.5, False)]
    assert seen[-1].exit == Finished("end_turn")


def test_the_log_is_json_and_the_same_for_the_same_run() -> None:
    logs = [[entry.to_dict() for entry in play(Fake(says(call("toolu_1")), DONE)).events] for _ in range(2)]
    assert logs[0] == logs[1]
    assert logs[0][-1]["exit"] == "Finished"


def test_every_move_is_logged_with_its_phase_signal_and_tools(caplog: pytest.LogCaptureFixture) -> None:
    script = (ApiFailure(429), says(call("toolu_1", "weigh")), DONE)
    with caplog.at_level("DEBUG", logger="simulator.loop"):
        result = play(Fake(*script))
    records = [record for record in caplog.records if record.name == "simulator.loop"]
    assert [record.levelname for record in records] == ["DEBUG"] * len(result.events)
    assert [record.getMessage() for record in records][2:] == [
        "3. ask -> act by answered, signal tool_use; 1 steps, 15 tokens",
        "4. act -> ask by acted, tool weigh in 0.000 s; 1 steps, 15 tokens",
        "5. ask -> done by answered, signal end_turn, exit Finished; 2 steps, 30 tokens",
    ]
    for record, entry in zip(records, result.events, strict=True):
        assert entry.to_dict().items() <= vars(record).items()


def test_a_run_is_shown_without_what_a_clock_said() -> None:
    runs = [play(Fake(says(call("toolu_1")), DONE), clock=clock) for clock in (Clock(), Clock())]
    runs[1] = replace(runs[1], spend=runs[1].spend.at(9.5), events=())
    assert repr(runs[0]) == repr(runs[1])
    assert repr(runs[0]) == (
        "Run(exit=Finished(signal='end_turn'), text='There are 12 apples.', steps=2, tokens=30, turns=4)"
    )


def test_the_log_is_there_when_the_loop_fails_too() -> None:
    assert play(Fake(ApiFailure(401))).events[-1].failure == "failed"


def test_a_guard_is_looked_at_before_anything_is_sent() -> None:
    client = Fake(DONE)
    assert play(client, budget=Budget(steps=0)).events[0].step == "stopped"
    assert client.sent == []


def test_no_file_of_the_room_needs_more_than_one_sitting(root: Path) -> None:
    for path in (root / "simulator" / "loop").glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 250, path.name


@pytest.mark.parametrize("wrong", [{"rounds": -1}, {"parallel": 0}, {"max_tokens": 0}, {"pauses": -1}])
def test_a_policy_that_cannot_work_is_a_mistake(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        Policy(MODEL, **wrong)


def test_the_room_is_reached_from_the_package_and_imported_only_then(root: Path) -> None:
    script = (
        "import simulator, sys\n"
        "assert 'simulator.loop' not in sys.modules\n"
        "assert simulator.loop.run.__module__ == 'simulator.loop.engine'"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=root)
