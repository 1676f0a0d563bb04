"""A list of messages is stored as what changes in it, and comes back exactly."""

from hypothesis import given
from hypothesis import strategies as st

from simulator.trace.build import KEYFRAME_EVERY, Builder
from simulator.trace.document import Trace
from simulator.trace.events import Append, Exit
from simulator.trace.pool import Pool, apply, diff, numbers, ranges

refs = st.lists(st.integers(0, 6), max_size=12)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-3, 3).map(lambda x: x + 0.0)
    | st.text(max_size=3)
)
messages = st.recursive(
    scalars, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=2), v, max_size=3)
)

ABOUT = {
    "scenario": {
        "name": "made",
        "title": "Made",
        "seed": None,
        "provenance": {"kind": "scripted", "model": None, "date": None, "origin": None},
    },
    "loop": None,
    "source": None,
    "system": None,
    "tools": [],
}


def trace_of(states):
    """Return the trace of a list that goes through *states*, lists of JSON values."""
    builder = Builder()
    for state in states:
        builder.add(Append(0, None), builder.refs(state))
    builder.add(Exit(0, None, "recorded"))
    return Trace.build(builder, **ABOUT)


@given(refs, refs)
def test_the_operations_lead_from_any_list_to_any_other(old, new):
    state = list(old)
    apply(state, diff(old, new))
    assert state == new


@given(st.lists(st.lists(messages, max_size=5), max_size=20))
def test_every_state_of_a_list_comes_back_exactly_and_type_strictly(states):
    trace = trace_of(states)
    trace.verify()
    for n, state in enumerate(states):
        assert repr(trace.messages_at(n)) == repr(state) or same(trace.messages_at(n), state)


def same(left, right):
    pool = Pool()
    return pool.ref(left) == pool.ref(right)


@given(st.lists(st.lists(st.integers(0, 9), max_size=8), min_size=150, max_size=200))
def test_a_keyframe_is_the_state_that_the_operations_lead_to(states):
    trace = trace_of(states)
    state = []
    for step in trace.steps:
        apply(state, step.ops)
        assert step.keyframe is None or numbers(step.keyframe) == state
    assert sum(step.keyframe is not None for step in trace.steps) >= len(states) // KEYFRAME_EVERY


@given(refs)
def test_ranges_stand_for_the_list_they_were_made_of(found):
    assert numbers(ranges(found)) == found


def test_one_true_and_one_point_zero_are_three_messages():
    pool = Pool([1, True, 1.0, {"a": 1}, {"a": True}])
    assert len(pool.messages) == 5
    assert pool.ref({"a": True}) == 4


def test_the_pool_keeps_a_copy_that_later_changes_do_not_reach():
    message = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    pool = Pool([message])
    message["content"].append("b")
    assert pool.messages[0]["content"] == [{"type": "text", "text": "a"}]


def test_what_an_ordinary_loop_does_is_an_append():
    assert diff([0, 1], [0, 1, 2]) == [{"op": "append", "refs": [2]}]


def test_a_message_exchanged_in_place_is_a_replace():
    assert diff([0, 1, 2], [0, 3, 2]) == [{"op": "replace", "at": 1, "ref": 3}]


def test_a_list_with_nothing_in_common_is_set():
    assert diff([0, 1], [2, 3, 4]) == [{"op": "set", "refs": [2, 3, 4]}]


def test_a_window_that_moves_on_costs_what_left_and_what_came():
    window = list(range(50))
    assert diff(window, [0, *window[3:], 50]) == [
        {"op": "splice", "at": 1, "delete": 2, "refs": []},
        {"op": "append", "refs": [50]},
    ]


def test_keyframes_of_a_list_in_many_pieces_take_no_more_room_than_its_steps():
    states = [[n % 7 * 2 for n in range(length)] for length in range(1, 400)]
    trace = trace_of(states)
    trace.verify()
    assert sum(len(step.keyframe or ()) for step in trace.steps) <= len(trace.steps)
