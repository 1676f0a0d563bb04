"""A message becomes the API's stream events, and comes back from any pieces of them."""

import json
import random
from itertools import pairwise
from typing import Any

import anthropic
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.wire import stream
from simulator.wire.stream import Assembler, Decoder, StreamError, assemble, from_sse, to_events, to_sse


def message(*content: Any, stop_reason: str = "tool_use", **more: Any) -> dict[str, Any]:
    """A message as the API answers it; *more* replaces or adds keys."""
    whole = {
        "model": "claude-sonnet-5-5",
        "id": "msg_01Hx",
        "type": "message",
        "role": "assistant",
        "content": list(content),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 500,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 20,
            "output_tokens": 61,
            "service_tier": "standard",
        },
    }
    return whole | more


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(given_input: Any, name: str = "read_file", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_01A", "name": name, "input": given_input} | more


LIST_AND_READ = message(
    text("Let me look: ñandú, 漢字, 🙂."), call({"path": "src/añil.py", "lines": [1, 2.5, None]})
)

CITATION = {
    "type": "web_search_result_location",
    "url": "https://example.org/a",
    "title": "A page",
    "encrypted_index": "Eo8B",
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
inputs = st.dictionaries(st.text(max_size=8), json_values, max_size=4)
plain_blocks = st.one_of(
    st.builds(text, st.text()),
    st.builds(call, inputs),
    st.builds(
        lambda thought, mark: {"type": "thinking", "thinking": thought, "signature": mark},
        st.text(),
        st.text(),
    ),
    st.just({"type": "redacted_thinking", "data": "EmwKAhgB"}),
    st.builds(
        lambda words, source: {
            "type": "text",
            "text": words,
            "citations": [CITATION | {"cited_text": source}],
        },
        st.text(),
        st.text(),
    ),
)
compactions = st.builds(lambda words: {"type": "compaction", "content": words}, st.text())


def messages_of(block: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda content, reason: message(*content, stop_reason=reason),
        st.lists(block, max_size=5),
        st.sampled_from(["end_turn", "tool_use", "max_tokens"]),
    )


messages = messages_of(plain_blocks | compactions)

# The first example of a run pays for imports; how long one takes says nothing.
untimed = settings(deadline=None, max_examples=60)


def cut(raw: Any, places: list[int]) -> list[Any]:
    """*raw* in pieces, cut at *places* (any numbers: they are taken within its length)."""
    at = [0, *sorted(place % (len(raw) + 1) for place in places), len(raw)]
    return [raw[start:end] for start, end in pairwise(at)]


def decode(pieces: list[Any]) -> list[dict[str, Any]]:
    decoder = Decoder()
    return [event for piece in pieces for event in decoder.feed(piece)] + decoder.close()


def put_together(events: list[dict[str, Any]]) -> Assembler:
    assembler = Assembler()
    for event in events:
        assembler.feed(event)
    return assembler


@untimed
@given(messages, st.integers(1, 40), st.booleans(), st.lists(st.integers(0, 10**6), max_size=12))
def test_a_message_survives_streaming_whatever_the_chunk_and_wherever_the_bytes_are_cut(
    whole, chunk, pings, places
):
    raw = to_sse(to_events(whole, chunk=chunk, pings=pings))
    got = put_together(decode(cut(raw, places)))
    assert (got.message, got.complete, got.error) == (whole, True, None)


@untimed
@given(messages, st.lists(st.integers(0, 10**6), max_size=12), st.sampled_from(["\n", "\r\n", "\r"]))
def test_text_pieces_and_every_kind_of_line_end_give_the_same_events(whole, places, line_end):
    events = to_events(whole)
    written = to_sse(events).decode().replace("\n", line_end)
    assert decode(cut(written, places)) == events
    assert from_sse(written.encode()) == events


def test_one_byte_at_a_time_is_enough():
    raw = to_sse(to_events(LIST_AND_READ)).replace(b"\n", b"\r\n")
    assert put_together(decode([raw[at : at + 1] for at in range(len(raw))])).message == LIST_AND_READ


def test_the_events_of_a_tool_call_are_those_the_api_sends():
    whole = message(text("I will read it."), call({"path": "a.py"}))
    events = to_events(whole, chunk=10)
    assert [event["type"] for event in events] == [
        "message_start",
        "content_block_start",
        "ping",
        *["content_block_delta"] * 2,
        "content_block_stop",
        "content_block_start",
        *["content_block_delta"] * 3,
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    start = events[0]["message"]
    assert (start["content"], start["stop_reason"], start["stop_sequence"]) == ([], None, None)
    assert start["usage"]["output_tokens"] == 1
    assert events[1]["content_block"] == {"type": "text", "text": ""}
    assert events[6]["content_block"] == {
        "type": "tool_use",
        "id": "toolu_01A",
        "name": "read_file",
        "input": {},
    }
    assert [event["delta"]["partial_json"] for event in events[7:10]] == ["", '{"path": "', 'a.py"}']
    assert events[-2] == {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {
            "input_tokens": 500,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 20,
            "output_tokens": 61,
        },
    }


def test_an_empty_input_is_one_empty_fragment_and_comes_back_as_an_empty_object():
    events = to_events(message(call({})))
    fragments = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    assert fragments == [{"type": "input_json_delta", "partial_json": ""}]
    got = put_together(events).message
    assert got is not None
    assert got["content"][0]["input"] == {}


@pytest.mark.parametrize("at", range(len('{"path": "añil/🙂.py", "n": [1, {"deep": null}]}')))
def test_an_input_cut_in_two_fragments_at_any_place_is_the_same_input(at):
    whole = '{"path": "añil/🙂.py", "n": [1, {"deep": null}]}'
    events = to_events(message(call({})))
    delta = next(event for event in events if event["type"] == "content_block_delta")
    place = events.index(delta)
    fragments = [
        delta | {"delta": {"type": "input_json_delta", "partial_json": part}}
        for part in (whole[:at], whole[at:])
    ]
    got = put_together([*events[:place], *fragments, *events[place + 1 :]]).message
    assert got is not None
    assert got["content"][0]["input"] == json.loads(whole)


def test_blocks_that_come_interleaved_are_told_by_their_index():
    events = to_events(message(text("first words"), call({"path": "b.py"}), text("last words")), chunk=3)
    inside = [event for event in events if "index" in event]
    starts = [event for event in inside if event["type"] == "content_block_start"]
    deltas = [event for event in inside if event["type"] == "content_block_delta"]
    random.Random(7).shuffle(starts)
    by_turn = sorted(deltas, key=lambda event: (deltas.index(event) % 3, deltas.index(event)))
    order = sorted(
        by_turn, key=lambda event: [each for each in deltas if each["index"] == event["index"]].index(event)
    )
    got = put_together([events[0], *starts, *order, *events[-2:]]).message
    assert got is not None
    assert got["content"] == [text("first words"), call({"path": "b.py"}), text("last words")]


def test_ping_unknown_events_unknown_deltas_and_comments_change_nothing():
    events = to_events(LIST_AND_READ)
    odd: list[dict[str, Any]] = [
        {"type": "ping"},
        {"type": "content_block_sparkle", "index": 0, "glitter": True},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "sparkle_delta", "glitter": 1}},
    ]
    raw = to_sse([*events[:3], *odd, *events[3:]])
    got = assemble(b": a comment\nretry: 3\nid: 4\n\n" + raw)
    assert (got.message, got.complete) == (LIST_AND_READ, True)


def test_a_stream_cut_anywhere_is_incomplete_and_keeps_what_had_arrived():
    raw = to_sse(to_events(LIST_AND_READ))
    for end in range(len(raw) - len('event: message_stop\ndata: {"type":"message_stop"}\n\n')):
        got = assemble(raw[:end])
        assert not got.complete
        if got.message is not None and b"message_delta" not in raw[:end]:
            assert got.message["stop_reason"] is None
            assert len(got.message["content"]) <= 2


def test_a_record_that_only_lacks_its_empty_line_counts():
    raw = to_sse(to_events(LIST_AND_READ)).rstrip(b"\n")
    assert assemble(raw).complete


def test_an_error_event_ends_the_stream():
    overloaded = {"type": "overloaded_error", "message": "Overloaded"}
    events = [
        *to_events(LIST_AND_READ)[:4],
        {"type": "error", "error": overloaded},
        *to_events(LIST_AND_READ)[4:],
    ]
    got = assemble(to_sse(events))
    assert (got.complete, got.error) == (False, overloaded)
    assert got.message is not None
    assert got.message["stop_reason"] is None


def test_the_usage_of_message_delta_replaces_and_never_adds():
    events = to_events(LIST_AND_READ)
    events[0]["message"]["usage"] = {"input_tokens": 3, "output_tokens": 2, "service_tier": "standard"}
    events[-2]["usage"] = {"input_tokens": 2400, "output_tokens": 145, "server_tool_use": None}
    got = put_together(events).message
    assert got is not None
    assert got["usage"] == {"input_tokens": 2400, "output_tokens": 145, "service_tier": "standard"}


def test_a_second_message_delta_keeps_the_figures_it_does_not_state():
    events = to_events(LIST_AND_READ)
    events[-2]["usage"] = {"input_tokens": 2400, "output_tokens": 145}
    later = {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 150}}
    got = put_together([*events[:-1], later, events[-1]]).message
    assert got is not None
    assert (got["usage"]["input_tokens"], got["usage"]["output_tokens"]) == (2400, 150)
    assert got["stop_reason"] == LIST_AND_READ["stop_reason"]


def test_late_keys_of_newer_messages_come_back():
    late = {
        "stop_details": None,
        "container": {"id": "container_1", "expires_at": "2026-11-30T10:00:00Z"},
        "context_management": {"applied_edits": []},
    }
    usage = {
        "input_tokens": 1,
        "output_tokens": 2,
        "server_tool_use": {"web_search_requests": 1},
        "iterations": None,
    }
    whole = message(text("x"), **late, usage=usage)
    events = to_events(whole)
    assert events[0]["message"]["container"] is None
    assert "context_management" not in events[0]["message"]
    assert "server_tool_use" not in events[0]["message"]["usage"]
    assert put_together(events).message == whole


def test_half_a_surrogate_pair_in_a_text_survives():
    whole = message(text("broken \ud83d half"))
    assert assemble(to_sse(to_events(whole))).message == whole


def test_a_line_separator_in_a_text_is_no_line_end():
    whole = message(text("a\u2028b\u2029c\x85d\x0be"))
    assert assemble(to_sse(to_events(whole))).message == whole


def test_a_tool_call_cut_by_max_tokens_keeps_the_whole_values():
    events = to_events(message(call({}), stop_reason="max_tokens"))
    fragment = {"type": "input_json_delta", "partial_json": '{"path": "notes.md", "content": "# No'}
    got = put_together(
        [*events[:-3], {"type": "content_block_delta", "index": 0, "delta": fragment}, *events[-3:]]
    )
    assert got.complete
    assert got.message is not None
    assert got.message["content"][0]["input"] == {"path": "notes.md"}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (
            b"event: message_start\ndata: {oops\n\n",
            "event 1 (message_start) of the stream is not a JSON object: {oops",
        ),
        (b"data: [1]\n\n", "event 1 (?) of the stream is not a JSON object: [1]"),
        (
            b'data: {"type":"ping"}\n\ndata: \xff\n\n',
            "the stream is not UTF-8 after event 0 (invalid start byte)",
        ),
        (b'data: {"type":"message_stop"}\n\n', "a message_stop event before message_start"),
        (
            to_sse([to_events(LIST_AND_READ)[0], to_events(LIST_AND_READ)[3]]),
            "a content_block_delta for block 0, which never started",
        ),
    ],
)
def test_what_breaks_the_format_is_told_with_its_event(raw, said):
    with pytest.raises(StreamError) as caught:
        assemble(raw)
    assert str(caught.value) == said


def test_an_input_that_is_no_json_is_an_error_not_a_guess():
    events = to_events(message(call({})))
    bad = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": '{"a" 1'},
    }
    with pytest.raises(StreamError, match="input of content block 0 is not JSON"):
        _ = put_together([*events[:3], bad, *events[3:]]).message


def test_a_message_without_usage_or_content_still_streams():
    events = to_events({"id": "msg_1", "type": "message", "role": "assistant"})
    assert events[0]["message"]["usage"] == {"input_tokens": 0, "output_tokens": 0}
    assert put_together(events).complete


def test_streaming_does_not_change_the_message():
    whole = json.loads(json.dumps(LIST_AND_READ))
    to_events(whole)
    assert whole == LIST_AND_READ


# --- held against the real SDK


def sdk_reads(raw: bytes) -> dict[str, Any]:
    """The final message of the SDK's own stream accumulator."""

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=raw)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    client = anthropic.Anthropic(api_key="offline", max_retries=0, http_client=http)
    asked: Any = {
        "model": "claude-sonnet-5-5",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "x"}],
    }
    with client, client.messages.stream(**asked) as events:
        return events.get_final_message().to_dict()


def without_nulls(value: Any) -> Any:
    """*value* without the nulls that the SDK's models add."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@untimed
@given(messages_of(plain_blocks))
def test_the_sdk_reads_our_events_as_the_message_they_were_made_from(whole):
    assert without_nulls(sdk_reads(to_sse(to_events(whole)))) == without_nulls(whole)


def test_the_module_names_what_others_use():
    assert set(stream.__all__) >= {"to_events", "to_sse", "from_sse", "Assembler", "assemble", "Assembled"}
