"""Streams whose calls arrive in turns: the same answer, other events between."""

from simulator.wire.interleave import interleave, is_interleaved
from simulator.wire.stream import Assembler, to_events


def call(number, given):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "sound", "input": given}


def answer(*content):
    usage = {"input_tokens": 9, "output_tokens": 9}
    about = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": usage}
    return {**about, "content": list(content), "stop_reason": "tool_use", "stop_sequence": None}


TEXT = {"type": "text", "text": "I'll sound the bell and the horn, in this order."}
LONG = call(1, {"what": "bell", "for": "the evening ferry, which is late again"})
TWO = answer(TEXT, LONG, call(2, {}))


def put_together(events):
    assembler = Assembler()
    for event in events:
        assembler.feed(event)
    return assembler.message


def test_the_answer_stays_the_same():
    assert put_together(interleave(to_events(TWO))) == TWO


def test_no_event_is_lost_and_the_order_within_each_block_stays():
    before = to_events(TWO)
    after = interleave(before)
    assert sorted(map(repr, after)) == sorted(map(repr, before))
    for index in range(3):
        own = [[event for event in events if event.get("index") == index] for events in (before, after)]
        assert own[0] == own[1]


def test_a_call_begins_before_the_one_in_front_of_it_is_closed():
    assert is_interleaved(interleave(to_events(TWO)))
    assert not is_interleaved(to_events(TWO))


def test_an_answer_with_one_call_or_none_is_left_as_it_is():
    for content in ([TEXT], [TEXT, LONG], []):
        events = to_events(answer(*content))
        assert interleave(events) == events
