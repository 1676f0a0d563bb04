"""Going in circles is noticed; a poll, and work that goes on, is not taken for it."""

from itertools import count
from typing import Any

import pytest

from simulator.loop import Budget, Finished, NoProgress, Patience
from simulator.loop.progress import Progress, Seen
from tests.loop.made import DONE, Fake, call, play, resendable, results, says


def words(*steps: list[Seen], patience: Patience | None = None) -> list[list[str]]:
    """The verdicts on each step."""
    progress, said = Progress(), []
    for step in steps:
        progress, verdicts = progress.after(step, patience or Patience())
        said.append([verdict.word for verdict in verdicts])
    return said


A, B = Seen("read", {"path": "a"}, "text"), Seen("read", {"path": "b"}, "text")


def asking(**given: Any) -> Any:
    """A model that makes one and the same call for ever, with fresh ids."""
    numbers = count(1)
    return lambda body: says(call(f"toolu_{next(numbers)}", **given))


def test_the_third_identical_call_ends_the_run_by_name() -> None:
    client = Fake(asking(crate=1))
    result = play(client)
    assert result.exit == NoProgress("repeated", "count", {"crate": 1}, 3)
    assert len(client.sent) == 3
    resendable(result.messages)


def test_the_second_identical_call_is_told_to_the_model_in_its_result() -> None:
    client = Fake(asking(crate=1))
    result = play(client)
    contents = [results(turn)[0]["content"] for turn in result.messages[2::2]]
    assert contents[0] == "12"
    assert contents[1].startswith("12\n\n[from the loop] You have made exactly this call before")


def test_the_order_of_keys_makes_no_other_call() -> None:
    one = Seen("read", {"path": "a", "line": 1}, "x")
    assert words([one], [Seen("read", {"line": 1, "path": "a"}, "x")]) == [["ok"], ["repeat"]]


def test_a_poll_with_changing_results_is_progress() -> None:
    numbers = count(1)
    client = Fake(*(says(call(f"toolu_{n}", job=7)) for n in range(9)), DONE)
    result = play(client, handlers={"count": lambda **given: f"{next(numbers)} of 9"})
    assert result.exit == Finished("end_turn")


def test_a_poll_without_end_has_a_cap_of_its_own() -> None:
    numbers = count(1)
    client = Fake(asking(job=7))
    how = {"count": lambda **given: next(numbers)}
    result = play(client, handlers=how, patience=Patience(polls=6), budget=Budget(steps=50))
    assert result.exit == NoProgress("polled", "count", {"job": 7}, 6)


def test_alternating_between_two_calls_is_no_progress() -> None:
    assert words([A], [B], [A], [B], [A]) == [["ok"], ["ok"], ["repeat"], ["repeat"], ["repeated"]]


def test_the_same_tool_with_other_arguments_is_progress() -> None:
    steps = [[Seen("read", {"path": str(n)}, "text")] for n in range(20)]
    assert words(*steps) == [["ok"]] * 20


def test_several_steps_without_anything_new_are_stuck_whatever_they_called() -> None:
    many = [[Seen("read", {"path": str(n)}, "text")] for n in range(6)]
    said = words(*many, *many, patience=Patience(quiet=4))
    assert said[6:10] == [["repeat"], ["repeat"], ["repeat"], ["quiet"]]


def test_a_test_run_again_after_each_edit_is_progress() -> None:
    failing = Seen("run_tests", {}, "1 failed")
    steps = [step for n in range(5) for step in ([failing], [Seen("edit", {"line": n}, "ok")])]
    assert "repeated" not in [word for said in words(*steps) for word in said]


def test_twin_calls_of_one_turn_count_once() -> None:
    assert words([A, A, A]) == [["ok", "ok", "ok"]]


def test_the_same_call_with_another_result_is_news_and_wipes_the_slate() -> None:
    changed = Seen("read", {"path": "a"}, "other")
    assert words([A], [A], [changed], [A], [A]) == [["ok"], ["repeat"], ["ok"], ["repeat"], ["repeated"]]


def test_progress_is_pure() -> None:
    before = Progress()
    before.after([A], Patience())
    assert before == Progress()


def test_without_patience_only_the_budget_ends_a_circle() -> None:
    client = Fake(asking(crate=1))
    result = play(client, patience=None, budget=Budget(steps=7))
    assert len(client.sent) == 7
    assert all("[from the loop]" not in str(r) for turn in result.messages[1::2] for r in results(turn))


@pytest.mark.parametrize("wrong", [{"repeats": 1}, {"quiet": 0}, {"polls": 0}])
def test_patience_that_leaves_no_room_is_a_mistake(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="no room for a first call"):
        Patience(**wrong)
