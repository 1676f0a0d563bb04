"""Entries of messages: each refusal word for word, and a lawful neighbour."""

import pytest

from simulator.wire.rules import check_request
from tests.wire.rule_cases import Case, ask, assistant, call, exchange, request, result, text, user

CASES = [
    Case(
        "message.not_object",
        request(ask(), "hello"),
        "messages.1: Input does not match the expected shape.",
        "messages.1",
        request(ask()),
    ),
    Case(
        "message.role_missing",
        request({"content": "hello"}),
        "messages.0.role: Field required",
        "messages.0.role",
        request(user("hello")),
    ),
    Case(
        "message.role_tool",
        request(ask(), {"role": "tool", "tool_call_id": "t_1", "content": "package.json"}),
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant". For instructions on how '
        "to use tools, see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview.",
        "messages.1",
        exchange([call()], user(result())),
    ),
    Case(
        "message.role_unknown",
        request({"role": "developer", "content": "Be brief."}),
        'messages: Unexpected role "developer". Allowed roles are "user" or "assistant"',
        "messages.0",
        request(user("Be brief.")),
    ),
    Case(
        "message.content_missing",
        request({"role": "user"}),
        "messages.0.content: Field required",
        "messages.0.content",
        request(user("hello")),
    ),
    Case(
        "message.content_not_list",
        request({"role": "user", "content": None}),
        "messages.0.content: Input should be a valid array",
        "messages.0.content",
        request({"role": "user", "content": [text("hello")]}),
    ),
    Case(
        "message.unknown_key",
        request(ask(), {"id": "msg_1", **assistant("Two."), "usage": {}}, user("Which?")),
        "messages.1.id: Extra inputs are not permitted",
        "messages.1.id",
        request(ask(), assistant("Two."), user("Which?")),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_refusal_is_the_apis_and_its_neighbour_is_lawful(case: Case):
    case.hold()


def test_the_shape_of_an_entry_is_reported_at_its_place_as_sent_not_after_merging():
    error = check_request(request(user("one"), user("two"), user(text("three"), {"type": "text"})))
    assert error is not None
    assert error.path == "messages.2.content.1.text.text"
