"""What is sent is a view: lawful at every cut, with the task and the pinned facts always in it."""

from typing import Any

import pytest

import simulator
from simulator.loop import Budget, Compaction, ContextFull, Finished
from simulator.loop.compaction import choose, cuts, estimate, findings, view
from tests.loop.made import DONE, MODEL, TASK, ApiFailure, Fake, call, play, results, says

FACT = "The API speaks snake_case."


def working(steps: int, calls: int = 1) -> list[Any]:
    """A model that takes *steps* steps of *calls* calls each, and is done."""
    made = [
        says(f"Step {n}.", *(call(f"toolu_{n}_{k}", n=n, k=k) for k in range(calls))) for n in range(steps)
    ]
    return [*made, DONE]


def long_words(**given: Any) -> str:
    return f"crate {given['n']}: " + "apple " * 100


def long_run(context: int = 3_000, **how: Any) -> tuple[Fake, Any]:
    client = Fake(*working(20))
    compaction = Compaction(context, **how)
    budget = Budget(steps=50)
    return client, play(client, compaction=compaction, handlers={"count": long_words}, budget=budget)


def test_a_long_run_stays_within_its_context_and_ends() -> None:
    client, result = long_run()
    assert result.exit == Finished("end_turn")
    assert max(estimate(body["messages"]) for body in client.sent) < 3_000
    assert result.dropped


def test_without_a_need_nothing_is_dropped() -> None:
    client, result = long_run(context=1_000_000)
    assert result.dropped == ()
    assert client.turns == result.messages[:-1]


def test_the_original_request_is_in_every_request_and_so_are_the_pinned_facts() -> None:
    client, _ = long_run(pinned=(FACT,))
    for body in client.sent:
        opening = str(body["messages"][0])
        assert TASK[0]["content"] in opening
        assert FACT in opening


def test_recent_turns_are_whole() -> None:
    client, result = long_run(keep=3)
    whole = result.messages
    for n, body in enumerate(client.sent):
        so_far = whole[: 1 + 2 * n]
        assert body["messages"][-6:][1:] == so_far[-6:][1:]


def test_the_run_keeps_every_turn_and_logs_what_is_no_longer_sent() -> None:
    _, result = long_run()
    assert len(result.messages) == 42
    first = result.dropped[0]
    assert first.turns[0] == 1
    assert set(first.calls) == {"count"}
    assert first.after < first.before


def test_findings_are_made_anew_from_everything_dropped_and_never_pile_up() -> None:
    client, result = long_run()
    last = result.dropped[-1]
    assert "Step 0." in last.findings
    assert str(client.turns[0]).count("What has been done so far") == 1


def test_a_findings_list_is_bounded_and_names_each_call_once() -> None:
    turns: list[Any] = []
    for n in range(300):
        turns += [
            {"role": "assistant", "content": [call(f"t{n}", n=n % 100)]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": "x" * 999}],
            },
        ]
    text = findings(turns)
    assert len(text.splitlines()) == 61
    assert "40 earlier entries" in text
    assert len(text) < 61 * 400


def test_a_turn_taken_up_after_a_pause_is_not_cut_in_two() -> None:
    server = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    messages = [
        *TASK,
        {"role": "assistant", "content": [server]},
        {"role": "assistant", "content": [found, call("toolu_1")]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "12"}]},
    ]
    assert cuts(messages, 1) == [1]


@pytest.mark.parametrize("batch", [1, 3])
def test_every_cut_there_is_makes_a_lawful_request(batch: int) -> None:
    messages = list(TASK)
    for n, answer in enumerate(working(8, batch)[:-1]):
        messages.append({"role": "assistant", "content": answer["content"]})
        asked = [b for b in answer["content"] if b["type"] == "tool_use"]
        messages.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": b["id"], "content": str(n)} for b in asked]})  # fmt: skip
    places = cuts(messages, 1)
    assert len(places) == 8
    for cut in places:
        sent = view(messages, 1, cut, "findings", [FACT])
        body = {"model": MODEL, "max_tokens": 10, "messages": sent}
        assert simulator.check_request(body) is None


def test_fewer_recent_steps_are_kept_where_more_do_not_fit() -> None:
    assert choose([1, 3, 5, 7], 0, 3, lambda cut: cut >= 7) == 7
    assert choose([1, 3, 5, 7], 0, 3, lambda cut: True) == 3
    assert choose([1, 3], 3, 3, lambda cut: True) is None


def test_a_summary_of_the_callers_is_used_and_a_failing_one_is_replaced_and_logged() -> None:
    client, _ = long_run(summarise=lambda turns: f"{len(turns)} turns of counting")
    assert "turns of counting" in str(client.turns[0])

    def broken(turns: Any) -> str:
        raise RuntimeError("no summary today")

    _, result = long_run(summarise=broken)
    assert result.finished
    assert result.dropped[0].problem == "RuntimeError: no summary today"


def test_a_task_after_earlier_turns_is_in_every_request() -> None:
    history = [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": "Hello, what is to be done?"},
        {"role": "user", "content": "Weigh the plums."},
    ]
    client = Fake(*working(20))
    how = {"compaction": Compaction(3_000), "handlers": {"count": long_words}, "budget": Budget(steps=50)}
    assert play(client, messages=history, **how).finished
    assert all("Weigh the plums." in str(body["messages"]) for body in client.sent)


def test_after_the_api_says_too_long_the_next_request_is_smaller() -> None:
    script: list[Any] = working(6)
    too_long = ApiFailure(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
    client = Fake(*script[:5], too_long, *script[5:])
    result = play(client, compaction=Compaction(1_000_000), handlers={"count": long_words})
    assert result.finished
    assert estimate(client.sent[6]["messages"]) < estimate(client.sent[5]["messages"])


def test_what_cannot_be_made_smaller_ends_by_name_and_not_in_a_circle() -> None:
    too_long = ApiFailure(400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum")
    client = Fake(too_long)
    result = play(client, compaction=Compaction(1_000_000))
    assert isinstance(result.exit, ContextFull)
    assert len(client.sent) == 1


def test_a_first_request_that_is_too_large_is_not_sent() -> None:
    client = Fake(DONE)
    result = play(
        client, messages=[{"role": "user", "content": "apple " * 9_000}], compaction=Compaction(500)
    )
    assert isinstance(result.exit, ContextFull)
    assert client.sent == []


def test_tools_and_system_count_as_well() -> None:
    client = Fake(DONE)
    result = play(client, compaction=Compaction(500), system="rule " * 1_000)
    assert isinstance(result.exit, ContextFull)


def test_a_full_context_signal_compacts_and_goes_on() -> None:
    full = says("Half an ans", stop="model_context_window_exceeded")
    script: list[Any] = working(4)
    client = Fake(*script[:4], full, *script[4:])
    result = play(client, compaction=Compaction(1_000_000))
    assert result.exit == Finished("end_turn")
    assert len(client.turns) < 9
    assert "Half an ans" not in str(result.messages)


def test_pairs_of_the_last_request_are_whole() -> None:
    client, _ = long_run()
    asked = [b["id"] for t in client.turns if t["role"] == "assistant" for b in t["content"] if "id" in b]
    answered = [r["tool_use_id"] for t in client.turns if t["role"] == "user" for r in results(t)]
    assert asked == answered


@pytest.mark.parametrize("wrong", [{"context": 0}, {"context": 9, "share": 0}, {"context": 9, "keep": 0}])
def test_figures_that_cannot_work_are_a_mistake(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="cannot work"):
        Compaction(**wrong)
