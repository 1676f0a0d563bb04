"""Catalogue and handlers agree; every call is answered once, in order; an error teaches."""

import threading
import time
from typing import Any

import pytest

from simulator.loop import CatalogueMismatch, Failed, Fatal, FatalFailure, InvalidCall, TransientFailure
from simulator.loop.answers import content_of, hidden
from simulator.loop.results import TOOL, Memory, Results
from tests.loop.made import DONE, TOOLS, Clock, Fake, call, play, resendable, results, says

THREE = says(call("tu_7f", n=1), call("tu_3a", "weigh"), call("tu_9c", "sell"))


def fails(error: BaseException) -> Any:
    def handler(**given: Any) -> Any:
        raise error

    return handler


def answer(handler: Any, **how: Any) -> dict[str, Any]:
    """What the model gets when it calls this handler."""
    client = Fake(says(call("toolu_1", "sell", crates=3)), DONE)
    assert play(client, handlers={"sell": handler}, **how).finished
    [result] = results(client.turns[-1])
    return result


def test_a_tool_without_a_handler_is_refused_before_anything_is_sent() -> None:
    client = Fake(DONE)
    tools = [*TOOLS, {"name": "paint", "input_schema": {"type": "object"}}]
    with pytest.raises(CatalogueMismatch, match="nobody answers them: paint"):
        play(client, tools=tools)
    assert client.sent == []


def test_a_server_tool_needs_no_handler() -> None:
    client = Fake(DONE)
    assert play(client, tools=[*TOOLS, {"type": "web_search_20250305", "name": "web_search"}]).finished


@pytest.mark.parametrize("parallel", [1, 2, 3])
def test_every_call_of_a_turn_is_answered_in_order_in_one_user_turn(parallel: int) -> None:
    client = Fake(THREE, DONE)
    assert play(client, parallel=parallel).finished
    assert len(client.sent) == 2
    assert len(client.turns) == 3
    found = [(r["tool_use_id"], r["content"]) for r in client.turns[-1]["content"]]
    assert found == [("tu_7f", "12"), ("tu_3a", "3 kg"), ("tu_9c", "sold")]


def test_calls_run_at_once_end_in_any_order_and_are_answered_in_theirs() -> None:
    weighed = threading.Event()

    def count(**given: Any) -> str:
        assert weighed.wait(5)
        return "12"

    def weigh(**given: Any) -> str:
        weighed.set()
        return "3 kg"

    client = Fake(THREE, DONE)
    play(client, parallel=3, handlers={"count": count, "weigh": weigh})
    assert [r["content"] for r in results(client.turns[-1])] == ["12", "3 kg", "sold"]


def test_one_failing_call_leaves_the_others_their_results() -> None:
    client = Fake(THREE, DONE)
    play(client, handlers={"weigh": fails(OSError("the scales are off"))})
    assert [r.get("is_error", False) for r in results(client.turns[-1])] == [False, True, False]


def test_a_handlers_own_exception_speaks_for_itself() -> None:
    class ClosedError(Exception):
        pass

    assert answer(fails(ClosedError("The market opens at 9."))) == {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "The market opens at 9.",
        "is_error": True,
    }


def test_a_bare_exception_is_told_with_its_kind_and_a_next_action_and_no_traceback() -> None:
    text = answer(fails(KeyError("crate")))["content"]
    assert text.startswith("sell failed: KeyError: 'crate'.")
    assert "Traceback" not in text
    assert "Check the arguments" in text


@pytest.mark.parametrize("code", ["ENOENT", "disk full", ""])
def test_a_code_instead_of_a_sentence_gets_the_words_it_lacks(code: str) -> None:
    class ShelfError(Exception):
        pass

    text = answer(fails(ShelfError(code)))["content"]
    assert text.startswith(f"sell failed: ShelfError{': ' * bool(code)}{code}.")
    assert "Check the arguments" in text


def test_a_handler_can_name_what_there_is_instead() -> None:
    error = InvalidCall("No crate 'aples'.", given="aples", choices=["apples", "kiwis"])
    assert answer(fails(error))["content"] == "No crate 'aples'.\nDid you mean: apples?"


def test_an_unknown_tool_is_answered_with_those_there_are() -> None:
    client = Fake(says(call("toolu_1", "wiegh")), DONE)
    assert play(client).finished
    [result] = results(client.turns[-1])
    assert result["is_error"]
    assert "did you mean weigh? The tools are: count, weigh, sell." in result["content"]


def test_a_handler_that_is_not_on_offer_is_not_run() -> None:
    ran: list[Any] = []
    client = Fake(says(call("toolu_1", "burn")), DONE)
    assert play(client, handlers={"burn": lambda **given: ran.append(given)}).finished
    assert ran == []


def test_arguments_that_do_not_fit_are_told_with_close_matches_and_nothing_runs() -> None:
    def sell(crate: int, price: int = 1) -> str:
        raise AssertionError("it was run")

    client = Fake(says(call("toolu_1", "sell", creat=3)), DONE)
    play(client, handlers={"sell": sell})
    [result] = results(client.turns[-1])
    assert "Missing: crate" in result["content"]
    assert "does not take creat; did you mean crate?" in result["content"]


def test_what_the_schema_requires_is_asked_for_before_the_handler_runs() -> None:
    schema = {"type": "object", "properties": {"crate": {}}, "required": ["crate"]}
    client = Fake(says(call("toolu_1", "sell")), DONE)
    tools = [*TOOLS[:2], TOOLS[2] | {"input_schema": schema}]
    play(client, tools=tools, handlers={"sell": fails(AssertionError("it was run"))})
    assert "Missing: crate" in results(client.turns[-1])[0]["content"]


def test_propagate_ends_the_run_with_the_handlers_exception_and_every_call_answered() -> None:
    error, ran = OSError("the scales are off"), []
    handlers = {"weigh": fails(error), "sell": lambda **given: ran.append(given)}
    result = play(Fake(THREE), handlers=handlers, on_tool_error="propagate")
    assert isinstance(result.exit, Fatal)
    assert result.exit.error is error
    assert ran == []
    assert [r["tool_use_id"] for r in results(result.messages[-1])] == ["tu_7f", "tu_3a", "tu_9c"]
    resendable(result.messages)


def test_a_handler_can_end_the_run() -> None:
    for reason in ("the key was revoked", "revoked"):
        result = play(Fake(THREE), handlers={"weigh": fails(FatalFailure(reason))})
        assert isinstance(result.exit, Fatal)
        assert (result.exit.where, result.exit.reason) == ("tool", reason)


def test_a_handler_that_says_nothing_has_happened_is_run_again_and_the_model_hears_nothing() -> None:
    tries: list[int] = []

    def sell(**given: Any) -> str:
        tries.append(1)
        if len(tries) < 3:
            raise TransientFailure("the line is busy", retry_after=4)
        return "sold"

    clock = Clock()
    assert answer(sell, clock=clock)["content"] == "sold"
    assert clock.slept == [4, 4]


def test_any_other_failure_of_a_handler_is_not_repeated() -> None:
    tries: list[int] = []

    def sell(**given: Any) -> str:
        tries.append(1)
        raise ConnectionError("lost")

    assert answer(sell)["is_error"]
    assert tries == [1]


def test_a_hanging_tool_meets_its_deadline_and_the_model_is_told_that_it_may_still_run() -> None:
    gate = threading.Event()
    began = time.monotonic()
    result = answer(lambda **given: gate.wait(60), tool_seconds=0.05)
    gate.set()
    assert time.monotonic() - began < 5
    assert result["is_error"]
    assert "may still be running" in result["content"]


def test_without_a_deadline_a_handler_runs_in_the_loops_own_thread() -> None:
    threads: list[Any] = []
    answer(lambda **given: threads.append(threading.current_thread()), tool_seconds=None)
    assert threads == [threading.current_thread()]


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("", "(no output)"),
        (None, "(no output)"),
        (0, "0"),
        ([], "[]"),
        ({}, "{}"),
        (False, "false"),
        ({"a": "ñ"}, '{"a": "ñ"}'),
        ([{"type": "text", "text": "x"}], [{"type": "text", "text": "x"}]),
        ([{"type": "text", "text": ""}], "(no output)"),
        ([{"type": "apple"}], '[{"type": "apple"}]'),
    ],
)
def test_every_value_is_a_result(value: Any, content: Any) -> None:
    assert answer(lambda **given: value) == {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": content,
    }


def test_a_value_that_is_no_json_is_told_as_text() -> None:
    assert content_of({1}) == "{1}"


def test_a_handler_may_return_its_failure() -> None:
    result = answer(lambda **given: Failed({"sold": 0}))
    assert (result["content"], result["is_error"]) == ('{"sold": 0}', True)


def test_what_looks_like_a_key_is_hidden_from_the_model() -> None:
    assert hidden("401 for sk-ant-api03-abcdefgh, Bearer abc.def.ghi1") == "401 for (hidden), (hidden)"


def test_a_result_of_200_kb_is_cut_and_says_so() -> None:
    content = answer(lambda **given: "x" * 200_000)["content"]
    assert len(content) < 51_000
    assert content.startswith("[from the loop] This result has 200000 characters")


def test_a_large_result_is_kept_outside_and_any_part_of_it_can_be_read_again() -> None:
    whole = "".join(f"line {n}\n" for n in range(30_000))
    start = whole.index("line 20000")
    client = Fake(
        says(call("toolu_1", "sell")),
        says(call("toolu_2", TOOL, reference="result_1", start=start, length=10)),
        says(call("toolu_3", TOOL, reference="resutl_1")),
        DONE,
    )
    kept = Results(limit=10_000, excerpt=500, store=Memory())
    assert play(client, handlers={"sell": lambda **given: whole}, results=kept).finished
    first, second, third = (results(turn)[0] for turn in client.turns[2::2])
    assert len(first["content"]) < 1_000
    assert "kept as result_1" in first["content"]
    assert second["content"] == "line 20000"
    assert "Did you mean: result_1?" in third["content"]
    assert [[t["name"] for t in body["tools"]][-1] for body in client.sent] == [TOOL] * 4


def test_the_same_large_result_again_is_no_news() -> None:
    store = Memory()
    assert store.keep("x" * 9) == store.keep("x" * 9)


def test_an_image_beside_a_large_text_stays() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    content = Results(limit=5).fit([{"type": "text", "text": "123456789"}, image])
    assert content[1:] == [{"type": "text", "text": "12345"}, image]
