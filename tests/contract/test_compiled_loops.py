"""What compiled loops do where no recorded conversation goes: on a client that answers dictionaries."""

import copy
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from types import ModuleType
from typing import Any

import pytest

from simulator.contract import loop_source
from simulator.contract.model import (
    Action,
    Budget,
    Compaction,
    Contract,
    Handlers,
    Results,
    Retries,
    Verification,
)
from simulator.wire.rules import check_request
from tests.contract.made import PLAIN, PRICES, SIGNALS, asking

TOOLS = [{"name": "look", "input_schema": {"type": "object", "properties": {}}}]
TASK = [{"role": "user", "content": "What is on the shelf?"}]


@lru_cache(maxsize=64)
def module(source: str) -> ModuleType:
    """Return what *source* makes, as a module that dataclasses can look up."""
    import sys

    made = ModuleType(f"compiled_{abs(hash(source))}")
    sys.modules[made.__name__] = made
    exec(compile(source, "compiled loop", "exec"), vars(made))
    return made


def loop_of(contract: Contract) -> ModuleType:
    return module(loop_source(contract))


class Client:
    """Answers with what it was given, one after another; keeps each request as it was, and checks it."""

    def __init__(self, *answers: Any) -> None:
        self.messages, self._answers, self.requests = self, iter(answers), list[Any]()

    def create(self, **request: Any) -> Any:
        """Return or raise the next answer."""
        said = copy.deepcopy(request)
        said |= said.pop("extra_body", {})
        refusal = check_request(said)
        assert refusal is None, refusal
        self.requests.append(said)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


class ApiError(Exception):
    """An error as an SDK raises it."""

    def __init__(self, status: int | None, text: str = "no", **headers: str) -> None:
        super().__init__(text)
        if status is not None:
            self.status_code = status
        self.response = type(
            "Response", (), {"headers": {k.replace("_", "-"): v for k, v in headers.items()}}
        )


def answer(stop_reason: str | None, *content: Any, **usage: int) -> dict[str, Any]:
    blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in content]
    spent = {"input_tokens": 10, "output_tokens": 5, **usage}
    return {
        "type": "message",
        "role": "assistant",
        "content": blocks,
        "stop_reason": stop_reason,
        "usage": spent,
    }


def call(number: int = 1, name: str = "look", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": given}


def results(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the result blocks of the last turn of *request*."""
    return [block for block in request["messages"][-1]["content"] if block["type"] == "tool_result"]


def say(*words: str) -> Iterator[str]:
    return iter(words)


DONE = answer("end_turn", "A lamp.")


def run(
    contract: Contract, *answers: Any, look: Any = lambda: "a lamp", **options: Any
) -> tuple[Any, Client]:
    """Run the loop of *contract* on *answers*; return what it returns, and the client."""
    client, loop = Client(*answers), loop_of(contract)
    return loop.run_agent_loop(client, TASK, TOOLS, {"look": look}, **options), client


def stopped(contract: Contract, *answers: Any, **options: Any) -> Any:
    """Run the loop of *contract* and return the ending that it raises."""
    with pytest.raises(loop_of(contract).LoopStopped) as caught:
        run(contract, *answers, **options)
    return caught.value


def test_the_response_comes_back_as_the_client_gave_it_also_where_it_is_a_dictionary() -> None:
    response, client = run(PLAIN, answer("tool_use", call()), DONE)
    assert response is DONE
    assert [block["content"] for block in results(client.requests[1])] == ["a lamp"]
    assert TASK == [{"role": "user", "content": "What is on the shelf?"}]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("", "(no output)"),
        (None, "(no output)"),
        (0, "0"),
        ([], "[]"),
        ({"a": "ñ"}, '{"a": "ñ"}'),
        ([{"type": "text", "text": "two"}, {"type": "text", "text": " "}], [{"type": "text", "text": "two"}]),
        ([{"type": "file", "name": "x"}], '[{"type": "file", "name": "x"}]'),
        ({1}, "{1}"),
    ],
)
def test_whatever_a_handler_returns_is_a_result_that_the_api_takes(given: Any, sent: Any) -> None:
    _, client = run(PLAIN, answer("tool_use", call()), DONE, look=lambda: given)
    (block,) = results(client.requests[1])
    assert block["content"] in (sent, f'"{sent}"')
    assert "is_error" not in block


def test_a_handler_that_changes_its_arguments_changes_nothing_of_the_conversation() -> None:
    def look(places: list[str]) -> str:
        places.clear()
        return "nothing"

    _, client = run(PLAIN, answer("tool_use", call(places=["shelf"])), DONE, look=look)
    assert client.requests[1]["messages"][1]["content"][0]["input"] == {"places": ["shelf"]}


def test_what_an_ending_hands_over_can_be_gone_on_with_as_often_as_it_is_interrupted() -> None:
    loop = loop_of(PLAIN)

    def stop() -> str:
        raise KeyboardInterrupt

    messages: Any = TASK
    for turn in range(3):
        handlers = {"look": lambda: "a lamp", "stop": stop}
        asked = answer("tool_use", "Looking.", call(turn * 3), call(turn * 3 + 1, "stop"), call(turn * 3 + 2))
        with pytest.raises(loop.Interrupted) as caught:
            loop.run_agent_loop(Client(asked), messages, TOOLS, handlers)
        messages = caught.value.messages
        assert caught.value.text == "Looking."
        assert caught.value.usage["output_tokens"] == 5
    client = Client(DONE)
    assert loop.run_agent_loop(client, messages, TOOLS, {}) is DONE
    sent = [block for turn in client.requests[0]["messages"][1:] for block in turn["content"]]
    kept = {block["tool_use_id"]: block["content"] for block in sent if block["type"] == "tool_result"}
    assert [kept[f"toolu_{n}"] == "a lamp" for n in range(9)] == [True, False, False] * 3


def test_a_stop_reason_nobody_knows_or_none_at_all_ends_by_name() -> None:
    for reason in ("new_reason", None, "tool_use"):
        ending = stopped(PLAIN, answer(reason, "Well."))
        assert type(ending).__name__ == "UnhandledStop"
        assert (ending.stop_reason, ending.text) == (reason, "Well.")


def test_an_ending_is_on_record_with_what_was_used() -> None:
    records: list[dict[str, Any]] = []
    stopped(PLAIN, answer("tool_use", call()), answer("refusal"), on_event=records.append)
    assert [entry["event"] for entry in records] == ["answer", "tool", "answer", "stopped"]
    assert records[-1]["by"] == "UnhandledStop"
    assert records[-1]["usage"]["input_tokens"] == 20
    json.dumps(records)


def test_records_go_to_the_logger_of_the_contract(caplog: pytest.LogCaptureFixture) -> None:
    contract = replace(PLAIN, tracing=replace(PLAIN.tracing, logger="shelf.loop"))
    with caplog.at_level("INFO", logger="shelf.loop"):
        run(contract, answer("tool_use", call()), DONE)
    assert [json.loads(text)["event"] for _, _, text in caplog.record_tuples] == [
        "answer",
        "tool",
        "answer",
        "finished",
    ]


def test_money_is_counted_over_all_answers_with_the_prices_of_the_contract() -> None:
    contract = replace(PLAIN, budget=Budget(usd=0.00011, prices=PRICES))
    dear = answer("tool_use", call(), cache_read_input_tokens=10)
    ending = stopped(contract, dear, DONE, max_cost=0.0001)
    assert type(ending).__name__ == "BudgetExceeded"
    assert (ending.name, ending.limit) == ("max_cost", 0.0001)
    assert ending.spent == pytest.approx((10 * 3 + 5 * 15 + 10 * 0.3) / 1e6)
    assert run(contract, dear, DONE, max_cost=None)[0] is DONE


def test_a_cut_answer_is_asked_for_with_twice_the_room_and_the_room_is_small_again_after_it() -> None:
    contract = replace(PLAIN, signals={**SIGNALS, "max_tokens": Action("ask_again", 2)})
    cut = answer("max_tokens", "Half a")
    _, client = run(contract, cut, answer("tool_use", call()), cut, cut, DONE)
    assert [request["max_tokens"] for request in client.requests] == [4096, 8192, 4096, 8192, 16384]
    assert client.requests[0]["messages"] == client.requests[1]["messages"]
    ending = stopped(contract, cut, cut, cut)
    assert (ending.stop_reason, ending.text) == ("max_tokens", "Half a")


def test_a_call_in_a_cut_answer_never_runs_and_is_answered_in_what_is_handed_over() -> None:
    ran: list[str] = []
    ending = stopped(PLAIN, answer("max_tokens", "So", call()), look=lambda: ran.append("x"))
    assert not ran
    assert ending.messages[-1]["content"][0]["is_error"] is True


def test_a_tool_is_forced_with_the_first_request_only_and_only_where_it_is_on_offer() -> None:
    forced = asking(tool_choice={"type": "tool", "name": "look"})
    _, client = run(forced, answer("tool_use", call()), DONE)
    assert [request.get("tool_choice") for request in client.requests] == [
        {"type": "tool", "name": "look"},
        None,
    ]
    _, client = run(asking(tool_choice={"type": "tool", "name": "fly"}), DONE)
    assert "tool_choice" not in client.requests[0]
    _, client = run(asking(tool_choice={"type": "auto"}), answer("tool_use", call()), DONE)
    assert [request["tool_choice"] for request in client.requests] == [{"type": "auto"}] * 2
    client = Client(DONE)
    loop_of(asking(tool_choice={"type": "any"})).run_agent_loop(client, TASK, [], {})
    assert "tools" not in client.requests[0]
    assert "tool_choice" not in client.requests[0]


def test_older_models_get_their_sampling() -> None:
    contract = asking(temperature=0.2, top_k=40)
    contract = replace(contract, request=replace(contract.request, model="claude-sonnet-4-6"))
    _, client = run(contract, DONE)
    assert (client.requests[0]["temperature"], client.requests[0]["top_k"]) == (0.2, 40)


def test_an_error_of_a_tool_is_told_without_keys_or_tracebacks_and_not_at_any_length() -> None:
    def look() -> str:
        raise OSError(
            "Traceback (most recent call last):\n  File x\nOSError: token=hunter2hunter2 " + "x" * 50_000
        )

    _, client = run(PLAIN, answer("tool_use", call()), DONE, look=look)
    (block,) = results(client.requests[1])
    assert "hunter2" not in block["content"]
    assert "File x" not in block["content"]
    assert len(block["content"]) < 3_000


def test_a_tool_that_fails_ends_the_run_where_failures_propagate() -> None:
    contract = replace(PLAIN, handlers=Handlers("propagate", "raise"))
    failed = ZeroDivisionError("no shelf")

    def look() -> str:
        raise failed

    ending = stopped(contract, answer("tool_use", call(), call(2)), look=look)
    assert (type(ending).__name__, ending.tool, ending.__cause__) == ("ToolFailed", "look", failed)
    assert [block["is_error"] for block in ending.messages[-1]["content"]] == [True, True]
    ending = stopped(contract, answer("tool_use", call(name="fly")))
    assert (type(ending).__name__, ending.tool) == ("UnknownTool", "fly")


def test_a_tool_that_hangs_is_answered_for_and_one_in_time_is_heard() -> None:
    contract = replace(PLAIN, handlers=Handlers("tell", "tell", 0.2))
    ever = threading.Event()
    _, client = run(contract, answer("tool_use", call()), DONE, look=ever.wait)
    ever.set()
    (block,) = results(client.requests[1])
    assert block["is_error"] is True
    assert "timed out after 0.2 s" in block["content"]
    _, client = run(contract, answer("tool_use", call()), DONE, tool_timeout=None)
    assert results(client.requests[1])[0]["content"] == "a lamp"


def test_ctrl_c_in_a_tool_with_a_deadline_is_ctrl_c() -> None:
    contract = replace(PLAIN, handlers=Handlers("tell", "tell", 5))

    def look() -> str:
        raise KeyboardInterrupt

    with pytest.raises(loop_of(contract).Interrupted):
        run(contract, answer("tool_use", call()), look=look)


def test_a_large_result_keeps_its_beginning_its_pictures_and_says_that_it_was_cut() -> None:
    contract = replace(PLAIN, results=Results(1000))
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    value = [{"type": "text", "text": "x" * 5000}, picture]
    _, client = run(contract, answer("tool_use", call()), DONE, look=lambda: value)
    (block,) = results(client.requests[1])
    assert block["content"][0]["text"].startswith(
        "x" * 1000 + "\n[cut: only the beginning of 5000 characters"
    )
    assert block["content"][1] == picture


def test_a_check_is_asked_until_it_agrees_or_the_rounds_are_over() -> None:
    contract = replace(PLAIN, verification=Verification(1))
    words = say("Which lamp?", "")
    response, client = run(contract, answer("end_turn", "A lamp."), DONE, check=lambda *_: next(words))
    assert response is DONE
    assert "Which lamp?" in client.requests[1]["messages"][-1]["content"]
    ending = stopped(contract, DONE, DONE, check=lambda *_: "Wrong.")
    assert (type(ending).__name__, ending.problem, ending.text) == ("NotVerified", "Wrong.", "A lamp.")


def test_an_empty_end_is_asked_about_once() -> None:
    response, client = run(PLAIN, answer("end_turn"), DONE)
    assert response is DONE
    assert client.requests[1]["messages"][-1]["role"] == "user"
    assert type(stopped(PLAIN, answer("end_turn"), answer("end_turn", " "))).__name__ == "NoAnswer"


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let no wait take time, and return what was waited."""
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    return waits


RETRYING = replace(PLAIN, retries=Retries("loop", 4, 1, 60))


def test_the_loop_waits_longer_each_time_as_long_as_it_is_told_to_and_not_longer_than_it_may(
    slept: list[float],
) -> None:
    busy = [ApiError(529), ApiError(None, "x"), ApiError(429, retry_after="7")]
    busy[1].__class__ = type("APIConnectionError", (ApiError,), {})
    assert run(RETRYING, *busy, DONE)[0] is DONE
    assert slept == [1, 2, 7]
    slept.clear()
    ending = stopped(RETRYING, *[ApiError(503)] * 5)
    assert (type(ending).__name__, slept) == ("ApiFailed", [1, 2, 4])
    assert isinstance(ending.__cause__, ApiError)


@pytest.mark.parametrize(
    "error",
    [
        ApiError(400),
        ApiError(401),
        ApiError(404),
        ApiError(429, retry_after="3600"),
        ApiError(529, x_should_retry="false"),
        ValueError("a mistake"),
    ],
)
def test_what_waiting_does_not_mend_is_asked_for_once(error: Exception, slept: list[float]) -> None:
    assert type(stopped(RETRYING, error, DONE)).__name__ == "ApiFailed"
    assert not slept


def test_a_date_is_waited_for_as_long_as_may_be_waited(slept: list[float]) -> None:
    run(RETRYING, ApiError(429, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), DONE)
    assert slept == [60]


def test_of_two_layers_that_retry_one_is_turned_off() -> None:
    class Sdk(Client):
        def with_options(self, **options: Any) -> "Sdk":
            self.options = options
            return self

    client = Sdk(DONE)
    loop_of(RETRYING).run_agent_loop(client, TASK, TOOLS, {})
    assert client.options == {"max_retries": 0}


def test_a_long_conversation_stays_lawful_small_and_true_to_its_task() -> None:
    contract = replace(
        PLAIN, compaction=Compaction(10_000, 0.5, 2), budget=Budget(iterations=None, tokens=None, seconds=90)
    )
    asked = [answer("tool_use", f"Step {n}.", call(n, place=n)) for n in range(40)]
    _, client = run(
        contract, *asked, DONE, look=lambda place: f"lamp {place} " * 200, pinned=["The lamp is never lit."]
    )
    sizes = [len(json.dumps(request)) // 4 for request in client.requests]
    assert max(sizes) <= 10_000
    for request in client.requests:
        assert "What is on the shelf?" in json.dumps(request["messages"][0])
        assert "The lamp is never lit." in request["system"]
    assert 'look({"place": 3}): lamp 3' in client.requests[-1]["messages"][0]["content"][-1]["text"]


def test_a_request_that_is_too_long_is_made_shorter_until_it_cannot_be() -> None:
    contract = replace(PLAIN, compaction=Compaction(100_000, 0.5, 3))
    asked = [answer("tool_use", call(n, place=n)) for n in range(4)]
    long = ApiError(400, "prompt is too long: 210000 tokens > 200000 maximum")
    _, client = run(contract, *asked, long, long, DONE, look=lambda place: "lamp " * 100 * (place + 1))
    sizes = [len(json.dumps(request)) for request in client.requests[-3:]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3
    ending = stopped(contract, *asked, *[long] * 9, look=lambda place: "lamp " * 100 * (place + 1))
    assert type(ending).__name__ == "ContextFull"


def test_rounds_that_bring_nothing_new_are_noted_and_then_ended() -> None:
    again = [answer("tool_use", call(n, place="left" if n % 2 else "right")) for n in range(9)]
    client, loop = Client(*again), loop_of(PLAIN)
    with pytest.raises(loop.NoProgress, match="3 rounds"):
        loop.run_agent_loop(client, TASK, TOOLS, {"look": lambda place: "empty"})
    assert len(client.requests) == 4
    assert "Take another way" in json.dumps(client.requests[-1]["messages"][-1])
    counted = iter(range(99))
    assert run(PLAIN, *again, DONE, look=lambda place: next(counted))[0] is DONE
