"""Where the parts of a JSON text stand, and where a text stops being JSON."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.contract.places import Limits, Located, NoJsonError, Place, locate, pointer

LIMITS = Limits(bytes=1_000_000, depth=40, values=10_000)


def at(text: str) -> tuple[str, int | None, int | None]:
    """Return the rule that *text* breaks, and where."""
    with pytest.raises(NoJsonError) as caught:
        locate(text.encode(), LIMITS)
    return caught.value.rule, caught.value.line, caught.value.column


def flaws(text: str) -> list[tuple[str, str, int]]:
    return [(f.rule, pointer(f.place), f.offset) for f in locate(text.encode(), LIMITS).flaws]


def places(value: Any, here: Place = ()) -> Iterator[tuple[Place, Any]]:
    yield here, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*here, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*here, index))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e15, 1e15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_every_value_and_key_is_found_again_where_it_is_said_to_stand(
    value: Any, indent: int | str | None, escaped: bool, line_end: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    if text != text.encode("utf-8", "replace").decode():
        return  # half a surrogate pair, which only an escape can write down
    text = text.replace("\n", line_end)
    located = locate(text.encode(), LIMITS)
    assert located.value == value
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for place, inner in places(value):
        node = located.node(place)
        assert json.loads(text[node.start : node.end]) == inner
        assert_reads_on(lines, located.at(place), text[node.start : node.end])
        if place and isinstance(place[-1], str):
            line, column = located.at(place, key=True)
            key, _ = json.JSONDecoder().raw_decode(lines[line - 1], column - 1)
            assert key == place[-1]


def assert_reads_on(lines: list[str], place: tuple[int, int], text: str) -> None:
    """The value begins at its line and column."""
    line, column = place
    assert lines[line - 1][column - 1 :].startswith(text.splitlines()[0])


PIECES = [*'{}[],:" \n\t\\/0-+.eE1', "tru", "true", "null", "NaN", "-Infinity", '"a"', '"a":', "\\u00"]
PIECES += ["\\ud800", '"\\ud83d"', "1e999", "9" * 30, "'", "#", "é", "\x00", "\x1f", "٣"]
SNIPPETS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def found_by_the_walk(raw: bytes) -> bool:
    """Return whether the walk ends *raw* before the library has to; false where it is JSON."""
    try:
        locate(raw, LIMITS)
    except NoJsonError as error:
        return error.values["kind"] != "other"
    return False


@given(SNIPPETS | st.text(max_size=20))
def test_the_walk_ends_exactly_where_the_standard_library_reads(text: str) -> None:
    raw = text.encode("utf-8", "replace")
    try:
        json.loads(raw.decode())
        lawful = True
    except ValueError:
        lawful = False
    # UTF-16 without a mark is told as that; the library was given text.
    assert found_by_the_walk(raw) is not lawful or "\x00" in text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", (1, 1)),
        ("{", (1, 2)),
        ('{"a": 1,}', (1, 8)),
        ("[1,\n 2,\n]", (2, 3)),
        ("{'a': 1}", (1, 2)),
        ("{a: 1}", (1, 2)),
        ('{"a" 1}', (1, 6)),
        ('{"a": 1 "b": 2}', (1, 9)),
        ("[1 2]", (1, 4)),
        ("[01]", (1, 2)),
        ("[1.]", (1, 2)),
        ("[+1]", (1, 2)),
        ("[True]", (1, 2)),
        ('["a\nb"]', (1, 2)),
        ('["a\tb"]', (1, 4)),
        ('["\\x"]', (1, 3)),
        ('["\\u12"]', (1, 3)),
        ("{} {}", (1, 4)),
        ("\r\n\r\n// no\r\n{}", (3, 1)),
        ("[}", (1, 2)),
        ('["a"b]', (1, 5)),
    ],
)
def test_a_slip_is_found_where_it_was_made(text: str, place: tuple[int, int]) -> None:
    assert at(text) == ("json.syntax", *place)


def test_a_key_that_stands_twice_is_a_flaw_at_its_second_place_however_it_is_written() -> None:
    assert flaws('{"a": 1, "a": 2}') == [("json.duplicate_key", "/a", 9)]
    assert flaws('[{"b": {"x": 1, "\\u0078": 2}}]') == [("json.duplicate_key", "/0/b/x", 16)]
    assert locate(b'{"a": {"b": 1}, "a": {"c": 2}}', LIMITS).node(("a", "b")).start == 21


def test_numbers_that_not_every_reader_keeps_are_flaws() -> None:
    text = "[NaN, Infinity, -Infinity, 1e999, -1e999, 9007199254740992, 9007199254740991, 1e300, -0.0]"
    assert [place for _, place, _ in flaws(text)] == ["/0", "/1", "/2", "/3", "/4", "/5"]


def test_a_number_without_a_fraction_is_an_integer_however_it_is_written() -> None:
    value = locate(b"[1.0, 1e2, -0.0, 2.5]", LIMITS).value
    assert [(type(number), number) for number in value] == [(int, 1), (int, 100), (int, 0), (float, 2.5)]


def test_half_a_surrogate_pair_is_a_flaw_and_a_whole_one_is_a_character() -> None:
    assert flaws('["\\ud83d", "\\ude00x", "\\ud83d\\ude00"]') == [
        ("json.encoding", "/0", 1),
        ("json.encoding", "/1", 11),
    ]
    assert flaws('{"\\ud83d": 1}') == [("json.encoding", "/\ud83d", 1)]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_another_encoding_is_told_at_the_first_character(codec: str) -> None:
    with pytest.raises(NoJsonError) as caught:
        locate('{"a": 1}'.encode(codec), LIMITS)
    assert (caught.value.rule, caught.value.line, caught.value.column) == ("json.encoding", 1, 1)


def test_a_byte_that_is_no_utf8_is_told_where_it_stands_in_characters() -> None:
    with pytest.raises(NoJsonError) as caught:
        locate('{\n "ñé": "'.encode() + b'\xe9"}', LIMITS)
    assert (caught.value.rule, caught.value.line, caught.value.column) == ("json.encoding", 2, 9)


def test_limits_hold_to_the_last_level_and_value() -> None:
    assert locate(b"[" * 40 + b"]" * 40, LIMITS).flaws == ()
    assert at("[" * 41 + "]" * 41) == ("json.too_deep", 1, 41)
    assert locate(b"[" + b"1," * 9_998 + b"1]", LIMITS).flaws == ()
    assert at("[" + "1," * 9_999 + "1]") == ("json.too_large", 1, 20_000)
    assert at(" " * 1_000_001) == ("json.too_large", None, None)


def test_a_place_that_the_text_lacks_is_the_nearest_around_it() -> None:
    located: Located = locate(b'{"a":\n {"b": 1}}', LIMITS)
    assert located.at(("a", "nothing", 3)) == (2, 2)
    assert located.has(("a", "b"))
    assert not located.has(("a", "nothing"))


def test_a_pointer_escapes_what_pointers_are_written_with() -> None:
    assert pointer(("a/b", "m~n", 0)) == "/a~1b/m~0n/0"
    assert pointer(()) == ""
