"""What an event keeps of a request besides its messages."""

import pytest

from simulator.trace.observe import observe
from simulator.trace.parameters import stated_by
from tests.recording.made import TASK, TOOLS, request
from tests.trace.made import events, reading


def test_the_first_request_leaves_system_and_tools_to_the_head():
    first = request(TASK, system="Be brief.")
    assert stated_by(first, first) == {"model": "claude-sonnet-5-5", "max_tokens": 1024}


@pytest.mark.parametrize(
    ("changed", "stated"),
    [
        ({"system": "Be long."}, {"system": "Be long."}),
        ({"system": None}, {"system": None}),
        ({"tools": TOOLS[:1]}, {"tools": ["list_dir"]}),
        ({"tools": []}, {"tools": []}),
        ({"stream": True}, {"stream": True}),
    ],
)
def test_a_later_request_states_what_differs(changed, stated):
    first = request(TASK, system="Be brief.")
    parameters = stated_by({**first, **changed}, first)
    assert parameters == {"model": "claude-sonnet-5-5", "max_tokens": 1024, **stated}


def test_a_loop_that_leaves_its_tools_away_in_the_end_shows_it():
    def forgets(client, messages, tools):
        asked = {"model": "claude-sonnet-5-5", "max_tokens": 64, "messages": messages}
        client.messages.create(**asked, tools=tools)
        client.messages.create(**asked)

    trace = observe(forgets, reading(2), lines=False)
    assert trace.exit.reason == "off_script"
    assert [event.parameters.get("tools") for event in events(trace, "request")] == [None, []]


def test_a_loop_keeps_its_own_system_prompt_where_the_conversation_has_none():
    def loop(client, messages, tools, handlers, system=""):
        return system

    assert observe(loop, "list_then_read").exit.value == ""
