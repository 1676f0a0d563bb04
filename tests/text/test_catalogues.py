"""Every sentence is there in both languages, with the same placeholders, and somebody says it."""

import ast
import re
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator import text
from simulator.text import LANGUAGES, room, say

ROOT = Path(text.__file__).resolve().parent.parent.parent
FOLDER = Path(text.__file__).resolve().parent
ROOMS = sorted(path.stem for path in (FOLDER / "en").glob("*.toml"))
ID = re.compile(r"^[a-z_]+(\.[\w-]+)+$")


def placeholders(sentence: str) -> set[str]:
    """Return the names of the fields of *sentence*."""
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None}


def sources() -> dict[str, str]:
    """Return every source of ours that can name a sentence: path below the project -> text."""
    paths = [ROOT / "start.py", *sorted((ROOT / "simulator").rglob("*.py"))]
    paths += sorted((ROOT / "simulator").rglob("*.js")) + sorted((ROOT / "katas").glob("*.toml"))
    paths += sorted((ROOT / "katas").glob("*/loop_test.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def strings(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each string of a Python *source*, and whether it is only the beginning of one (an f-string)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
            yield str(node.values[0].value), True
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, False


def said() -> tuple[set[str], set[str], set[str]]:
    """Return what the sources say: whole strings, the words in them, and beginnings of ids (f-strings)."""
    whole: set[str] = set()
    begun: set[str] = set()
    for path, source in sources().items():
        if path.endswith(".py"):
            for value, open_ended in strings(source):
                (begun if open_ended else whole).add(value)
            if "/judgements/" in path:
                # A probe is named after the function that judges, and its title after the probe.
                whole |= {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
        else:
            whole |= set(re.findall(r"[\w.-]+", source))
    words = {word for value in whole for word in re.split(r"[^\w-]+", value)}
    return whole, words, {value for value in begun if "." in value and value.split(".")[0] in ROOMS}


def test_every_room_has_a_catalogue_in_every_language() -> None:
    for lang in LANGUAGES:
        assert sorted(path.stem for path in (FOLDER / lang).glob("*.toml")) == ROOMS


@pytest.mark.parametrize("name", ROOMS)
def test_the_languages_have_the_same_sentences_with_the_same_placeholders(name: str) -> None:
    english, *others = (room(name, lang) for lang in LANGUAGES)
    for other in others:
        assert sorted(other) == sorted(english)
        differing = [key for key in english if placeholders(english[key]) != placeholders(other[key])]
        assert differing == []


@pytest.mark.parametrize("name", ROOMS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_sentence_is_empty(name: str, lang: str) -> None:
    assert [key for key, value in room(name, lang).items() if not value.strip()] == []


@pytest.mark.parametrize("name", ROOMS)
def test_spanish_is_a_translation(name: str) -> None:
    """Sentences of several words differ; a single word or a figure may be the same."""
    english, spanish = room(name, "en"), room(name, "es")
    same = [key for key in english if english[key] == spanish[key] and len(words(english[key])) > 3]
    assert same == []


def words(sentence: str) -> list[str]:
    """Return the words of *sentence* outside placeholders and code."""
    return re.findall(r"[^\W\d_]{2,}", re.sub(r"`[^`]*`|\{[^}]*\}", "", sentence))


def test_every_sentence_is_said_somewhere() -> None:
    """By its id, by the beginning of its id, or piece by piece: f"{room}.{message}.{part}" of known words."""
    whole, words, begun = said()
    unused = [
        key
        for name in ROOMS
        for key in room(name, "en")
        if key not in whole
        and not any(key.startswith(start) for start in begun)
        and not all(piece in words for piece in key.split(".")[1:])
    ]
    assert unused == []


def calls_of_say() -> Iterator[tuple[str, str, set[str] | None]]:
    """Yield where ``say`` says a constant id, the id, and the names of its values (None: not all seen)."""
    for path, source in sources().items():
        for node in ast.walk(ast.parse(source)) if path.endswith(".py") else ():
            match node:
                case ast.Call(func=ast.Name(id="say"), args=[ast.Constant(value=str(key)), *_]):
                    names = [keyword.arg for keyword in node.keywords]
                    yield f"{path}:{node.lineno}", key, None if None in names else {str(n) for n in names}
                case _:
                    pass


def test_every_id_that_is_said_exists() -> None:
    known = {key for name in ROOMS for key in room(name, "en")}
    assert [f"{place} {key}" for place, key, _ in calls_of_say() if key not in known] == []


def test_every_value_that_is_passed_has_a_place_and_every_place_a_value() -> None:
    wrong = [
        f"{place} {key}: {sorted(given ^ placeholders(sentence(key)))}"
        for place, key, given in calls_of_say()
        if given is not None and given != placeholders(sentence(key))
    ]
    assert wrong == []


def sentence(key: str) -> str:
    """Return the English sentence *key*, or an empty one where there is none (another test says so)."""
    name = key.split(".")[0]
    return room(name, "en").get(key, "") if name in ROOMS else ""


def test_no_catalogue_states_a_key_twice_or_nests_deeper_than_it_shows() -> None:
    for lang in LANGUAGES:
        for path in sorted((FOLDER / lang).glob("*.toml")):
            tomllib.loads(path.read_text(encoding="utf-8"))
            assert all(ID.match(key) for key in room(path.stem, lang)), path.name


def test_an_unknown_sentence_is_our_fault_and_raises() -> None:
    with pytest.raises(KeyError):
        say("start.no_such_sentence")
    with pytest.raises(KeyError):
        say("start.opening")  # a placeholder without a value


def test_a_language_without_a_catalogue_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no catalogue for the language 'fr'; there are: en, es"):
        text.language("fr")


def test_the_environment_chooses_the_language_and_a_foreign_one_means_english(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for value, lang in (("es_ES.UTF-8", "es"), ("EN", "en"), ("fr", "en"), ("", "en")):
        monkeypatch.setenv(text.ENVIRONMENT, value)
        assert text.language() == lang
    assert text.language("es") == "es"
