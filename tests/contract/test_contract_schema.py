"""The schema of a contract and the shipped policy: complete, in both languages, and of use to an editor."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from simulator import contract as room
from simulator.contract import read
from simulator.contract.policy import FILE, shipped_policy
from simulator.contract.schema import CONTRACT, POLICY, fits, part, shipped, validator
from simulator.text import LANGUAGES
from tests.contract.test_reading import EXPECTED, PLAIN

ROWS: list[dict[str, Any]] = shipped(FILE)["rules"]
PLACEHOLDERS = {"fits", "fix", "limit", "said"}
FOLDER = Path(room.__file__).parent


def properties(schema: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every property that *schema* describes, with its place; conditions describe nothing."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in ("properties", "$defs"):
                for name, inner in value.items():
                    yield f"{place}/{name}", inner
                    yield from properties(inner, f"{place}/{name}")
            elif key == "items":
                yield f"{place}/*", value
                yield from properties(value, f"{place}/*")


@pytest.mark.parametrize("name", [CONTRACT, POLICY])
def test_every_property_has_a_title_and_a_description_for_the_editor(name: str) -> None:
    schema = shipped(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    bare = [
        place
        for place, p in properties(schema)
        if "$ref" not in p and not (p.get("title") and p["description"])
    ]
    assert bare == []
    assert schema["$id"].startswith("urn:agent-loop-katas:")


@pytest.mark.parametrize("name", [CONTRACT, POLICY])
def test_every_object_refuses_unknown_keys(name: str) -> None:
    described = [(place, p) for place, p in properties(shipped(name)) if "properties" in p]
    assert [place for place, p in described if p.get("additionalProperties") is not False] == []


def test_every_example_and_default_fits_where_it_stands() -> None:
    schema = shipped(CONTRACT)
    for _, described in properties(schema):
        values = [described[key] for key in ("default",) if key in described]
        for value in [*described.get("examples", []), *values]:
            validator({**described, "$defs": schema["$defs"]}).validate(value)
    for example in schema["examples"]:
        assert read(json.dumps(example).encode())


def test_an_editor_that_knows_the_schema_alone_takes_what_read_takes() -> None:
    jsonschema.validate(PLAIN, shipped(CONTRACT))


def test_what_fits_at_a_place_can_be_said_of_every_place() -> None:
    for place in (
        ("signals", "max_tokens", "times"),
        ("budget", "seconds"),
        ("request", "stop_sequences", 0),
    ):
        assert part(shipped(CONTRACT), place) is not None
    assert fits(shipped(CONTRACT), ("signals", "max_tokens", "times")) == "a whole number from 1 to 5"
    assert fits(shipped(CONTRACT), ("budget", "seconds")) == "a number above 0 and at most 604800"
    assert fits(shipped(CONTRACT), ("handlers", "on_error")) == 'one of: "tell", "propagate"'
    assert fits(shipped(CONTRACT), ("request", "system")) == "a text of 1 to 200000 characters"


def test_the_shipped_policy_is_what_its_schema_says() -> None:
    jsonschema.validate(shipped(FILE), shipped(POLICY))
    assert shipped_policy().limits == (262_144, 32, 5000)


def test_every_rule_of_the_policy_is_broken_by_some_rejected_contract() -> None:
    broken = {rule for problems in EXPECTED.values() for rule, *_ in problems}
    # A file of that size, and one that is not there, are no files of ours: see test_hostile_contracts.py.
    assert {row["id"] for row in ROWS} - broken == {"json.too_large", "file.unreadable"}


def test_the_words_of_a_rule_are_there_in_every_language_with_the_same_placeholders() -> None:
    for row in ROWS:
        for words in (row["reason"], row["remedy"]):
            assert sorted(words) == sorted(LANGUAGES), row["id"]
            used = [set(re.findall(r"\{(\w+)\}", words[lang])) for lang in LANGUAGES]
            assert used[0] == used[1] <= PLACEHOLDERS, row["id"]
            longest = max(len(words[lang].split()) for lang in LANGUAGES)
            assert words["en"] != words["es"] or longest < 5, row["id"]


def test_every_rule_the_reader_can_break_has_words_for_any_place() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py"))
    named = set(re.findall(r'"((?:json|keys|value|request|file)\.[a-z_]+)"', source))
    general = {row["id"] for row in ROWS if "at" not in row}
    assert named - {"json.root"} == general


def test_importing_the_room_imports_nothing_heavy_and_offers_its_names() -> None:
    heavy = "{'jsonschema', 'jinja2', 'anthropic', 'yaml'}"
    script = f"import sys, simulator.contract as c; print(sorted(c.__all__), {heavy} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "'read', 'report'] set()" in run.stdout
    assert set(room.__all__) <= set(dir(room))
    with pytest.raises(AttributeError, match=r"has no attribute 'raed'; it has: .*read"):
        _ = room.raed
