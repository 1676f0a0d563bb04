"""JSON that was cut off is read as the SDK reads it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jiter import from_json

from simulator.wire.partial import loads_partial

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=10,
)
objects = st.dictionaries(st.text(max_size=6), values, min_size=1, max_size=4)


@settings(deadline=None)
@given(objects, st.booleans(), st.data())
def test_a_cut_input_is_what_the_sdk_makes_of_it(value, ascii_only, data):
    text = json.dumps(value, ensure_ascii=ascii_only)
    end = data.draw(st.integers(1, len(text)))
    assert loads_partial(text[:end]) == from_json(text[:end].encode(), partial_mode=True)


def test_every_cut_of_an_indented_input_gives_only_whole_values():
    text = json.dumps({"a": [1, -2.5, True, {"b": None}], "c": 'quote " and \\ and é'}, indent=2)
    for end in range(1, len(text)):
        assert loads_partial(text[:end]) == from_json(text[:end].encode(), partial_mode=True), text[:end]


@pytest.mark.parametrize(
    "text", ["", "  ", '{"a": oops', '{"a" 1', "[1 2", '{"a":1}}', '{"a":1} x', '{"a": "x\ny', "]"]
)
def test_what_begins_no_json_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        loads_partial(text)


def test_nesting_without_end_is_refused_and_does_not_crash():
    with pytest.raises(ValueError, match="nested too deep"):
        loads_partial('{"a":' * 100_000)
