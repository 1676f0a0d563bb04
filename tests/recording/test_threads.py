"""Conversations that the server holds: requests that carry only what is new are answered like whole ones."""

import pytest
from anthropic import beta_tool

from simulator import scenario
from simulator.recording.stops import OffScript
from simulator.trace.observe import observe


def runner_of(client, messages, tools, handlers, **more):
    """Return the SDK's tool runner as it comes, or with *more*."""
    runnable = [
        beta_tool(
            lambda _name=tool["name"], **given: handlers[_name](**given),
            name=tool["name"],
            description=tool["description"],
            input_schema=tool["input_schema"],
        )
        for tool in tools
    ]
    return client.beta.messages.tool_runner(
        model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=runnable, **more
    )


def held(client, messages, tools, handlers):
    return runner_of(client, messages, tools, handlers).until_done()


def whole(client, messages, tools, handlers):
    return runner_of(client, messages, tools, handlers, thread=False).until_done()


@pytest.mark.parametrize("name", ["list_then_read", "todo_list"])
def test_a_held_conversation_is_answered_as_if_every_request_carried_it(name):
    one, other = observe(held, name), observe(whole, name)
    assert one.exit.reason == "returned"
    assert one.exit.value == other.exit.value
    assert [step.event.digest for step in one.requests] == [step.event.digest for step in other.requests]
    one.verify()


def test_an_answer_that_was_never_given_cannot_be_gone_on_from():
    session = scenario("list_then_read").start()
    with pytest.raises(OffScript):
        session.client.beta.messages.create(
            model="claude-sonnet-5-5",
            max_tokens=64,
            messages=[{"role": "user", "content": "And then?"}],
            thread={"type": "continue", "previous_message_id": "msg_of_another_day"},
        )


def test_an_error_of_the_conversation_counts_its_whole_turns():
    session = scenario("list_then_read").start()
    ask = session.client.beta.messages.create
    first = ask(
        model="claude-sonnet-5-5",
        max_tokens=1024,
        messages=session.messages,
        tools=session.tools,
        thread={"type": "create"},
    )
    with pytest.raises(Exception, match=r"messages\.1: `tool_use` ids were found without `tool_result`"):
        ask(
            model="claude-sonnet-5-5",
            max_tokens=1024,
            messages=[{"role": "user", "content": "Go on."}],
            thread={"type": "continue", "previous_message_id": first.id},
        )
