"""Family a: nothing of what happened is lost on its way into the next request."""

import json

import pytest

from simulator.gate.judgements import history
from simulator.gate.perform import perform
from simulator.gate.probe import Case
from tests.gate.judgements.small_loop import filed, judged, result, saying, small_loop


def first_block(value):
    return value[:1] if isinstance(value, list) else value


def text_only(file_history, content, results):
    file_history.append({"role": "assistant", "content": content})
    file_history.append(
        {"role": "user", "content": [{"type": "text", "text": str(r["content"])} for r in results]}
    )


def joined(value):
    return "\n\n".join(block["text"] for block in value) if isinstance(value, list) else value


@pytest.mark.parametrize(
    "say",
    [
        lambda value: value,
        json.dumps,
        repr,
        joined,
        lambda value: f"<result>\n{joined(value)}\n</result>",
        lambda value: json.dumps({"ok": True, "output": value}),
        lambda value: [{"type": "text", "text": joined(value).upper()}],
    ],
)
@pytest.mark.parametrize("scenario", ["list_then_read", "two_part_minutes"])
def test_a_result_arrives_whole_in_whatever_wrapping(scenario, say):
    assert judged(history.results_arrive_whole, scenario, run=saying(say)).outcome == "pass"


@pytest.mark.parametrize(
    ("say", "finding"),
    [
        (first_block, "history.shortened"),
        (lambda value: joined(value)[:60], "history.shortened"),
        (lambda value: "done", "history.hollow"),
        (lambda value: "", "history.hollow"),
    ],
)
def test_a_part_that_is_missing_is_named(say, finding):
    verdict = judged(history.results_arrive_whole, "two_part_minutes", run=saying(say))
    assert verdict.finding == finding
    assert verdict.facts["missing"]


@pytest.mark.parametrize(
    "say",
    [
        json.dumps,
        str,
        lambda value: value if isinstance(value, str) else json.dumps(value),
        lambda value: "(no output)" if value in (None, "", [], {}) and value is not False else str(value),
        lambda value: [{"type": "text", "text": json.dumps(value)}],
        lambda value: "" if value is None else str(value),
    ],
)
def test_nothing_is_an_answer_in_whatever_words(say):
    assert judged(history.empty_results_are_results, "lost_property", run=saying(say)).outcome == "pass"


@pytest.mark.parametrize(
    ("say", "finding"),
    [
        (lambda value: value, "history.empty_unlawful"),
        (lambda value: str(value or ""), "history.zero_lost"),
        (lambda value: str(value) if value else "No results.", "history.zero_lost"),
    ],
)
def test_a_zero_that_is_lost_or_sent_bare_is_found(say, finding):
    assert judged(history.empty_results_are_results, "lost_property", run=saying(say)).finding == finding


def only_what_is_true(calls, handlers):
    values = [(call, handlers[call["name"]](**call["input"])) for call in calls]
    return [result(call, json.dumps(value)) for call, value in values if value]


def until_nothing_comes(calls, handlers):
    return only_what_is_true(calls, handlers) or None


@pytest.mark.parametrize(
    ("run", "finding"),
    [(only_what_is_true, "history.empty_left_out"), (until_nothing_comes, "history.empty_ended")],
)
def test_a_loop_that_takes_nothing_for_no_answer_is_found(run, finding):
    assert judged(history.empty_results_are_results, "lost_property", run=run).finding == finding


def results_only(turns, content, results):
    turns.append({"role": "user", "content": results})


def in_prose(turns, content, results):
    turns.append({"role": "user", "content": f"The tool said: {results[0]['content']}"})


def collected():
    kept = []

    def file(turns, content, results):
        kept.extend(results)
        filed(turns, content, list(kept))

    return file


@pytest.mark.parametrize(
    ("habits", "finding"),
    [
        ({"view": lambda turns: turns[:1]}, "history.repeated"),
        ({"view": lambda turns: [turns[0], *turns[-2:]] if len(turns) > 2 else turns}, "history.lost"),
        ({"file": text_only}, "history.no_results"),
        ({"file": results_only}, "history.no_assistant"),
        ({"file": in_prose}, "history.neither"),
        ({"file": collected()}, "history.again"),
        ({"run": lambda calls, handlers: None}, "history.gave_up"),
        ({"run": lambda calls, handlers: [result(call, "ok") for call in calls]}, "history.not_run"),
    ],
)
def test_what_was_forgotten_is_told(habits, finding):
    assert judged(history.carries_all, "list_then_read", **habits).finding == finding


def results_first(turns, content, results):
    turns.append({"role": "user", "content": results})
    turns.append({"role": "assistant", "content": content})


def in_the_models_role(turns, content, results):
    turns.append({"role": "assistant", "content": content})
    turns.append({"role": "assistant", "content": results})


@pytest.mark.parametrize(
    "habits",
    [
        {"file": results_first},
        {"file": in_the_models_role},
        {"echo": lambda content: [block for block in content if block["type"] == "tool_use"]},
        {"run": saying(lambda value: "done")},
    ],
)
def test_what_another_probe_tells_is_left_to_it(habits):
    assert judged(history.carries_all, "list_then_read", **habits).outcome == "unknown"
    assert judged(history.carries_on, "list_then_read", **habits).outcome == "fail"


def test_a_remark_behind_the_results_and_copies_of_the_list_do_no_harm():
    def with_a_remark(turns, content, results):
        filed(turns, content, [*results, {"type": "text", "text": "Two steps are left."}])

    loop = small_loop(file=with_a_remark, view=lambda turns: [dict(turn) for turn in turns])
    for name in ("count_python_files", "list_then_read", "todo_list"):
        assert history.carries_all(perform(loop, Case(name), 2)).outcome == "pass"
