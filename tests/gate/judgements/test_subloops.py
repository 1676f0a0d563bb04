"""Family l: sub-loops of many forms are right; what they must not do is told apart."""

import copy
import json

import pytest

from simulator.gate.judgements import subloops
from simulator.gate.perform import perform
from simulator.gate.probe import Case

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
SHORT = Case("delegated_survey", {"subloops": subloops._crates(2)})


class LimitReached(Exception):  # noqa: N818  # named as loops name it
    pass


def turns(client, messages, tools, handlers, steps, delegate=None, system=None):
    """Run one loop on *messages*, a list of its own; return its last response. Raises LimitReached."""
    for _ in range(steps):
        more = {"system": system} if system else {}
        response = client.messages.create(**MODEL, tools=tools, messages=messages, **more)
        messages.append({"role": "assistant", "content": [b.to_dict() for b in response.content]})
        if response.stop_reason != "tool_use":
            if response.stop_reason != "end_turn":
                raise LimitReached(f"stop_reason {response.stop_reason}")
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                content = (delegate or {}).get(block.name, handlers.get(block.name))(**block.input)
                more = content if isinstance(content, dict) else {"content": content}
                results.append({"type": "tool_result", "tool_use_id": block.id, **more})
        messages.append({"role": "user", "content": results})
    raise LimitReached(f"max_iterations={steps}")


def text(response):
    return "".join(block.text for block in response.content if block.type == "text")


def loop(child):
    """Return a loop that answers a delegated call with ``child(run, task, settings, history)``."""

    def run_agent_loop(client, messages, tools, handlers, subloops=None, max_iterations=20):
        history = copy.deepcopy(messages)

        def delegates(settings):
            def run(given, **how):
                steps = min(settings["max_iterations"], max_iterations)
                return turns(client, given, settings["tools"], handlers, steps, **how)

            return lambda task: child(run, task, settings, history)

        delegate = {name: delegates(settings) for name, settings in (subloops or {}).items()}
        return turns(client, history, tools, handlers, max_iterations, delegate)

    return run_agent_loop


def user(words):
    return {"role": "user", "content": words}


# --- right ways ------------------------------------------------------------------------------------------


def returns_its_last_words(run, task, settings, history):
    try:
        return text(run([user(task)]))
    except LimitReached as limit:
        return {"content": f"Not finished: {limit}", "is_error": True}


def reports_as_json(run, task, settings, history):
    own = [user(f"You are an assistant. {task}\n\nReport what you found.")]
    try:
        return json.dumps({"status": "finished", "found": text(run(own)), "could_not": ""})
    except LimitReached as limit:
        return json.dumps({"status": "stopped", "found": str(own[-2]["content"]), "could_not": str(limit)})


def puts_the_task_into_the_system_prompt(run, task, settings, history):
    try:
        return text(run([user("Begin.")], system=f"Your task: {task}"))
    except LimitReached:
        return "The assistant ran out of steps. What it has so far is incomplete."


def sets_a_flag(run, task, settings, history):
    own = [user(task)]
    try:
        return json.dumps({"complete": True, "text": text(run(own))})
    except LimitReached:
        return json.dumps({"complete": False, "text": str(own[1:])})


def lets_the_limit_through(run, task, settings, history):
    return text(run([user(task)]))


RIGHT = [
    returns_its_last_words,
    reports_as_json,
    puts_the_task_into_the_system_prompt,
    sets_a_flag,
    lets_the_limit_through,
]


@pytest.mark.parametrize("child", RIGHT)
@pytest.mark.parametrize("seed", [0, 7])
def test_a_right_sub_loop_holds_by_every_measure(child, seed):
    trace = perform(loop(child), subloops.SURVEY, seed)
    for judge in (subloops.starts_afresh, subloops.hands_up_what_it_found, subloops.keeps_its_turns_below):
        assert judge(trace).outcome == "pass", (judge(trace), trace.exit)
    assert subloops.says_when_it_did_not_finish(trace).outcome == "unknown"


@pytest.mark.parametrize("child", RIGHT)
def test_an_end_before_the_end_may_be_told_in_any_form(child):
    for case in (SHORT, Case("delegated_survey", {"subloops": subloops._crates(6)}, {4: "refusal"})):
        trace = perform(loop(child), case, 1)
        found = subloops.says_when_it_did_not_finish(trace)
        assert found.outcome == "pass", (found, trace.exit)


@pytest.mark.parametrize(("background", "outcome"), [("", "pass"), ("For background: {task}\n", "fail")])
def test_words_that_a_loop_puts_beside_every_task_are_not_the_conversation_above(background, outcome):
    preamble = (
        "You are a careful assistant of the museum. Work step by step. Use your tools and guess nothing."
    )

    def run_agent_loop(client, messages, tools, handlers, subloops=None):
        asked = messages[0]["content"]

        def survey_crates(task):
            own = [user(f"{preamble}\n\n{background.format(task=asked)}{task}")]
            return text(turns(client, own, subloops["survey_crates"]["tools"], handlers, 6))

        given = {"survey_crates": survey_crates}
        return turns(client, [user(f"{preamble}\n\n{asked}")], tools, handlers, 9, given)

    trace = perform(run_agent_loop, subloops.SURVEY, 1)
    assert subloops.starts_afresh(trace).outcome == outcome, subloops.starts_afresh(trace)


def test_where_nothing_was_delegated_nothing_is_judged():
    trace = perform(loop(returns_its_last_words), Case("cached_turns", {"subloops": {}}), 2)
    for one in subloops.PROBES:
        assert one.judgement(trace).outcome == "unknown"


# --- wrong ways ------------------------------------------------------------------------------------------


def takes_the_conversation_along(run, task, settings, history):
    return text(run([*copy.deepcopy(history[:-1]), user(task)]))


def takes_the_question_along(run, task, settings, history):
    return text(run([user(f"Background: {history[0]['content']}\n\n{task}")]))


def does_not_run(run, task, settings, history):
    return "The crates were surveyed; all is well."


def says_done(run, task, settings, history):
    run([user(task)])
    return "Done, see above."


def hushes_the_limit(run, task, settings, history):
    own = [user(task)]
    try:
        return text(run(own))
    except LimitReached:
        return "".join(b.get("text", "") for turn in own[1:] for b in turn["content"])


def says_finished_all_the_same(run, task, settings, history):
    own = [user(task)]
    try:
        return json.dumps({"status": "finished", "answer": text(run(own)), "could_not": ""})
    except LimitReached:
        return json.dumps({"status": "finished", "answer": str(own[-1]["content"]), "could_not": ""})


@pytest.mark.parametrize(
    ("child", "case", "judge", "finding"),
    [
        (takes_the_conversation_along, subloops.SURVEY, subloops.starts_afresh, "subloops.not_fresh"),
        (takes_the_question_along, subloops.SURVEY, subloops.starts_afresh, "subloops.not_fresh"),
        (does_not_run, subloops.SURVEY, subloops.starts_afresh, "subloops.not_run"),
        (says_done, subloops.SURVEY, subloops.hands_up_what_it_found, "subloops.payload_lost"),
        (hushes_the_limit, SHORT, subloops.says_when_it_did_not_finish, "subloops.quiet"),
        (says_finished_all_the_same, SHORT, subloops.says_when_it_did_not_finish, "subloops.quiet"),
    ],
)
def test_a_wrong_sub_loop_is_told_what_it_does(child, case, judge, finding):
    trace = perform(loop(child), case, 3)
    assert judge(trace).finding == finding, (judge(trace), trace.exit)


def test_turns_of_the_loop_below_in_the_list_above_are_found_also_where_the_api_refuses_them():
    def shares_its_list(run, task, settings, history):
        below = [user(task)]
        said = text(run(below))
        history.extend(below)
        return said

    trace = perform(loop(shares_its_list), subloops.SURVEY, 3)
    assert subloops.keeps_its_turns_below(trace).finding == "subloops.leaked"


@pytest.mark.parametrize(("levels", "outcome"), [(0, "pass"), (2, "pass"), (4, "pass"), (50, "fail")])
def test_any_bounded_depth_is_right(levels, outcome):
    def run_agent_loop(client, messages, tools, handlers, subloops=None, max_iterations=40):
        def run(given, offered, level):
            def ask_colleague(task):
                if level >= levels:
                    return {"content": "Not run: no further level. Do it yourself.", "is_error": True}
                return text(run([user(task)], offered, level + 1))

            return turns(client, given, offered, handlers, 10, {"ask_colleague": ask_colleague})

        return run(copy.deepcopy(messages), tools, 0)

    trace = perform(run_agent_loop, subloops.NESTED, 1)
    assert subloops.bounds_its_depth(trace).outcome == outcome, trace.exit


@pytest.mark.parametrize(("charged", "outcome"), [(True, "pass"), (False, "fail")])
def test_one_budget_counts_the_requests_of_every_loop(charged, outcome):
    def run_agent_loop(client, messages, tools, handlers, subloops=None, max_iterations=20):
        sent = [0]

        class Counting:
            def __init__(self, limit):
                self.messages, self.limit = self, limit

            def create(self, **body):
                if self.limit <= 0 or (charged and sent[0] >= max_iterations):
                    raise LimitReached("budget exceeded: max_iterations")
                self.limit, sent[0] = self.limit - 1, sent[0] + 1
                return client.messages.create(**body)

        def survey_crates(task):
            own = subloops["survey_crates"]
            below = Counting(own["max_iterations"])
            return text(turns(below, [user(task)], own["tools"], handlers, 20))

        given = {"survey_crates": survey_crates}
        return turns(Counting(max_iterations), copy.deepcopy(messages), tools, handlers, 20, given)

    case = Case("delegated_survey", {"subloops": subloops._crates(10), "steps": 4})
    trace = perform(run_agent_loop, case, 1)
    assert subloops.shares_one_budget(trace).outcome == outcome, trace.exit
