"""The katas as they lie in the project: shipped copies, catalogue, READMEs, messages."""

import re

import pytest

from simulator.gate.loading import FUNCTION
from simulator.grading import catalogue, pristine
from simulator.grading.report import PARTS
from simulator.text import LANGUAGES, room, say

KNOWN = catalogue.load()


def _each():
    return [pytest.param(kata, id=kata.slug) for kata in KNOWN.katas]


@pytest.mark.parametrize("kata", _each())
def test_the_shipped_copy_of_a_grader_is_the_grader(kata):
    """Where this fails after a change: python -m simulator.grading.pristine."""
    assert pristine.shipped(kata, "loop_test.py") == kata.test.read_text(encoding="utf-8")
    assert pristine.is_pristine(kata)


@pytest.mark.parametrize("kata", _each())
def test_the_shipped_copy_of_a_starter_is_the_starter(kata):
    """Where this fails after a change: python -m simulator.grading.pristine."""
    assert pristine.shipped(kata, "loop.py") == kata.loop.read_text(encoding="utf-8")
    assert pristine.is_pristine(kata, "loop.py")


def test_making_the_shipped_copies_again_changes_nothing(tmp_path):
    import shutil

    folder = tmp_path / "katas"
    shutil.copytree(KNOWN.folder, folder)
    before = {path: path.read_bytes() for path in sorted((folder / ".pristine").rglob("*")) if path.is_file()}
    pristine.make(folder)
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("kata", _each())
def test_a_starter_is_short_and_keeps_the_signature(kata):
    text = kata.loop.read_text(encoding="utf-8")
    assert 20 <= len(text.splitlines()) <= 40
    limits = "".join(f", {name}={value!r}" for name, value in kata.arguments.items())
    assert f"def {FUNCTION}(client, messages, tools, handlers{limits}):" in text
    assert kata.slug[3:] in text


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kata", _each())
def test_a_kata_has_a_readme_with_its_parts(kata, lang):
    text = (kata.folder / ("README.md" if lang == "en" else "README.es.md")).read_text(encoding="utf-8")
    heads = {"en": ("The story", "What you see", "What has to hold", "How to run it")}
    heads["es"] = ("La historia", "Lo que se ve", "Lo que tiene que cumplirse", "Cómo se ejecuta")
    assert text.startswith(f"# {kata.number} {kata.slug[3:]}: ")
    assert [head for head in heads[lang] if f"## {head}" not in text] == []
    assert f"pytest katas/{kata.slug}" in text


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kata", _each())
def test_every_message_has_a_title_and_three_parts(kata, lang):
    sentences = room("katas", lang)
    for message in kata.messages:
        for part in ("title", *PARTS[1:]):
            assert f"katas.{message}.{part}" in sentences


@pytest.mark.parametrize("kata", _each())
def test_no_sentence_belongs_to_a_message_that_no_kata_has(kata):
    stated = {key.split(".")[1] for key in room("katas", "en") if re.match(rf"katas\.{kata.id}-E", key)}
    assert stated == set(kata.messages)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("kata", _each())
def test_the_ladder_of_hints_is_as_long_as_the_catalogue_says(kata, lang):
    rungs = [key for key in room("katas", lang) if key.startswith(f"katas.{kata.id}.hint.")]
    assert len(rungs) == kata.hints >= 4
    assert all("?" in kata.hint(rung, lang) for rung in range(1, kata.hints + 1))
    assert kata.title(lang)
    assert say(f"katas.{kata.id}.why", lang)


def test_prerequisites_come_earlier():
    slugs = [kata.slug for kata in KNOWN.katas]
    for place, kata in enumerate(KNOWN.katas):
        assert set(kata.prerequisites) <= set(slugs[:place])


@pytest.mark.parametrize(
    "name", ["2", "02", "02_missing_append", "missing_append", "katas/02_missing_append"]
)
def test_a_kata_is_found_by_any_of_its_names(name):
    assert KNOWN.find(name).slug == "02_missing_append"
