"""Which tests of a source count as decisions, and what they come to when the loop runs."""

import ast
import textwrap

import pytest

from simulator.trace.branches import find_tests
from simulator.trace.observe import observe
from tests.trace.made import events, kinds, reading
from tests.trace.test_shapes import cell

ASK = 'client.messages.create(model="claude-sonnet-5-5", max_tokens=1024, tools=tools, messages=messages)'

ANSWER = """
def answer(response, messages, handlers):
    messages.append({"role": "assistant", "content": response.content})
    results = [
        {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
        for b in response.content if b.type == "tool_use"
    ]
    if results:
        messages.append({"role": "user", "content": results})
    return results
"""


def decisions(body: str, scenario=None):
    """Run a loop with this *body* and return (turn, test, value, guard) of each decision."""
    body = textwrap.indent(textwrap.dedent(body).replace("ASK", ASK), "    ")
    text = f"def my_loop(client, messages, tools, handlers):{body}{ANSWER}"
    trace = observe(cell(text, f"<cell {abs(hash(text))}>"), scenario or reading(3))
    trace.verify()
    assert trace.exit.reason in ("returned", "raised"), trace.exit
    return [(e.turn, e.test, e.value, e.guard) for e in events(trace, "branch")]


def test_an_if_on_its_own_line_is_told_by_what_follows():
    assert decisions("""
        while True:
            response = ASK
            if response.stop_reason == "end_turn": return response
            answer(response, messages, handlers)
    """) == [
        (1, 'response.stop_reason == "end_turn"', False, False),
        (2, 'response.stop_reason == "end_turn"', False, False),
        (3, 'response.stop_reason == "end_turn"', True, False),
    ]


def test_a_break_on_the_tests_own_line_is_told_by_leaving_the_loop():
    found = decisions("""
        while True:
            response = ASK
            answer(response, messages, handlers)
            if response.stop_reason != "tool_use": break
    """)
    assert [value for _, _, value, _ in found] == [False, False, True]


def test_a_continue_on_the_tests_own_line_is_told_by_what_is_passed_over():
    found = decisions("""
        while True:
            response = ASK
            answer(response, messages, handlers)
            if response.stop_reason == "tool_use": continue
            return response
    """)
    assert [value for _, _, value, _ in found] == [True, True, False]


def test_a_raise_on_the_tests_own_line_is_told_by_the_exception():
    found = decisions("""
        while True:
            response = ASK
            answer(response, messages, handlers)
            if response.stop_reason == "end_turn": raise RuntimeError("done")
    """)
    assert [value for _, _, value, _ in found] == [False, False, True]


def test_each_test_of_a_chain_is_told_until_one_holds():
    assert decisions(
        """
        while True:
            response = ASK
            answer(response, messages, handlers)
            if response.stop_reason == "max_tokens":
                raise RuntimeError
            elif response.stop_reason == "tool_use":
                continue
            else:
                return response
    """,
        reading(2),
    ) == [
        (1, 'response.stop_reason == "max_tokens"', False, False),
        (1, 'response.stop_reason == "tool_use"', True, False),
        (2, 'response.stop_reason == "max_tokens"', False, False),
        (2, 'response.stop_reason == "tool_use"', False, False),
    ]


def test_a_test_over_several_lines_is_one_test():
    assert decisions(
        """
        while True:
            response = ASK
            answer(response, messages, handlers)
            if (
                response.stop_reason == "end_turn"
                or response.stop_reason == "refusal"
            ):
                return response
    """,
        reading(2),
    ) == [
        (1, 'response.stop_reason == "end_turn" or response.stop_reason == "refusal"', False, False),
        (2, 'response.stop_reason == "end_turn" or response.stop_reason == "refusal"', True, False),
    ]


def test_the_case_of_a_match_that_was_taken_is_the_decision():
    assert decisions(
        """
        while True:
            response = ASK
            match response.stop_reason:
                case "tool_use":
                    answer(response, messages, handlers)
                case "end_turn" | "stop_sequence":
                    return response
                case other:
                    raise RuntimeError(other)
    """,
        reading(2),
    ) == [
        (1, 'match response.stop_reason: case "tool_use"', True, False),
        (2, 'match response.stop_reason: case "end_turn" | "stop_sequence"', True, False),
    ]


def test_cases_on_their_own_lines_are_told_too():
    found = decisions(
        """
        while True:
            response = ASK
            match response.stop_reason:
                case "tool_use": answer(response, messages, handlers)
                case _: return response
    """,
        reading(2),
    )
    assert [test for _, test, _, _ in found] == [
        'match response.stop_reason: case "tool_use"',
        "match response.stop_reason: case _",
    ]


def test_a_match_without_a_fitting_case_comes_to_nothing():
    assert decisions("""
        response = ASK
        match response.stop_reason:
            case "refusal":
                raise RuntimeError
        return response
    """) == [(1, "match response.stop_reason", False, False)]


def test_the_limits_of_a_loop_are_guards():
    assert decisions("""
        turns = 0
        while turns < 5:
            response = ASK
            turns += 1
            answer(response, messages, handlers)
            if turns == 2:
                return "enough"
    """) == [
        (1, None, None, False),
        (1, "turns == 2", False, True),
        (1, "turns < 5", True, True),
        (2, None, None, False),
        (2, "turns == 2", True, True),
    ]


def test_a_for_that_runs_out_is_a_guard_that_fired():
    found = decisions("""
        for turn in range(2):
            response = ASK
            answer(response, messages, handlers)
            if response.stop_reason == "end_turn":
                return response
        return "out of turns"
    """)
    assert found[-1] == (2, "for turn in range(2)", False, True)


def test_a_look_at_the_content_is_a_decision_when_it_leaves():
    assert decisions(
        """
        while True:
            response = ASK
            if not answer(response, messages, handlers):
                break
    """,
        reading(2),
    ) == [
        (1, "not answer(response, messages, handlers)", False, False),
        (2, "not answer(response, messages, handlers)", True, False),
    ]


def test_tests_on_single_blocks_do_not_count():
    assert decisions("""
        response = ASK
        for block in response.content:
            if block.type == "tool_use":
                continue
            if block.type == "text":
                print(block.text)
        return response
    """) == [(1, None, None, False)]


def test_a_loop_that_decides_without_a_test_has_a_decision_without_one():
    assert decisions("""
        response = ASK
        return {"tool_use": 1, "end_turn": 2}[response.stop_reason]
    """) == [(1, None, None, False)]


def test_a_loop_without_a_test_has_decided_when_it_runs_a_tool():
    twice = f"    answer({ASK}, messages, handlers)\n" * 2
    blind = cell(f"def my_loop(client, messages, tools, handlers):\n{twice}{ANSWER}", "<blind>")
    trace = observe(blind, reading(2))
    assert kinds(trace) == [
        *("request", "response", "append", "branch", "tool_call", "tool_result", "append"),
        *("request", "response", "append", "branch", "exit"),
    ]


def test_a_decision_in_a_helper_counts_when_it_looks_at_the_signal():
    found = decisions(
        """
        def done(response):
            if response.stop_reason == "tool_use":
                return False
            return True

        while True:
            response = ASK
            answer(response, messages, handlers)
            if done(response):
                return response
    """,
        reading(2),
    )
    assert found == [
        (1, 'response.stop_reason == "tool_use"', True, False),
        (1, "done(response)", False, False),
        (2, 'response.stop_reason == "tool_use"', False, False),
        (2, "done(response)", True, False),
    ]


def test_a_test_that_raises_came_to_nothing():
    assert decisions("""
        response = ASK
        if response.stop_raison == "end_turn":
            return response
    """) == [(1, None, None, False)]


def test_an_assertion_on_the_signal_is_a_decision():
    found = decisions("""
        response = ASK
        assert response.stop_reason == "end_turn"
        return response
    """)
    assert found == [(1, 'response.stop_reason == "end_turn"', False, False)]


def test_the_same_test_with_the_same_outcome_counts_once_for_an_answer():
    found = decisions("""
        response = ASK
        for n in range(10):
            if response.stop_reason == "refusal":
                return "never"
        return response
    """)
    assert found == [(1, 'response.stop_reason == "refusal"', False, False)]


@pytest.mark.parametrize(
    ("source", "tests"),
    [
        ("def f(c):\n  r = c.create()\n  if r.verbose:\n    print(r)", []),
        (
            "def f(c):\n  r = c.create()\n  if len(r.content) > 0:\n    return r",
            [("len(r.content) > 0", False)],
        ),
        (
            "def f(c):\n  r = c.create()\n  if r.usage.total > LIMIT:\n    raise X",
            [("r.usage.total > LIMIT", True)],
        ),
        (
            "def f(c):\n  r = c.create()\n  if r['stop_reason'] in ('end_turn',):\n    x = 1",
            [("r['stop_reason'] in ('end_turn',)", False)],
        ),
        ("def f(c):\n  r = c.create()\n  return 1 if r.stop_reason else 2", [("r.stop_reason", False)]),
        ("def f(c):\n  while True:\n    g(c)\ndef g(c):\n  c.create()", []),
        ("def f(c):\n  while n < 3:\n    g(c)\ndef g(c):\n  c.create()", [("n < 3", True)]),
        ("def f(c):\n  c.create()\n  while n < 3:\n    n += 1", []),
        ("def f(c):\n  é = c.create()\n  if é.stop_reason == 'ü': pass", [("é.stop_reason == 'ü'", False)]),
    ],
    ids=range(9),
)
def test_the_tests_of_a_source_that_count(source, tests):
    found = find_tests(ast.parse(source), source)
    assert [(test.text, test.guard) for test in dict.fromkeys(found.values())] == tests
