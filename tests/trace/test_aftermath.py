"""What a loop did with one answer, read from its trace."""

import pytest

from simulator.trace.aftermath import aftermath
from simulator.trace.observe import observe
from tests.trace.sample_loops import whole


def ask(client, messages, tools, max_tokens=1024):
    return client.messages.create(
        model="claude-sonnet-5-5", max_tokens=max_tokens, tools=tools, messages=messages
    )


def once(client, messages, tools):
    return ask(client, messages, tools)


def same(client, messages, tools):
    ask(client, messages, tools)
    return ask(client, messages, tools)


def less_room(client, messages, tools):
    ask(client, messages, tools)
    return ask(client, messages, tools, 512)


def more_room(client, messages, tools):
    ask(client, messages, tools)
    return ask(client, messages, tools, 4096)


def resent(client, messages, tools):
    answer = ask(client, messages, tools)
    return ask(client, [*messages, {"role": "assistant", "content": answer.content}], tools)


def nudge(client, messages, tools):
    answer = ask(client, messages, tools)
    said = {"role": "assistant", "content": answer.content}
    return ask(client, [*messages, said, {"role": "user", "content": "Go on."}], tools)


def nudge_alone(client, messages, tools):
    ask(client, messages, tools)
    return ask(client, [*messages, {"role": "user", "content": "Go on."}], tools)


def other(client, messages, tools):
    ask(client, messages, tools)
    return ask(client, [{"role": "user", "content": "Something else."}], tools)


@pytest.mark.parametrize(
    ("loop", "signal", "expected"),
    [
        (once, "tool_use", None),
        (same, "tool_use", "same"),
        (less_room, "max_tokens", "same"),
        (more_room, "max_tokens", "more_room"),
        (resent, "pause_turn", "resent"),
        (nudge, "end_turn", "nudge"),
        (nudge_alone, "refusal", "nudge"),
        (other, "tool_use", "other"),
    ],
)
def test_what_was_sent_next_is_told_from_the_messages(loop, signal, expected):
    seen = aftermath(observe(loop, "list_then_read", what_if={1: signal}), 1)
    assert (seen.came, seen.next, seen.requests) == (True, expected, 0 if expected is None else 1)
    assert seen.max_tokens == {None: None, "more_room": 4096}.get(
        expected, 512 if loop is less_room else 1024
    )


def test_the_tests_and_the_tools_belong_to_the_one_answer():
    trace = observe(whole, "list_then_read")
    first, last = aftermath(trace, 1), aftermath(trace, 3)
    assert (first.ran, first.next, first.requests) == (("list_dir",), "results", 2)
    assert [test.turn for test in first.tests] == [1] * len(first.tests)
    assert (last.ran, last.next, last.requests, last.exit.reason) == ((), None, 0, "returned")
    assert any("stop_reason" in str(test.test) for test in last.tests)


def test_an_answer_that_never_came_has_no_aftermath():
    seen = aftermath(observe(whole, "list_then_read"), 9)
    assert (seen.came, seen.tests, seen.ran, seen.next, seen.requests) == (False, (), (), None, 0)


def test_an_error_is_no_answer():
    trace = observe(
        lambda client: client.messages.create(model="m", max_tokens=9, messages=[]), "list_then_read"
    )
    assert not aftermath(trace, 1).came
