"""No loop is so odd that the gate has no words for it: each probe comes to a state, and to sentences.

They run in a process of their own, in which sleeps are counted and not slept.
"""

import json
import subprocess
import sys
import textwrap

import pytest

LOOPS = """
import threading

def asks_nothing(client, messages, tools, handlers):
    return None

def returns_what_json_does_not_know(client, messages, tools, handlers):
    return {1: {2, 3}, "x": object(), "y": float("nan"), "z": [Exception("no")], "long": "x" * 500_000}

def raises_what_nobody_expects(client, messages, tools, handlers):
    client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
    raise ValueError({"a": object()}, [1])

def sends_rubbish(client, messages, tools, handlers, max_iterations=5, stream=False, on_event=None):
    call = {"type": "tool_use", "id": None, "name": None, "input": "x"}
    for rubbish in (
        [], [5], ["x"], [{}], [{"role": "user"}], [{"role": "user", "content": 5}],
        [{"role": "user", "content": [None, 5, "x", {}, {"type": "tool_result"}]}],
        [{"role": "assistant", "content": [call]}], [*messages, None],
    ):
        try:
            client.messages.create(model="m", max_tokens=9, messages=rubbish, tools=tools)
        except Exception as error:
            last = error
    return last

def calls_tools_unasked(client, messages, tools, handlers):
    for handler in handlers.values():
        for given in ({}, {"odd": [1]}):
            try:
                handler(**given)
            except Exception:
                pass

def answers_anything(
    client, messages, tools, handlers, max_iterations=9, max_total_tokens=None, max_seconds=None,
    max_cost=None, max_tokens=99, check=None, tool_timeout=None, context_tokens=None, pinned=None,
    max_result_chars=None, tool_choice=None, subloops=None, stream=False, cancelled=None, on_event=None,
):
    odd = [None, 5, [], {"a": 1}, [[]], [{"type": "text"}], "", " ", [{"type": "image"}]]
    messages = list(messages)
    for number in range(max_iterations + 1):
        response = client.messages.create(model="m", max_tokens=max_tokens, messages=messages, tools=tools)
        calls = [block for block in response.content if block.type == "tool_use"]
        said = odd[number % len(odd)]
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": said} for call in calls]
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": results})
        if on_event:
            on_event(None)
            on_event({"x": object()})
            on_event()
        if not calls:
            return response

def turns_everything_round(client, messages, tools, handlers, max_iterations=9):
    turns = list(messages)
    for _ in range(max_iterations):
        told = {"messages": list(reversed(turns)), "tools": list(reversed(tools))}
        response = client.messages.create(model="m", max_tokens=99, **told)
        calls = [block for block in response.content if block.type == "tool_use"]
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": "x"} for call in calls]
        turns.append({"role": "user", "content": results or "go"})
        turns.append({"role": "assistant", "content": response.content})

def is_three_at_once(client, messages, tools, handlers):
    def work():
        try:
            answers_anything(client, messages, tools, handlers)
        except BaseException:
            pass
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""

JUDGING = """
import json, traceback
from pathlib import Path
from simulator.gate import as_json, as_junit, as_sarif
from simulator.gate.judge import Report, judge, performed
from simulator.gate.probes import all_probes

def told(loop):
    probes = all_probes()
    done = performed(loop, probes, 0)
    for one in probes:
        try:
            found = judge([one], done)
            for lang in ("en", "es"):
                for made in (as_json.to_dict, as_sarif.to_dict):
                    json.dumps(made(Report("x.py", 0, None, found), Path("nowhere"), lang))
                as_junit.to_xml(Report("x.py", 0, None, found), lang)
        except Exception:
            return f"{one.id}: {traceback.format_exc(limit=-3)}"
    return sorted({one.state for one in judge(probes, done)})

print(json.dumps({name: told(globals()[name]) for name in NAMES}))
"""

NAMES = [line[4:].partition("(")[0] for line in LOOPS.splitlines() if line.startswith("def ")]


ASK_NOTHING = ("asks_nothing", "returns_what_json_does_not_know", "calls_tools_unasked")


@pytest.fixture(scope="module")
def told():
    head = f"from simulator.gate import waits\nwaits.install()\nNAMES = {NAMES!r}\n"
    script = head + LOOPS + textwrap.dedent(JUDGING)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", NAMES)
def test_every_probe_comes_to_a_state_and_has_its_words(name, told):
    assert isinstance(told[name], list), told[name]
    assert set(told[name]) <= {"pass", "fail", "could-not-check", "not-applicable"}
    # One that asks nothing has nothing wrong with it; it is no pass either.
    assert ("fail" in told[name]) is (name not in ASK_NOTHING)
