import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.recording.digests import Digests
from simulator.recording.reader import Reader
from simulator.wire.message import digest
from tests.recording.made import ANSWERED, ASKED, DONE, TASK, raw, request

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system"])},
        optional={
            "content": st.text(max_size=8)
            | st.lists(
                st.fixed_dictionaries(
                    {"type": st.sampled_from(["text", "tool_use"])},
                    optional={
                        "text": st.text(max_size=5),
                        "input": json_values,
                        "is_error": st.booleans(),
                        "citations": st.none(),
                    },
                ),
                max_size=3,
            )
            | json_values
        },
    ),
    max_size=5,
)
bodies = st.fixed_dictionaries(
    {"max_tokens": st.integers(), "messages": messages},
    optional={"system": json_values, "tools": json_values, "model": st.text(max_size=4)},
)


def written_by_the_sdk(body):
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


@given(st.lists(bodies, max_size=4), st.booleans())
def test_what_is_read_is_what_was_sent_with_the_digest_of_the_wire(sent, blanks):
    reader = Reader(Digests())
    for body in sent:
        read = reader.read(json.dumps(body).encode() if blanks else written_by_the_sdk(body))
        assert read.body == body
        assert json.dumps(read.body) == json.dumps(body)
        assert read.digest == digest(body)


@given(messages, st.data())
def test_a_conversation_that_grows_shrinks_or_changes_is_read_right(turns, data):
    reader = Reader(Digests())
    for _ in range(4):
        kept = turns[: data.draw(st.integers(0, len(turns)))]
        turns = [*kept, *data.draw(messages)]
        body = {"max_tokens": 5, "messages": turns, "model": "m"}
        read = reader.read(written_by_the_sdk(body))
        assert json.dumps(read.body) == json.dumps(body)
        assert read.digest == digest(body)


@given(st.lists(json_values, max_size=4), st.lists(json_values, max_size=4))
def test_messages_of_any_json_are_read_without_a_crash(one, other):
    reader = Reader(Digests())
    for turns in (one, other, one):
        body = {"messages": turns}
        read = reader.read(written_by_the_sdk(body))
        assert json.dumps(read.body) == json.dumps(body)
        assert read.digest == digest(body)


def test_equal_messages_of_two_requests_are_one_object():
    reader = Reader(Digests())
    first = reader.read(written_by_the_sdk(request(TASK)))
    second = reader.read(written_by_the_sdk(request(TASK, ASKED, ANSWERED)))
    assert first.body["messages"][0] is second.body["messages"][0]


def test_only_what_is_new_is_parsed_again():
    class Counting(Digests):
        count = 0

        def turn(self, message):
            self.count += 1
            return super().turn(message)

    digests = Counting()
    reader = Reader(digests)
    conversation = [{"max_tokens": 1, "messages": [TASK, ASKED, ANSWERED, DONE][:n]} for n in (1, 3, 4)]
    for body in conversation:
        reader.read(written_by_the_sdk(body))
    assert digests.count == 4


@pytest.mark.parametrize(
    "text",
    [
        '{"messages":[{"role":"user"}],"messages":[{"role":"assistant"}]}',
        '{"messages":[{"role":"user"}],"messages":[]}',
        '{"metadata":{"messages":[{"role":"user"}]},"messages":[]}',
        '{"messages":[{"role":"user"},]}',
        '{"messages":[{"role":"user"}{"role":"user"}]}',
        '{"messages":[,{"role":"user"}]}',
        '{"messages":[{"role":"user"}',
        '{"messages":[',
        '{"messages":[]',
        '{"messages":[1,2]}',
        '{"messages":[{"role":"user"}]} x',
        '{"a":NaN,"messages":[]}',
    ],
)
def test_odd_bodies_are_read_as_json_reads_them(text):
    for reader in (Reader(Digests()), Reader(Digests())):
        reader.read(b'{"messages":[{"role":"user"}]}')
        read = reader.read(text.encode())
        try:
            expected = json.loads(text)
        except ValueError:
            assert read is None
        else:
            assert json.dumps(read.body) == json.dumps(expected)
            assert read.digest == digest(expected)


def test_what_is_no_object_is_no_request():
    for sent in (b"", b"[]", b"7", b"\xff", b"[" * 100_000, b'{"messages":[' + b"[" * 100_000):
        assert Reader(Digests()).read(sent) is None


def test_a_lone_surrogate_is_read():
    body = request({"role": "user", "content": "half \ud83d"})
    assert Reader(Digests()).read(raw(body)).digest == digest(body)
