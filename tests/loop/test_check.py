"""A caller's check decides what done means; its failure goes back to the model, a bounded number of times."""

from typing import Any

import pytest

from simulator.loop import Fatal, Finished, Unverified
from tests.loop.made import DONE, Fake, call, play, says


def test_a_check_that_agrees_finishes_with_the_models_own_answer() -> None:
    result = play(Fake(DONE), check=lambda text, messages: None)
    assert result.exit == Finished("end_turn")
    assert result.text == "There are 12 apples."


def test_a_failed_check_goes_back_to_the_model_which_mends_it() -> None:
    client = Fake(says("There are 11."), says(call("toolu_1")), DONE)
    result = play(client, check=lambda text, messages: None if "12" in text else "the sum is wrong")
    assert result.finished
    assert "A check found: the sum is wrong" in str(client.sent[1]["messages"][-1])
    assert result.text == "There are 12 apples."


@pytest.mark.parametrize("rounds", [0, 1, 2, 4])
def test_rounds_are_bounded_exactly_and_unverified_is_not_success(rounds: int) -> None:
    client = Fake(DONE)
    result = play(client, check=lambda text, messages: "one test fails", rounds=rounds)
    assert result.exit == Unverified("one test fails", rounds)
    assert len(client.sent) == rounds + 1
    assert not result.finished


def test_a_check_that_always_finds_something_new_is_overruled_all_the_same() -> None:
    numbers = iter(range(99))
    result = play(Fake(DONE), check=lambda text, messages: f"problem {next(numbers)}")
    assert result.exit == Unverified("problem 2", 2)


def test_a_check_that_fails_itself_ends_the_run_by_name() -> None:
    def broken(text: str, messages: Any) -> str | None:
        raise OSError("no such test")

    exit_ = play(Fake(DONE), check=broken).exit
    assert isinstance(exit_, Fatal)
    assert (exit_.where, exit_.reason) == ("check", "no such test")


def test_a_check_gets_copies() -> None:
    def meddling(text: str, messages: Any) -> str | None:
        messages.clear()
        return None

    assert len(play(Fake(DONE), check=meddling).messages) == 2
