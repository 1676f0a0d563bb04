"""Any value a loop can come up with has its place in a trace."""

import json
from collections import OrderedDict, UserDict, deque
from dataclasses import dataclass
from datetime import date
from enum import IntEnum, StrEnum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.trace.jsonable import jsonable, tidy
from simulator.trace.observe import observe
from simulator.trace.storage import to_bytes
from tests.trace.made import events, reading


class Rude:
    def __repr__(self):
        raise RuntimeError("no")


class Endless(list):
    def __iter__(self):
        while True:
            raise ZeroDivisionError


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Text(str):
    def __str__(self):
        return "another"


@dataclass
class Point:
    x: int


def cycle():
    value = {"a": []}
    value["a"].append(value)
    return value


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        ((1, [2]), [1, [2]]),
        ({1: "a", None: "b", False: "c"}, {"1": "a", "null": "b", "false": "c"}),
        (OrderedDict(a=1), {"a": 1}),
        (UserDict(a=1), {"a": 1}),
        ({3, 1, 2}, [1, 2, 3]),
        (deque([1]), [1]),
        (date(2026, 11, 30), "2026-11-30"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Text("one"), "one"),
        (float("nan"), "<nan>"),
        (float("-inf"), "<-inf>"),
        (b"bytes", "b'bytes'"),
        (Point(1), "Point(x=1)"),
        (Rude(), "<Rude: repr raised RuntimeError>"),
        (cycle(), {"a": ["<…>"]}),
        (1 << 20000, "<int of 20001 bits>"),
        ({(1, 2): "tuple key"}, {"(1, 2)": "tuple key"}),
        (object(), "<object object>"),
    ],
    ids=range(22),
)
def test_a_value_is_kept_like_this(value, kept):
    assert jsonable(value) == kept
    assert type(jsonable(value)) is type(kept)


def test_an_iterator_is_not_drained():
    numbers = iter([1, 2])
    assert jsonable(numbers) == "<list_iterator object>"
    assert list(numbers) == [1, 2]


def test_a_list_that_raises_is_told_by_its_repr():
    assert jsonable({"a": Endless([1])}) == {"a": "[1]"}


def test_values_nested_for_ever_are_cut():
    value = []
    for _ in range(10_000):
        value = [value]
    json.dumps(jsonable(value))


def test_a_block_of_the_sdk_is_kept_as_it_would_be_sent():
    from anthropic.types import TextBlock

    block = {"type": "text", "text": "a", "citations": None}
    turn = {"role": "assistant", "content": [TextBlock.model_validate(block)]}
    assert jsonable(turn) == {"role": "assistant", "content": [block]}


def test_addresses_and_folders_are_left_out():
    here = Path.cwd() / "loop.py"
    assert tidy(f"<Thing at 0x7f1c2a> in {here}") == "<Thing> in loop.py"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    )
)
def test_json_is_kept_as_it_is(value):
    assert jsonable(value) == value


HOSTILE = [
    Rude(),
    b"\xff",
    {1, 2},
    float("nan"),
    cycle(),
    "\u202e</script>",
    1 << 20000,
    object(),
    print,
    "\ud800",
]


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_a_handler_may_return_anything_and_a_loop_too(value):
    def loop(client, messages, tools, handlers):
        handlers["read_file"](path="0.py")
        return value

    trace = observe(loop, reading(2), handlers={"read_file": lambda path: value, "odd": "no handler at all"})
    trace.verify()
    assert trace.exit.reason == "returned"
    assert events(trace, "tool_result")[0].content == trace.exit.value
    to_bytes(trace.to_dict())


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_a_loop_may_put_anything_into_its_list(value):
    def loop(messages):
        messages.append(value)
        messages.append({"role": value, "content": [value]})
        messages.insert(0, None)

    trace = observe(loop, reading(2))
    trace.verify()
    assert len(trace.messages_at(-1)) == 4


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_a_loop_may_be_given_anything(value):
    def loop(messages, extra):
        raise ValueError(extra)

    trace = observe(loop, reading(2), extra=value)
    trace.verify()
    assert trace.exit.reason == "raised"
