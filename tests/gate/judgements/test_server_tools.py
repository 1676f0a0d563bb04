"""Family v: the server's own calls are its own, and what the loop does beside them is free."""

import copy

import pytest

from simulator.gate.judgements import server_tools
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.saying import check

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 2048}
MIXED, ALONE = Case("asks_the_web_too"), Case("web_answer_alone")


def loop(turns, goes_on=lambda response: response.stop_reason == "tool_use"):
    """Return an ordinary loop that appends ``turns(content, results)`` after each answer it goes on from."""

    def run_agent_loop(client, messages, tools, handlers):
        history = copy.deepcopy(messages)
        while True:
            response = client.messages.create(**MODEL, messages=history, tools=tools)
            if not goes_on(response):
                return response
            results = [result(block, handlers) for block in response.content if block.type == "tool_use"]
            history += turns(response.content, results)

    return run_agent_loop


def result(block, handlers):
    return {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}


def pair(content, results):
    return [{"role": "assistant", "content": content}, {"role": "user", "content": results}]


def plain(content):
    return [block.to_dict() for block in content]


def is_open(content):
    done = {getattr(block, "tool_use_id", None) for block in content}
    return any(block.type == "server_tool_use" and block.id not in done for block in content)


def with_a_word_where_nothing_is_open(content, results):
    word = [] if is_open(content) else [{"type": "text", "text": "Please go on."}]
    return pair(content, [*results, *word])


@pytest.mark.parametrize(
    "turns",
    [pair, lambda content, results: pair(plain(content), results), with_a_word_where_nothing_is_open],
)
def test_answering_its_own_calls_alone_is_right_in_any_form(turns):
    trace = perform(loop(turns), MIXED, 1)
    assert server_tools.answers_only_its_own(trace).outcome == "pass"
    assert server_tools.echoes_server_blocks(trace).outcome == "pass"
    assert server_tools.answers_only_its_own(perform(loop(turns), ALONE, 1)).outcome == "pass"


def with_a_word(content, results):
    return pair(content, [*results, {"type": "text", "text": "Please go on."}])


def answering_all(content, results):
    done = {result["tool_use_id"] for result in results}
    others = [block.id for block in content if block.type == "server_tool_use" and block.id not in done]
    made = [{"type": "tool_result", "tool_use_id": given, "content": "not available"} for given in others]
    return pair(content, [*results, *made])


def has_a_tool_in_it(response):
    return any("tool_use" in block.type for block in response.content)


def drops_tools(client, messages, tools, handlers):
    history = copy.deepcopy(messages)
    while True:
        offered = [tool for tool in tools if tool["name"] != "web_search" or len(history) < 3]
        response = client.messages.create(**MODEL, messages=history, tools=offered)
        if response.stop_reason != "tool_use":
            return response
        results = [result(block, handlers) for block in response.content if block.type == "tool_use"]
        history += pair(response.content, results)


@pytest.mark.parametrize(
    ("wrong", "case", "finding"),
    [
        (loop(with_a_word), MIXED, "beside"),
        (loop(answering_all), MIXED, "answered"),
        (loop(pair, has_a_tool_in_it), ALONE, "went_on"),
        (drops_tools, MIXED, "tools_gone"),
    ],
)
def test_each_way_to_meddle_with_the_server_has_its_finding(wrong, case, finding):
    verdict = server_tools.answers_only_its_own(perform(wrong, case, 1))
    check(verdict, f"server_tools.{finding}")


def known_types(content, results):
    return pair([block for block in content if block.type in ("text", "tool_use")], results)


def without_what_is_encrypted(content, results):
    blocks = plain(content)
    for block in blocks:
        for found in block["content"] if block["type"].endswith("_tool_result") else []:
            found["encrypted_content"] = ""
    return pair(blocks, results)


def own_calls_first(content, results):
    return pair(sorted(plain(content), key=lambda block: block["type"] != "tool_use"), results)


@pytest.mark.parametrize(
    ("turns", "finding"),
    [(known_types, "dropped"), (without_what_is_encrypted, "altered"), (own_calls_first, "moved")],
)
def test_each_way_to_send_other_blocks_back_has_its_finding(turns, finding):
    verdict = server_tools.echoes_server_blocks(perform(loop(turns), MIXED, 1))
    check(verdict, f"server_tools.{finding}")


def test_a_loop_that_looks_for_a_handler_of_the_servers_tool_crashes_and_its_crash_is_what_is_told():
    def meddling(client, messages, tools, handlers):
        response = client.messages.create(**MODEL, messages=messages, tools=tools)
        block = next(block for block in response.content if block.type == "server_tool_use")
        return handlers[block.name](**block.input)

    trace = perform(meddling, MIXED, 1)
    assert server_tools.answers_only_its_own(trace).outcome == "unknown"
    assert trace.exit.error_type == "KeyError"
