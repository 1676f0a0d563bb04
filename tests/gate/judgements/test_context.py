"""Family k: many ways to make room are right, and the ways that lose something are told apart."""

import copy
import dataclasses
import json
import logging

import anthropic
import pytest

from simulator.gate.judgements import context
from simulator.gate.perform import perform
from simulator.gate.probe import Case

PINNED = context.PROBES[4].cases[0]
MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}


def blocks(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def size(messages):
    return len(json.dumps(messages)) // 4


def loop(shown, facts_in_task=True):
    """Return a loop that sends ``shown(history, budget, client, tools)`` of its history."""

    def run_agent_loop(client, messages, tools, handlers, context_tokens=None, pinned=(), max_iterations=30):
        history = copy.deepcopy(messages)
        if pinned and facts_in_task:
            history[0]["content"] = [
                *blocks(history[0]["content"]),
                *({"type": "text", "text": f} for f in pinned),
            ]
        for _ in range(max_iterations):
            sent = shown(history, context_tokens or 10**9, client, tools)
            response = client.messages.create(**MODEL, tools=tools, messages=sent)
            history.append({"role": "assistant", "content": [b.to_dict() for b in response.content]})
            if response.stop_reason != "tool_use":
                return response
            history.append({"role": "user", "content": results(response, handlers)})
            history[-1]["used"] = response.usage.input_tokens
        raise RuntimeError("budget exceeded: max_iterations")

    return run_agent_loop


def results(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
        for b in response.content
        if b.type == "tool_use"
    ]


def plain(turns):
    return [{"role": turn["role"], "content": turn["content"]} for turn in turns]


def cleared(block):
    return {**block, "content": "[old result cleared]"} if block["type"] == "tool_result" else block


# --- right ways ------------------------------------------------------------------------------------------


def clears_old_results(history, budget, client, tools):
    turns = plain(history)
    if size(turns) < 0.6 * budget:
        return turns
    old = [{**turn, "content": [cleared(b) for b in blocks(turn["content"])]} for turn in turns[1:-4]]
    return [turns[0], *old, *turns[-4:]]


def drops_the_oldest_rounds(history, budget, client, tools):
    turns = plain(history)
    while len(turns) > 3 and size(turns) > 0.9 * budget:
        del turns[1:3]
    return turns


def tells_old_rounds_in_a_line(history, budget, client, tools):
    turns = plain(history)
    if size(turns) < 0.5 * budget:
        return turns
    read = [
        b["input"]["year"] for turn in turns[1:-2] for b in blocks(turn["content"]) if b["type"] == "tool_use"
    ]
    note = {"type": "text", "text": f"Already read, nothing found: {read}"}
    return [{"role": "user", "content": [*blocks(turns[0]["content"]), note]}, *turns[-2:]]


def goes_by_what_the_api_counted(history, budget, client, tools):
    if history[-1].get("used", 0) > 0.8 * budget:
        del history[1:-2]
    return plain(history)


def has_a_model_sum_up(history, budget, client, tools):
    turns = plain(history)
    if size(turns) > 0.6 * budget and len(turns) > 3:
        told = json.dumps(turns[1:-2])
        question = {"role": "user", "content": f"{told}\n\nWrite a summary of this for whoever goes on."}
        summary = client.messages.create(**MODEL, messages=[question])
        first = {"role": "user", "content": [*blocks(turns[0]["content"]), summary.content[0].to_dict()]}
        history[:] = [first, *turns[-2:]]
    return plain(history)


def has_it_summed_up_in_place(history, budget, client, tools):
    turns = plain(history)
    if size(turns) > 0.6 * budget and len(turns) > 3:
        asking = copy.deepcopy(turns)
        asking[-1]["content"].append({"type": "text", "text": "Summarize the progress so far."})
        summary = client.messages.create(**MODEL, tools=tools, messages=asking, tool_choice={"type": "none"})
        first = {"role": "user", "content": [*blocks(turns[0]["content"]), summary.content[0].to_dict()]}
        history[:] = [first, *turns[-2:]]
    return plain(history)


RIGHT = [
    clears_old_results,
    drops_the_oldest_rounds,
    tells_old_rounds_in_a_line,
    goes_by_what_the_api_counted,
    has_a_model_sum_up,
    has_it_summed_up_in_place,
]
JUDGEMENTS = [
    context.stays_within_bounds,
    context.keeps_pairs_whole,
    context.keeps_the_task,
    context.keeps_pinned_facts,
    context.keeps_the_live_round,
]


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("shown", RIGHT)
def test_a_right_way_to_make_room_holds_by_every_measure(shown, seed):
    trace = perform(loop(shown), PINNED, seed)
    assert [judge(trace).outcome for judge in JUDGEMENTS] == ["pass"] * 5, [
        judge(trace) for judge in JUDGEMENTS
    ]


@pytest.mark.parametrize("shown", RIGHT)
def test_a_budget_below_the_task_itself_ends_every_right_way_somehow(shown):
    trace = perform(loop(shown), Case("ten_logbooks", {"context": 40}), 1)
    assert context.does_not_compact_for_ever(trace).outcome == "pass", trace.exit


# --- wrong ways ------------------------------------------------------------------------------------------


def keeps_everything(history, budget, client, tools):
    return plain(history)


def keeps_the_last_five(history, budget, client, tools):
    return plain(history)[-5:]


def keeps_the_last_four(history, budget, client, tools):
    return plain(history)[-4:]


def keeps_the_first_and_the_last_four(history, budget, client, tools):
    turns = plain(history)
    return turns if len(turns) < 6 else [turns[0], *turns[-3:]]


def shortens_the_task(history, budget, client, tools):
    turns = tells_old_rounds_in_a_line(history, budget, client, tools)
    if len(turns) < len(history):
        turns[0]["content"][0]["text"] = turns[0]["content"][0]["text"][:120]
    return turns


def flattens_the_live_round(history, budget, client, tools):
    turns = plain(history)
    if size(turns) < 0.6 * budget:
        return turns
    said = "".join(b["content"] for b in turns[-1]["content"] if b["type"] == "tool_result")
    return [{"role": "user", "content": [*blocks(turns[0]["content"]), {"type": "text", "text": said}]}]


def sums_up_the_live_round(history, budget, client, tools):
    turns = plain(history)
    old = [{**turn, "content": [cleared(b) for b in blocks(turn["content"])]} for turn in turns[1:]]
    return turns if size(turns) < 0.6 * budget else [turns[0], *old]


def sums_up_until_it_fits(history, budget, client, tools):
    while size(plain(history)) > 0.6 * budget:
        question = {"role": "user", "content": f"Summarise: {json.dumps(plain(history[1:]))}"}
        client.messages.create(**MODEL, messages=[question])
    return plain(history)


@pytest.mark.parametrize(
    ("shown", "judge", "finding"),
    [
        (keeps_everything, context.stays_within_bounds, "context.grew"),
        (keeps_the_last_five, context.keeps_pairs_whole, "context.split"),
        (keeps_the_last_four, context.keeps_the_task, "context.task_lost"),
        (keeps_the_first_and_the_last_four, context.keeps_pairs_whole, "context.split"),
        (shortens_the_task, context.keeps_the_task, "context.task_lost"),
        (flattens_the_live_round, context.keeps_the_live_round, "context.live_gone"),
        (sums_up_the_live_round, context.keeps_the_live_round, "context.live_cut"),
        (sums_up_until_it_fits, context.does_not_compact_for_ever, "context.for_ever"),
    ],
)
def test_a_way_that_loses_something_is_told_apart(shown, judge, finding):
    small = judge is context.does_not_compact_for_ever
    trace = perform(loop(shown), Case("ten_logbooks", {"context": 40}) if small else PINNED, 2)
    assert judge(trace).finding == finding, (judge(trace), trace.exit)


def test_facts_that_are_added_to_the_history_once_go_away_with_it():
    def adds_once(history, budget, client, tools):
        if len(history) == 1:
            history[0] = {"role": "user", "content": blocks(history[0]["content"])}
            history[0]["content"] += [{"type": "text", "text": fact} for fact in context.FACTS]
        turns = plain(history)
        return (
            turns if len(turns) < 6 else [{"role": "user", "content": turns[0]["content"][:1]}, *turns[-2:]]
        )

    trace = perform(loop(adds_once, facts_in_task=False), PINNED, 1)
    assert context.keeps_pinned_facts(trace).finding == "context.fact_lost"
    assert context.keeps_the_task(trace).outcome == "pass"


def test_a_loops_own_words_beside_the_task_may_go():
    def says_how_far_it_is(history, budget, client, tools):
        turns = drops_the_oldest_rounds(history, budget, client, tools)
        note = f"This is round {len(history) // 2 + 1} of at most 30. Be brief and to the point, please."
        return [{"role": "user", "content": f"{note}\n\n{turns[0]['content']}"}, *turns[1:]]

    trace = perform(loop(says_how_far_it_is), context.LONG, 1)
    assert context.keeps_the_task(trace).outcome == "pass", context.keeps_the_task(trace)


def test_what_was_dropped_is_on_record_or_told_so():
    def logs(history, budget, client, tools):
        turns = drops_the_oldest_rounds(history, budget, client, tools)
        if len(turns) < len(history):
            logging.getLogger("agent").info("compacted: %d turns left out", len(history) - len(turns))
        return turns

    assert context.tells_what_it_dropped(perform(loop(logs), PINNED, 1)).outcome == "pass"
    silent = context.tells_what_it_dropped(perform(loop(drops_the_oldest_rounds), PINNED, 1))
    assert silent.finding == "context.dropped_silently"
    whole = context.tells_what_it_dropped(perform(loop(keeps_everything), PINNED, 1))
    assert whole.outcome == "not_applicable"


def test_a_loop_that_gives_up_with_room_to_make_is_told_so():
    def gives_up(history, budget, client, tools):
        if size(plain(history)) > 0.6 * budget:
            raise OverflowError("the context is full")
        return plain(history)

    trace = perform(loop(gives_up), PINNED, 1)
    assert context.stays_within_bounds(trace).finding == "context.gave_up"
    assert context.keeps_the_task(trace).outcome == "pass"
    assert context.keeps_pairs_whole(trace).outcome == "not_applicable"


def test_a_loop_whose_own_prompt_fills_the_context_of_a_case_is_not_judged_in_it():
    def full(history, budget, client, tools):
        raise OverflowError("the context is full: about 15,000 of 4,500 tokens")

    def broken(history, budget, client, tools):
        raise KeyError("context")

    assert context.stays_within_bounds(perform(loop(full), PINNED, 1)).finding == "context.filled_before"
    assert context.stays_within_bounds(perform(loop(broken), PINNED, 1)).outcome == "unknown"


def test_a_prompt_that_takes_half_of_the_context_leaves_it_open():
    trace = perform(loop(keeps_everything), PINNED, 1)
    # Where the loop's own prompt would fill any small context, its size says nothing against it.
    filled = dataclasses.replace(trace, system="Be brief. " * 5_000)
    assert context.stays_within_bounds(filled).outcome == "unknown"


# --- refused as too long ---------------------------------------------------------------------------------


def refused(answer):
    """Return a loop whose *answer* to a refusal is called with its history and the error."""

    def run_agent_loop(client, messages, tools, handlers, max_iterations=12):
        history = copy.deepcopy(messages)
        for _ in range(max_iterations):
            try:
                response = client.messages.create(**MODEL, tools=tools, messages=history)
            except anthropic.BadRequestError as error:
                ended = answer(history, error)
                if ended is not None:
                    return ended
                continue
            history.append({"role": "assistant", "content": [b.to_dict() for b in response.content]})
            if response.stop_reason != "tool_use":
                return response
            history.append({"role": "user", "content": results(response, handlers)})
        raise RuntimeError("budget exceeded: max_iterations")

    return run_agent_loop


def lets_it_through(history, error):
    raise error


def says_so(history, error):
    return {"status": "context_full", "reason": str(error)}


def drops_a_round(history, error):
    del history[1:3]


def cuts_results(history, error):
    for turn in history[2::2]:
        for block in turn["content"]:
            block["content"] = block["content"][:500] + " [shortened]"


def drops_all_rounds(history, error):
    history[0]["content"] += "\n(So far Priory, Oakhurst and Bramhall were listed; Bramhall has the most.)"
    del history[1:]


@pytest.mark.parametrize("answer", [lets_it_through, says_so, drops_a_round, cuts_results, drops_all_rounds])
def test_a_smaller_request_or_a_loud_end_is_right(answer):
    trace = perform(refused(answer), Case("register_too_long"), 3)
    assert context.learns_from_a_refusal(trace).outcome == "pass", (
        context.learns_from_a_refusal(trace),
        trace.exit,
    )


def tries_again(history, error):
    return None


def adds_a_note(history, error):
    history[-1]["content"].append({"type": "text", "text": "The last request was too long."})


def drops_a_note(history, error):
    history[-1]["content"][-1]["content"] = history[-1]["content"][-1]["content"][:-20]


def stops_quietly(history, error):
    return history[-2]["content"][0]["text"]


@pytest.mark.parametrize(
    ("answer", "finding"),
    [
        (tries_again, "context.sent_again"),
        (adds_a_note, "context.not_smaller"),
        (stops_quietly, "context.hushed"),
    ],
)
def test_what_learns_nothing_from_a_refusal_is_told_so(answer, finding):
    trace = perform(refused(answer), Case("register_too_long"), 3)
    assert context.learns_from_a_refusal(trace).finding == finding


def test_making_it_smaller_by_a_little_each_time_is_bounded_by_the_loop_and_not_judged_here():
    trace = perform(refused(drops_a_note), Case("register_too_long"), 3)
    assert context.learns_from_a_refusal(trace).outcome == "pass"
    assert trace.exit.reason == "raised"


# --- large results ---------------------------------------------------------------------------------------


def limited(cut):
    def run_agent_loop(client, messages, tools, handlers, max_result_chars=None):
        history = copy.deepcopy(messages)
        while True:
            response = client.messages.create(**MODEL, tools=tools, messages=history)
            history.append({"role": "assistant", "content": [b.to_dict() for b in response.content]})
            if response.stop_reason != "tool_use":
                return response
            found = results(response, handlers)
            for block in found:
                block["content"] = cut(block["content"], max_result_chars)
            history.append({"role": "user", "content": found})

    return run_agent_loop


def judged(cut):
    trace = perform(limited(cut), Case("whole_parish_register", {"result_limit": 4000}), 4)
    return context.bounds_large_results(trace)


@pytest.mark.parametrize(
    "cut",
    [
        lambda text, limit: f"{text[:limit]}\n[... {len(text) - limit} more characters]",
        lambda text, limit: f"{text[: limit // 2]}[… gekürzt …]{text[-limit // 2 :]}",
        lambda text, limit: f"[truncated to {limit} characters]\n{text[:limit]}",
        lambda text, limit: (
            f"Stored as result_1, {len(text):,} characters. Fetch parts of it with read_part."
        ),
        lambda text, limit: [{"type": "text", "text": text[:limit]}, {"type": "text", "text": "(cut here)"}],
        lambda text, limit: json.dumps({"text": text[:limit], "truncated": True, "characters": len(text)}),
    ],
)
def test_a_result_may_be_cut_in_any_way_that_says_so(cut):
    assert judged(cut).outcome == "pass", judged(cut)


@pytest.mark.parametrize(
    ("cut", "finding"),
    [
        (lambda text, limit: text, "context.too_large"),
        (lambda text, limit: f"{text[: 4 * limit]} [cut]", "context.too_large"),
        (lambda text, limit: text[:limit], "context.unmarked"),
        (lambda text, limit: text[:limit] + "...", "context.unmarked"),
        (lambda text, limit: "OK", "context.result_lost"),
    ],
)
def test_a_result_that_is_too_large_unmarked_or_lost_is_told_so(cut, finding):
    assert judged(cut).finding == finding
