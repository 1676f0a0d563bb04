"""The YAML reader reads what vcrpy's own safe loader reads, and constructs nothing else."""

from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from vcr.serializers.yamlserializer import _CassetteLoader

from simulator.recording.cassette import CassetteError, parse
from simulator.recording.safe_yaml import Tagged, YamlError, load
from simulator.recording.save import render
from tests.recording.cassette_files import cassette, interaction, pair, streamed


def as_plain(value: Any) -> Any:
    """What vcrpy's loader gives, with files, iterators and tuples as our reader holds them."""
    if isinstance(value, BytesIO):
        return value.read()
    if isinstance(value, tuple):
        return list(value)
    return b"".join(value) if hasattr(value, "__next__") else value


@pytest.mark.parametrize(
    "text",
    [
        "!!python/str text",
        "!!python/unicode text",
        "!!python/tuple [1, two]",
        "!!python/object/new:_io.BytesIO\nstate: !!python/tuple [!!binary aGVsbG8=, 0, null]",
        "!!python/object/new:_io.BytesIO {}",
        "!!python/object/apply:builtins.iter\nargs: [[!!binary aGVs, !!binary bG8=]]",
        "!!binary aGVsbG8=",
        "!!str 5",
        "! 5",
        "[1, 0x1f, 1_000, 1.5, .inf, 1e3, yes, No, ~, null, 2026-11-30, 2026-11-30 10:00:00, 12:30:45]",
        "{a: 1, 'b': \"c\\n\", ? d : e}",
        "a: |\n  x\n   y\n\nb: >-\n  folded\n  text\n",
        "&x [1, &y {a: 2}]",
        "[&x {a: 1}, *x, *x]",
        "",
        "# only a comment",
    ],
)
def test_every_tag_that_vcrpy_reads_is_read_as_the_same_data(text):
    assert load(text).data == as_plain(yaml.load(text, Loader=_CassetteLoader))


def test_vcrpy_reads_no_tag_that_is_not_held_against_here():
    own = set(_CassetteLoader.yaml_constructors) - set(yaml.CSafeLoader.yaml_constructors)
    assert {tag.removeprefix("tag:yaml.org,2002:") for tag in own} == {
        "python/str",
        "python/unicode",
        "python/tuple",
        "python/object/new:_io.BytesIO",
        "python/object/apply:builtins.iter",
    }


def test_any_other_tag_is_kept_as_a_label_on_plain_text():
    document = load(
        "- !!python/name:os.system x\n- !ruby/object:Gem [first, second]\n- !!set {a}\n- !!omap []"
    )
    assert document.data == ["x", "first", "", ""]
    assert all(isinstance(value, Tagged) for value in document.data)
    assert [(tagged.tag, tagged.line) for tagged in document.tagged] == [
        ("!!python/name:os.system", 1),
        ("!ruby/object:Gem", 2),
        ("!!set", 3),
        ("!!omap", 4),
    ]


def test_the_lines_of_the_interactions_are_noted():
    assert load("version: 1\ninteractions:\n- a: 1\n  b: [1,\n    2]\n- 5\n-\n  - c\n").lines == [3, 6, 8]


WHOLE = render([pair(), streamed()], {"scenario": {"title": "Two files"}}) + cassette(interaction())[14:]
MARKS = [*"'\" :[]{}!%|\n\t\0é", "- ", "&a ", "*a", "!!python/name:os "]


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_damaged_cassette_is_a_recording_or_a_cassette_error_and_nothing_else(data):
    text = WHOLE
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(st.sampled_from(MARKS) | st.text(max_size=4)) + text[end:]
    with suppress(CassetteError):
        assert parse(text, Path("damaged.yaml")).exchanges


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_data_or_a_yaml_error(text):
    with suppress(YamlError):
        load(text)
