"""The edits of AL07 and AL09: what they write, and where none is offered."""

import pytest

from simulator.contract.lint.fixing import mend
from simulator.contract.lint.run import lint_source
from simulator.contract.lint.settings import Settings

BODY = """
    for _ in range(20):
        r = client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
        if r.stop_reason != "tool_use":
            return r
        messages.append({"role": "assistant", "content": r.content})
        messages.append({"role": "user", "content": [answer(b) for b in r.content if b.type == "tool_use"]})
    raise TimeoutError


def answer(b):
    return {"type": "tool_result", "tool_use_id": b.id, "content": run_it(b.name, b.input)}
"""
RIGHT = BODY.replace("20", "max_iterations")


def mended(source):
    return mend(source, lambda text: lint_source(text, "x.py", Settings())).whole


@pytest.mark.parametrize(
    ("head", "after"),
    [
        ("def f(client, messages, tools):", "def f(client, messages, tools, *, max_iterations=20):"),
        ("def f(client, messages, tools=()):", "def f(client, messages, tools=(), *, max_iterations=20):"),
        ("def f(client, *, messages, tools):", "def f(client, *, messages, tools, max_iterations=20):"),
        (
            "def f(client, *, messages, tools=None):",
            "def f(client, *, messages, tools=None, max_iterations=20):",
        ),
        ("def f(client, messages, *tools):", "def f(client, messages, *tools, max_iterations=20):"),
        (
            "async def f(client: 'é', messages: list, tools: list) -> None:",
            "async def f(client: 'é', messages: list, tools: list, *, max_iterations=20) -> None:",
        ),
        (
            "def f(\n    client,\n    messages,\n    tools,\n):",
            "def f(\n    client,\n    messages,\n    tools, *, max_iterations=20,\n):",
        ),
    ],
)
def test_the_number_becomes_a_keyword_parameter(head, after):
    assert mended(head + BODY) == after + RIGHT


@pytest.mark.parametrize(
    "head",
    [
        "def f(client, messages, tools, **more):",
        "def f(client, messages, tools, max_iterations):",
        "def f(client, messages, tools=(1)):",
    ],
)
def test_no_parameter_is_added_where_it_could_change_something(head):
    assert mended(head + BODY) == head + BODY


WRONG_ORDER = """
def f(client, messages, tools, limit):
    for _ in range(limit):
        r = client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
        if r.stop_reason != "tool_use":
            return r
        results = [answer(b) for b in r.content if b.type == "tool_use"]
        {0}
        {1}
    raise TimeoutError


def answer(b):
    return {{"type": "tool_result", "tool_use_id": b.id, "content": run_it(b.name, b.input)}}
"""
RESULTS = 'messages.append({"role": "user", "content": results})'
ANSWER = 'messages.append({"role": "assistant", "content": r.content})'


def test_neighbours_change_their_places():
    assert mended(WRONG_ORDER.format(RESULTS, ANSWER)) == WRONG_ORDER.format(ANSWER, RESULTS)


def test_neighbours_in_a_list_change_their_places():
    results, answer = (each.removeprefix("messages.append(").removesuffix(")") for each in (RESULTS, ANSWER))
    wrong = WRONG_ORDER.format(f"messages += [{results}, {answer}]", "pass")
    assert mended(wrong) == WRONG_ORDER.format(f"messages += [{answer}, {results}]", "pass")


@pytest.mark.parametrize("between", ["log()\n        ", "# why\n        "])
def test_what_is_no_neighbour_stays(between):
    wrong = WRONG_ORDER.format(RESULTS, between + ANSWER)
    assert mended(wrong) == wrong
