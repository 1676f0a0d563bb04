"""An ordinary loop of a few lines whose habits can be exchanged one by one: right ones and wrong ones."""

import copy
import json
from concurrent.futures import ThreadPoolExecutor, as_completed

from simulator.gate.perform import perform
from simulator.gate.probe import Case
from simulator.text import LANGUAGES, say

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}


def judged(judgement, scenario, seed=1, options=None, **habits):
    """Return the verdict of *judgement* on the small loop with these *habits* in *scenario*."""
    verdict = judgement(perform(small_loop(**habits), Case(scenario, options or {}), seed))
    for lang in LANGUAGES if verdict.outcome == "fail" else ():
        for part in ("saw", "rule", "remedy"):
            # Raises where a sentence or one of its values is missing.
            say(f"{verdict.finding}.{part}", lang, turn=verdict.turn, **verdict.facts)
    return verdict


def as_text(value):
    """Return what a handler gave as the content of a result."""
    return value if isinstance(value, str | list) else json.dumps(value)


def result(call, content, **more):
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content, **more}


def told(call, error):
    return result(call, f"{call['name']} failed: {error}", is_error=True)


def run_one(call, handlers, say=as_text, failed=told):
    """Return the result of one call."""
    if call["name"] not in handlers:
        return result(call, f"No such tool. There are: {', '.join(handlers)}", is_error=True)
    try:
        return result(call, say(handlers[call["name"]](**call["input"])))
    except Exception as error:
        return failed(call, error)


def one_by_one(calls, handlers):
    return [run_one(call, handlers) for call in calls]


def side_by_side(calls, handlers):
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda call: run_one(call, handlers), calls))


def as_they_end(calls, handlers):
    with ThreadPoolExecutor() as pool:
        return [done.result() for done in as_completed(pool.submit(run_one, c, handlers) for c in calls)]


def by_id(calls, handlers):
    ran = {call["id"]: run_one(call, handlers) for call in reversed(calls)}
    return list(ran.values())


def saying(say):
    """Return a way to run the calls in which *say* turns what a handler returned into content."""
    return lambda calls, handlers: [run_one(call, handlers, say) for call in calls]


def failing(failed):
    """Return a way to run the calls in which *failed* makes the result of one that raised."""
    return lambda calls, handlers: [run_one(call, handlers, failed=failed) for call in calls]


def filed(history, content, results):
    """Append the model's turn and the results of it."""
    history.append({"role": "assistant", "content": content})
    history.append({"role": "user", "content": results})


def a_turn_each(turns, content, results):
    turns.append({"role": "assistant", "content": content})
    turns.extend({"role": "user", "content": [each]} for each in results)


def without_blanks(content):
    return [block for block in content if block["type"] != "text" or block["text"].strip()]


def small_loop(run=one_by_one, echo=without_blanks, file=filed, view=list, ask=None):
    """Return the loop. *run* makes results of calls, *echo* the model's turn of what came, *file* appends
    both, *view* picks what is sent, *ask* says what else a request states.
    """

    def run_agent_loop(client, messages, tools, handlers):
        history = copy.deepcopy(messages)
        for number in range(1, 14):
            more = {"tools": tools, **(ask(number, history) if ask else {})}
            body = {name: value for name, value in more.items() if value is not None}
            response = client.messages.create(**MODEL, messages=view(history), **body)
            if response.stop_reason != "tool_use":
                return response
            content = [block.to_dict() for block in response.content]
            calls = [block for block in content if block["type"] == "tool_use"]
            results = run(calls, handlers)
            if results is None:
                return response
            file(history, echo(content), results)
        return None

    return run_agent_loop
