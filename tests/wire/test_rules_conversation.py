"""The conversation as a whole: each refusal word for word, a lawful neighbour, and what is accepted."""

import pytest

from simulator.wire.rules import ACCEPTED, check_request
from tests.wire.rule_cases import (
    OLD,
    Case,
    Json,
    ask,
    assistant,
    call,
    exchange,
    request,
    result,
    system,
    text,
    thinking,
    tool,
    user,
)

BUDGET = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048, "model": OLD}
DIRECTIVE = "; the directive-only form (content: [] with output_config) is accepted at any position"
SERVER = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
SERVED = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}

MISSING = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each "
    "`tool_use` block must have a corresponding `tool_result` block in the next message."
)
UNEXPECTED = (
    "{}: unexpected `tool_use_id` found in `tool_result` blocks: {}. Each `tool_result` block must have a "
    "corresponding `tool_use` block in the previous message."
)
TWO = [call("t_1"), call("t_2")]

CASES = [
    Case(
        "system.first",
        request(system("Be brief."), ask()),
        f"messages.0: use the top-level 'system' parameter for the initial system prompt{DIRECTIVE}",
        "messages.0",
        request(ask(), system="Be brief."),
    ),
    Case(
        "system.unsupported",
        request(ask(), system("Be brief."), model=OLD),
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not '
        '"system" as an input message role.',
        "messages.1",
        request(ask(), system("Be brief.")),
    ),
    Case(
        "system.follows_wrong",
        request(ask(), ask(), assistant("Two."), system("Be brief."), ask()),
        "messages.3: role 'system' must follow a 'user' message or an 'assistant' message ending in a server "
        f"tool result{DIRECTIVE}",
        "messages.3",
        request(ask(), assistant(SERVER, SERVED), system("Be brief."), assistant("Two."), ask()),
    ),
    Case(
        "system.precedes_wrong",
        request(ask(), system("Be brief."), system("Be kind."), ask()),
        f"messages.2: role 'system' must precede an 'assistant' message or end the array{DIRECTIVE}",
        "messages.2",
        request(ask(), system("Be brief."), system("Be kind."), assistant("Two."), ask()),
    ),
    Case(
        "turn.empty_user",
        request(ask(), assistant("Two."), user(""), user()),
        "messages.2: user messages must have non-empty content",
        "messages.2",
        request(ask(), assistant("Two."), user(""), user("Which?")),
    ),
    Case(
        "text.empty",
        exchange([call()], user(result(), text(""))),
        "messages: text content blocks must be non-empty",
        "messages.2.content.1",
        exchange([call()], user(result(), text("Go on."))),
    ),
    Case(
        "text.blank",
        request(user(" \n")),
        "messages: text content blocks must contain non-whitespace text",
        "messages.0.content.0",
        request(ask(), assistant(text(" "), call()), user(result())),
    ),
    Case(
        "pairing.result_missing",
        exchange([call()], user("And now?")),
        MISSING.format("t_1"),
        "messages.1",
        exchange([call()], user(result(), text("And now?"))),
    ),
    Case(
        "pairing.result_unexpected",
        request(user("Which files are here?"), user(result("t_9"))),
        UNEXPECTED.format("messages.0.content.1", "t_9"),
        "messages.0.content.1",
        exchange([call("t_9")], user(result("t_9"))),
    ),
    Case(
        "pairing.result_twice",
        exchange([call()], user(result(), result())),
        "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks "
        "with id: t_1",
        "messages.2.content.1",
        exchange(TWO, user(result("t_2"), result("t_1"))),
    ),
    Case(
        "pairing.duplicate_call",
        request(ask(), assistant(call()), assistant(call()), user(result())),
        "messages.1.content.1: `tool_use` ids must be unique",
        "messages.1.content.1",
        request(ask(), assistant(call("t_1")), assistant(call("t_2")), user(result("t_1"), result("t_2"))),
    ),
    Case(
        "pairing.result_from_assistant",
        request(ask(), assistant(call(), result()), user("Go on.")),
        "messages.1: `tool_result` blocks can only be in `user` messages",
        "messages.1",
        exchange([call()], user(result())),
    ),
    Case(
        "pairing.call_from_user",
        request(user(call())),
        "messages.0: `tool_use` blocks can only be in `assistant` messages",
        "messages.0",
        exchange([call()], user(result())),
    ),
    Case(
        "pairing.server_result_missing",
        request(ask(), assistant(SERVER, text("I searched.")), user("And?")),
        "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding "
        "`web_search_tool_result` block",
        "messages.1",
        request(ask(), assistant(SERVER, SERVED, text("I searched.")), user("And?")),
    ),
    Case(
        "thinking.dropped",
        exchange([call()], user(result()), **BUDGET),
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When "
        "`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the "
        "lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from "
        "previous turns. To avoid this requirement, disable `thinking`. Please consult our documentation at "
        "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking",
        "messages.1.content.0.type",
        exchange([thinking(), call()], user(result()), **BUDGET),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_refusal_is_the_apis_and_its_neighbour_is_lawful(case: Case):
    case.hold()


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ((), "t_1, t_2"),
        ((user("Go on."),), "t_1, t_2"),
        ((user(text("Here:"), result("t_1"), result("t_2")),), "t_1, t_2"),
        ((user(result("t_2"), text("and"), result("t_1")),), "t_1"),
        ((user(result("t_1")), user("Go on."), user(result("t_2"))), "t_2"),
        ((user(result("t_1")), assistant("One."), user(result("t_2"))), "t_2"),
    ],
    ids=["nothing", "text only", "text first", "text between", "text between messages", "late"],
)
def test_calls_are_answered_by_an_unbroken_run_at_the_start_of_the_next_turn(
    answer: tuple[Json, ...], missing: str
):
    error = check_request(request(ask(), assistant(*TWO), *answer))
    assert error is not None
    assert error.message == MISSING.format(missing)


def test_thinking_once_in_a_tool_loop_is_enough():
    first = [assistant(thinking(), call("t_1")), user(result("t_1"))]
    second = [assistant(call("t_2")), user(result("t_2"))]
    assert check_request(request(ask(), *first, *second, **BUDGET)) is None
    later = [assistant("Two."), ask(), *second]
    error = check_request(request(ask(), *first, *later, **BUDGET))
    assert error is not None
    assert (error.rule, error.path) == ("thinking.dropped", "messages.5.content.0.type")


def test_a_text_in_front_of_the_call_is_named_where_thinking_was_dropped():
    error = check_request(exchange([text("Let me look."), call()], user(result()), **BUDGET))
    assert error is not None
    assert "but found `text`" in error.message


def test_a_server_tools_call_may_wait_while_the_clients_calls_are_answered():
    waiting = [SERVER, call()]
    assert check_request(exchange(waiting, user(result()))) is None
    assert check_request(exchange(waiting, user(result()), assistant(SERVED, text("Done.")), ask())) is None
    error = check_request(exchange(waiting, user(result(), text("Hurry."))))
    assert error is not None
    assert error.rule == "pairing.server_result_missing"


def test_every_unanswered_call_of_a_turn_is_listed_in_the_order_of_the_calls():
    calls = [call("t_1"), call("t_2"), call("t_3")]
    error = check_request(exchange(calls, user(result("t_2"))))
    assert error is not None
    assert error.message == MISSING.format("t_1, t_3")


def test_tool_search_names_its_result_without_the_kind_of_search():
    search = {**SERVER, "name": "tool_search_tool_regex"}
    error = check_request(request(ask(), assistant(search, text("Found.")), user("And?")))
    assert error is not None
    assert error.message.endswith("without a corresponding `tool_search_tool_result` block")


def test_what_a_compaction_block_summarises_is_not_judged_and_indices_stay():
    summary = {"type": "compaction", "content": "They talked."}
    lost = [user(result("lost")), assistant(text("So."), summary)]
    assert check_request(request(*lost, ask())) is None
    error = check_request(request(*lost, user(result("t_9"))))
    assert error is not None
    assert error.message == UNEXPECTED.format("messages.2.content.0", "t_9")


def test_a_thread_held_by_the_server_is_not_judged_by_the_part_that_is_sent():
    body = request(user(result("t_1")), thread={"type": "continue", "previous_message_id": "msg_1"})
    assert check_request(body) is None


def test_a_directive_without_words_may_stand_anywhere():
    directive = {"role": "system", "content": [], "output_config": {"effort": "low"}}
    assert check_request(request(directive, ask(), assistant("Two."), directive, ask())) is None
    assert check_request(request(ask(), assistant(call()), directive, user(result()))) is None


LAWFUL: dict[str, list[Json]] = {
    "same_role_neighbours": [
        request(ask(), user("All of them."), assistant("Two."), assistant("Or."), ask())
    ],
    "calls_in_several_messages": [
        request(ask(), assistant(call("t_1")), assistant(call("t_2")), user(result("t_1"), result("t_2")))
    ],
    "results_in_several_messages": [exchange(TWO, user(result("t_1")), user(result("t_2")))],
    "history_without_tools": [exchange([call()], user(result()))],
    "assistant_first": [request(assistant("Welcome."), ask())],
    "text_after_results": [
        exchange([call()], user(result(), text("Now read it."))),
        exchange([call()], user(result()), user("Now read it.")),
    ],
    "results_in_any_order": [exchange(TWO, user(result("t_2"), result("t_1")))],
    "blank_assistant_text": [request(ask(), assistant(text(" ")), ask())],
    "empty_assistant": [request(ask(), assistant(), ask()), request(ask(), assistant())],
    "empty_user_in_a_run": [request(ask(), user()), request(user(""), ask())],
    "same_id_in_two_turns": [
        exchange([call()], user(result()), assistant(call(name="read_file")), user(result()))
    ],
    "any_id": [exchange([call("auto_load-0f10")], user(result("auto_load-0f10")))],
    "result_content_of_any_kind": [
        exchange([call()], user(result(content=content)))
        for content in ("", [], "text", [text("a"), {"type": "tool_reference", "tool_name": "b"}])
    ]
    + [exchange([call()], user({"type": "tool_result", "tool_use_id": "t_1", "is_error": True}))],
    "system_turn": [
        request(ask(), system("Be brief."), model="claude-opus-4-8"),
        request(ask(), system("Be brief."), assistant("Two."), ask(), model="claude-fable-5"),
    ],
    "beta_keys": [
        request(
            context_management={},
            tools=[tool(strict=False, defer_loading=True, input_examples=[])],
        )
    ],
    "adaptive_thinking_forced": [
        request(thinking={"type": "adaptive"}, tools=[tool()], tool_choice={"type": "any"})
    ],
    "paused_turn_last": [
        request(ask(), assistant(SERVER)),
        request(ask(), assistant(SERVER, SERVED, text("So far:"))),
    ],
    "results_by_number": [exchange([call()], user(result("other")), model="claude-3-opus-20240229")],
    "no_tokens": [request(max_tokens=0)],
}


@pytest.mark.parametrize("accepted", ACCEPTED, ids=lambda accepted: accepted.id)
def test_what_the_table_calls_accepted_is_accepted(accepted):
    for body in LAWFUL[accepted.id]:
        assert check_request(body) is None


def test_models_of_2024_still_need_as_many_results_as_calls():
    error = check_request(exchange(TWO, user(result("other")), model="claude-3-opus-20240229"))
    assert error is not None
    assert error.message == MISSING.format("t_1, t_2")
