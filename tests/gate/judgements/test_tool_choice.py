"""Family r: a forced choice holds until there is a call, and no longer."""

import copy

import pytest

from simulator.gate.judgements import tool_choice
from simulator.gate.perform import perform

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
CASES = tool_choice.PROBES[0].cases


def loop(choice):
    """Return a loop whose request number n states ``choice(n, given)``, or nothing for None."""

    def run_agent_loop(client, messages, tools, handlers, tool_choice=None):
        history = copy.deepcopy(messages)
        for number in range(1, 8):
            stated = choice(number, tool_choice)
            more = {"tool_choice": stated} if stated else {}
            response = client.messages.create(**MODEL, tools=tools, messages=history, **more)
            history.append({"role": "assistant", "content": [b.to_dict() for b in response.content]})
            if response.stop_reason != "tool_use":
                return response
            results = [
                {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
                for b in response.content
                if b.type == "tool_use"
            ]
            history.append({"role": "user", "content": results})
        return None

    return run_agent_loop


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    "choice",
    [
        lambda number, given: given if number == 1 else None,
        lambda number, given: given if number == 1 else {"type": "auto"},
        lambda number, given: {**given, "disable_parallel_tool_use": True} if number == 1 else None,
    ],
)
def test_forced_once_is_right_whatever_the_later_requests_state(case, choice):
    assert tool_choice.forces_the_first_step_only(perform(loop(choice), case, 1)).outcome == "pass"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    ("choice", "finding"),
    [
        (lambda number, given: given, "tool_choice.still_forced"),
        (lambda number, given: given if number < 3 else None, "tool_choice.still_forced"),
        (lambda number, given: None, "tool_choice.not_sent"),
        (lambda number, given: {"type": "auto"}, "tool_choice.not_sent"),
    ],
)
def test_forced_never_or_too_long_is_told_so(case, choice, finding):
    assert tool_choice.forces_the_first_step_only(perform(loop(choice), case, 1)).finding == finding


def test_any_tool_is_not_the_tool_that_was_asked_for():
    trace = perform(loop(lambda number, given: {"type": "any"} if number == 1 else None), CASES[1], 1)
    assert tool_choice.forces_the_first_step_only(trace).finding == "tool_choice.not_sent"
