"""What a case states becomes what a loop is given, under the loop's own name for it."""

from decimal import Decimal

import pytest

from simulator.gate.options import NotOfferedError, arguments


def loop(client, messages, tools, handlers, max_turns=None, verify=None):
    """Offers steps and a check, under names of its own."""


def frugal(client, messages, tools, handlers, max_turns=3, max_cost=Decimal("0.5"), max_seconds=None):
    """A loop for small tasks."""


def test_a_limit_of_the_loops_own_gives_way_where_a_case_asks_for_something_else():
    assert arguments(frugal, {}) == {"max_turns": 20, "max_cost": 1_000_000}
    assert arguments(frugal, {"steps": 2}) == {"max_turns": 2, "max_cost": 1_000_000}


def test_an_option_goes_by_the_name_that_the_loop_has_for_it():
    assert arguments(loop, {"steps": 2}) == {"max_turns": 2}


def test_an_option_that_the_loop_lacks_is_named():
    with pytest.raises(NotOfferedError) as lacking:
        arguments(loop, {"money": 1})
    assert (lacking.value.option, lacking.value.names[0]) == ("money", "max_cost")


def test_an_option_with_a_question_mark_is_given_where_there_is_a_name_for_it():
    assert arguments(loop, {"steps?": 2, "money?": 1}) == {"max_turns": 2}


def test_a_check_finds_what_it_is_told_to():
    def found(stated):
        check = arguments(loop, {"check": stated})["verify"]
        return [check("text", []) for _ in range(3)]

    assert found([]) == [None, None, None]
    assert found(["a", "b"]) == ["a", "b", None]
    assert found({"always": "a"}) == ["a", "a", "a"]
    assert len(set(found("always"))) == 3
