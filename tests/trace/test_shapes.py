"""Whatever shape a loop has, its trace shows the same run."""

import functools
import linecache
import sys
import warnings

import pytest

from simulator.trace.observe import observe
from tests.recording.made import TASK
from tests.trace import shapes
from tests.trace.made import events, kinds, marked, reading, roles, sent_roles

ORDINARY = [
    shapes.appends,
    shapes.appends_plain_dicts,
    shapes.rebuilds,
    shapes.sends_a_copy,
    shapes.fills_in_place,
    shapes.Agent(),
    shapes.Agent().run,
    shapes.keeps_state,
    shapes.recurses,
    shapes.generates,
    shapes.awaits,
    shapes.generates_later,
    shapes.streams,
    shapes.streams_later,
    shapes.streams_by_hand,
    shapes.decorated,
    shapes.names_by_position,
    shapes.asks_raw,
    shapes.converts,
    shapes.in_a_lambda,
    functools.partial(shapes.appends),
]


def name(loop):
    return getattr(loop, "__name__", type(loop).__name__)


@pytest.mark.parametrize("lines", [True, False, "all"])
@pytest.mark.parametrize("loop", ORDINARY, ids=name)
def test_a_loop_of_any_shape_shows_what_it_sent_and_verifies(loop, lines):
    trace = observe(loop, reading(3), lines=lines)
    trace.verify()
    assert trace.exit.reason == "returned", trace.exit
    assert sent_roles(trace) == ["u", "uau", "uauau"]
    calls = events(trace, "tool_call")
    assert [(call.name, call.input, call.id) for call in calls] == [
        ("read_file", {"path": "0.py"}, "toolu_0"),
        ("read_file", {"path": "1.py"}, "toolu_1"),
    ]
    assert [result.id for result in events(trace, "tool_result")] == ["toolu_0", "toolu_1"]


@pytest.mark.parametrize("loop", ORDINARY, ids=name)
def test_every_answer_is_followed_by_a_decision_before_the_next_thing_is_done(loop):
    trace = observe(loop, reading(3))
    for turn in (1, 2, 3):
        assert [event for event in events(trace, "branch") if event.turn == turn], turn


@pytest.mark.parametrize(
    "loop",
    [loop for loop in ORDINARY if loop not in (shapes.converts, shapes.recurses)],
    ids=name,
)
def test_the_list_is_followed_to_the_end_of_the_run(loop):
    trace = observe(loop, reading(3))
    assert roles(trace.messages_at(-1)) == "uauaua"
    assert all(not step.ops for step in trace.requests[1:]), "each change is seen before the next request"


def test_the_steps_of_an_ordinary_loop_are_these_in_this_order():
    trace = observe(shapes.appends, reading(2))
    assert kinds(trace) == [
        *("request", "response", "append", "branch", "tool_call", "tool_result", "append"),
        *("request", "response", "append", "branch", "exit"),
    ]


def test_each_step_has_the_line_that_caused_it():
    trace = observe(shapes.appends, reading(2))
    at = {mark: marked(trace, mark) for mark in ("ask", "append the answer", "decide", "leave")}
    assert {event.line for event in events(trace, "request")} == {at["ask"]}
    assert events(trace, "append")[0].line == at["append the answer"]
    assert {event.line for event in events(trace, "branch")} == {at["decide"]}
    assert trace.exit.line == at["leave"]


def test_an_asynchronous_loop_has_its_lines_too():
    trace = observe(shapes.awaits, reading(2))
    assert {event.line for event in events(trace, "request")} == {marked(trace, "ask later")}
    assert [event.line for event in events(trace, "branch")] == [marked(trace, "decide later")] * 2
    assert [event.value for event in events(trace, "branch")] == [False, True]


def test_the_test_at_the_head_of_a_while_is_told_with_the_answer_it_waited_for():
    trace = observe(shapes.decorated, reading(2))
    tests = events(trace, "branch")
    assert [(event.turn, event.signal, event.value) for event in tests] == [
        (1, "tool_use", True),
        (2, "end_turn", False),
    ]
    assert tests[0].test == '(response := ask(client, messages, tools)).stop_reason == "tool_use"'


def test_a_message_sent_for_one_request_alone_is_gone_with_the_response():
    scenario = reading(3, sent=lambda history: [*history, shapes.REMINDER])
    trace = observe(shapes.adds_a_reminder, scenario, messages=[TASK])
    trace.verify()
    assert sent_roles(trace) == ["uu", "uauu", "uauauu"]
    after = [roles(trace.messages_at(step.n + 1)) for step in trace.requests]
    assert after == ["u", "uau", "uauau"]


def test_a_list_filled_after_it_was_appended_is_seen_at_once():
    trace = observe(shapes.fills_in_place, reading(2))
    appends = [step for step in trace.steps if step.event.kind == "append"]
    assert [step.ops[0]["op"] for step in appends] == ["append", "append", "replace", "append"]


def test_lines_are_recorded_one_by_one_only_when_asked_for():
    assert "line" not in kinds(observe(shapes.appends, reading(2)))
    every = observe(shapes.appends, reading(2), lines="all")
    assert marked(every, "decide") in [event.line for event in events(every, "line")]


def test_a_generator_comes_to_the_last_thing_it_yielded():
    assert observe(shapes.generates, reading(2)).exit.value == "end_turn"
    assert observe(shapes.generates_later, reading(2)).exit.value == "end_turn"


def test_a_loop_with_keywords_of_any_name_gets_the_four_and_what_was_passed():
    trace = observe(shapes.names_by_position, reading(2), budget=3)
    assert trace.exit.value[1] == ["budget"]
    assert trace.loop == {"name": "names_by_position", "arguments": {"budget": 3}}


CELL = """
def my_loop(client, messages, tools, handlers):
    while True:
        response = client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, tools=tools, messages=messages
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content if b.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
"""


def cell(text: str, name: str = "/tmp/ipykernel_7/1234567.py"):
    """Define what a notebook cell defines, as IPython does it, and return its ``my_loop``."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["my_loop"]


def test_a_loop_from_a_notebook_cell_has_its_source_under_the_name_cell():
    trace = observe(cell(CELL), reading(2))
    assert trace.source["file"] == "cell"
    assert trace.source["text"] == CELL
    assert trace.source["first_line"] == 2
    assert [event.line for event in events(trace, "branch")] == [8, 8]


def test_a_statement_over_several_lines_is_told_by_its_first():
    trace = observe(cell(CELL), reading(2))
    assert [event.line for event in events(trace, "request")] == [4, 4]
    assert [event.line for event in events(trace, "tool_call")] == [10]


def test_a_loop_without_source_runs_without_lines():
    namespace = {}
    exec(CELL, namespace)
    trace = observe(namespace["my_loop"], reading(2))
    trace.verify()
    assert trace.source is None
    assert {step.event.line for step in trace.steps} == {None}
    assert sent_roles(trace) == ["u", "uau"]


def written(tmp_path, text):
    """Return the function ``run`` of a file with *text*."""
    path = tmp_path / "loop.py"
    path.write_text(text, encoding="utf-8")
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, str(path), "exec"), names)
    return names["run"]


def test_what_python_warns_of_in_a_source_keeps_none_of_its_tests_from_being_seen(tmp_path):
    head = "def run(client, messages, tools, handlers):\n    pattern = '\\d'\n"
    body = linecache.getlines(shapes.__file__)[shapes.appends.__code__.co_firstlineno :]
    body = body[: next(n for n, line in enumerate(body) if not line.strip())]
    helpers = f"from {shapes.__name__} import MODEL, results_of\n"
    trace = observe(written(tmp_path, helpers + head + "".join(body)), reading(2))
    assert [event.test for event in events(trace, "branch")] == ['response.stop_reason != "tool_use"'] * 2


@pytest.mark.skipif(sys.version_info < (3, 14), reason="before 3.14 such a function cannot even be defined")
def test_an_annotation_that_names_what_is_nowhere_does_not_matter(tmp_path):
    loop = written(tmp_path, "def run(client: Missing, messages: list[Gone]) -> Nowhere:\n    return 1\n")
    assert observe(loop, reading(1)).exit.reason == "returned"
