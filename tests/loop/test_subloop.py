"""A loop as a tool: a context of its own, one budget, a report, a bounded depth."""

import json
from decimal import Decimal
from typing import Any

import pytest

from simulator.loop import Budget, CatalogueMismatch, Finished, Interrupted, OverBudget, Policy, SubLoop
from tests.loop.made import (
    DONE,
    HANDLERS,
    MODEL,
    TOOLS,
    ApiFailure,
    Fake,
    call,
    play,
    resendable,
    results,
    says,
)

REPORT = call(
    "toolu_r", "report", found="12 apples", did="counted", could_not="the pears", should_know="one rots"
)
TASK = "Count the apples in crate 3."


def sub(client: Any, **how: Any) -> SubLoop:
    policy = Policy(MODEL, **({"budget": Budget(steps=9), "sleep": lambda seconds: None} | how))
    return SubLoop(client, TOOLS, HANDLERS, policy)


def delegate(child: SubLoop, parent: Fake | None = None, **how: Any) -> tuple[Fake, Any]:
    """A parent whose first answer gives a task to *child*."""
    client = parent or Fake(says(call("toolu_1", "helper", task=TASK)), DONE)
    tools = [*TOOLS, child.definition("helper")]
    return client, play(client, tools=tools, handlers={"helper": child}, **how)


def test_the_report_reaches_the_parent_whole() -> None:
    parent, result = delegate(sub(Fake(says(REPORT), says("See above."))))
    assert result.exit == Finished("end_turn")
    [answer] = results(parent.turns[-1])
    assert "is_error" not in answer
    assert json.loads(answer["content"]) == {
        "status": "finished",
        "found": "12 apples",
        "did": "counted",
        "could_not": "the pears",
        "should_know": "one rots",
    }


def test_the_context_is_fresh_and_none_of_it_comes_back() -> None:
    child = Fake(says("Secret thoughts.", call("toolu_c")), says(REPORT), DONE)
    _, result = delegate(sub(child))
    assert [turn["role"] for turn in child.sent[0]["messages"]] == ["user"]
    assert "crates?" not in str(child.sent[0]["messages"])
    assert "Secret thoughts." not in str(result.messages)
    assert len(result.messages) == 4


def test_everything_a_child_spends_is_charged_to_its_parent() -> None:
    child = Fake(says(call("toolu_c")), says(REPORT), DONE)
    _, result = delegate(sub(child))
    assert result.spend.steps == 5
    assert result.spend.tokens == 5 * 15


@pytest.mark.parametrize("allowed", range(1, 6))
def test_parent_and_children_together_never_ask_more_than_the_one_budget_allows(allowed: int) -> None:
    numbers = iter(range(99))
    child = Fake(lambda body: says(call(f"toolu_c{(n := next(numbers))}", n=n)))
    two = says(call("toolu_1", "helper", task=TASK), call("toolu_2", "helper", task=TASK))
    parent, result = delegate(sub(child), Fake(two), budget=Budget(steps=allowed), parallel=4)
    assert len(parent.sent) + len(child.sent) == allowed
    assert isinstance(result.exit, OverBudget)
    resendable(result.messages)


def test_a_child_that_was_stopped_is_an_error_with_its_reason_and_what_it_had() -> None:
    child = Fake(says("So far: 7 apples.", call("toolu_c")))
    parent, _ = delegate(sub(child, budget=Budget(steps=1)))
    [answer] = results(parent.turns[-1])
    assert answer["is_error"]
    report = json.loads(answer["content"])
    assert report["status"] == "OverBudget"
    assert report["found"] == "So far: 7 apples."
    assert "1 steps were allowed" in report["could_not"]


def test_a_last_word_without_a_report_is_asked_about_once_and_then_no_success() -> None:
    child = Fake(says("Done, see above."))
    parent, _ = delegate(sub(child))
    [answer] = results(parent.turns[-1])
    assert len(child.sent) == 2
    assert "Your report is missing" in str(child.turns[-1])
    assert answer["is_error"]
    report = json.loads(answer["content"])
    assert report["status"] == "Unverified"
    assert report["found"] == "Done, see above."
    assert report["did"].startswith("No report was handed in")


def test_a_report_that_is_handed_in_when_asked_for_is_as_good_as_any() -> None:
    parent, _ = delegate(sub(Fake(says("Done."), says(REPORT), says("Handed in."))))
    [answer] = results(parent.turns[-1])
    assert "is_error" not in answer
    assert json.loads(answer["content"])["found"] == "12 apples"


def test_nothing_said_after_the_report_is_no_harm() -> None:
    parent, _ = delegate(sub(Fake(says(REPORT), says())))
    [answer] = results(parent.turns[-1])
    assert "is_error" not in answer
    assert json.loads(answer["content"])["status"] == "finished"


def test_a_check_of_the_sub_loops_own_is_asked_after_the_report() -> None:
    problems = iter(["Count again.", None])
    child = Fake(says(REPORT), says("Done."), says("Counted again."))
    parent, _ = delegate(sub(child, check=lambda text, messages: next(problems)))
    assert "Count again." in str(child.turns)
    assert "is_error" not in results(parent.turns[-1])[0]
    child = Fake(says(REPORT), says("Done."))
    parent, _ = delegate(sub(child, check=lambda text, messages: "Never right."))
    assert results(parent.turns[-1])[0]["is_error"]


def test_a_fatal_child_does_not_take_its_parent_with_it() -> None:
    _, result = delegate(sub(Fake(ApiFailure(401, "authentication_error"))))
    assert result.finished


def test_depth_is_bounded_and_too_deep_is_an_answer() -> None:
    deepest = Fake(says(REPORT), DONE)
    grandchild = sub(deepest)
    middle = Fake(says(call("toolu_m", "helper", task=TASK)), says(REPORT), DONE)
    child = SubLoop(
        middle, [*TOOLS, grandchild.definition("helper")], {**HANDLERS, "helper": grandchild}, Policy(MODEL)
    )
    _, result = delegate(child, depth=1)
    assert result.finished
    assert deepest.sent == []
    [refused] = results(middle.turns[2])
    assert "may not be nested any deeper" in refused["content"]


def test_a_call_without_a_task_is_told() -> None:
    parent, _ = delegate(sub(Fake(DONE)), Fake(says(call("toolu_1", "helper", job=1)), DONE))
    assert results(parent.turns[-1])[0]["is_error"]


def test_ctrl_c_within_a_child_ends_the_parent_too_and_what_it_spent_is_counted() -> None:
    child = Fake(says(call("toolu_c")), KeyboardInterrupt())
    _, result = delegate(sub(child))
    assert result.exit == Interrupted("keyboard", "act")
    assert result.spend.steps == 2
    resendable(result.messages)


def test_a_child_whose_tools_have_no_handlers_is_refused_before_anything_is_sent() -> None:
    child = SubLoop(Fake(DONE), TOOLS, {}, Policy(MODEL))
    with pytest.raises(CatalogueMismatch):
        delegate(child)


def test_a_child_without_prices_is_refused_where_money_is_limited() -> None:
    child = SubLoop(Fake(DONE), TOOLS, HANDLERS, Policy("unpriced"))
    with pytest.raises(ValueError, match="none are known for 'unpriced'"):
        delegate(child, budget=Budget(money=Decimal(1)))


def test_every_run_of_a_child_can_be_logged() -> None:
    seen: list[Any] = []
    policy = Policy(MODEL)
    child = SubLoop(Fake(says(REPORT), DONE), TOOLS, HANDLERS, policy, on_run=seen.append)
    delegate(child)
    assert [run.exit for run in seen] == [Finished("end_turn")]
