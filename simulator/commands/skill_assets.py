"""What can be said of the files of a skill without making a loop.

Rules of this file:

1. Of one file the first thing that is wrong is told: what comes after hangs on it.
2. The schema and the policy are those of the package, to the byte: a skill that has others promises what the
   compiler does not do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from simulator.commands.skill_lines import Line
from simulator.contract import schema as schemas
from simulator.text import say

SCHEMA = "loop-contract.schema.json"
POLICY = "loop-policy.json"
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 1024
"""What the format of skills allows, in characters."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FRONT = re.compile(r"---\n(.*?)\n---\n", re.DOTALL)
_NAMED = re.compile(r"`((?:assets|scripts)/[\w./*-]+)|\]\(((?:assets|scripts)/[^)#\s]+)")


def front_matter(folder: Path) -> Iterator[Line]:
    """Yield whether SKILL.md begins with the name and the description by which an agent finds it."""
    name, claim = "SKILL.md", say("cli.skill.front")
    text, problem = _text(folder / name)
    yield Line(name, claim, problem or _wrong_front(text, folder.name))


def _wrong_front(text: str, folder: str) -> str:
    import yaml

    found = _FRONT.match(text)
    if found is None:
        return say("cli.skill.no_front")
    try:
        stated = yaml.safe_load(found[1])
    except yaml.YAMLError as problem:
        return say("cli.skill.front_yaml", problem=str(problem).partition("\n")[0])
    stated = stated if isinstance(stated, dict) else {}
    name, description = stated.get("name"), stated.get("description")
    if name != folder or len(folder) > LONGEST_NAME or not _NAME.fullmatch(folder):
        return say("cli.skill.front_name", name=name, folder=folder)
    if not isinstance(description, str) or not 0 < len(description.strip()) <= LONGEST_DESCRIPTION:
        return say("cli.skill.front_description", most=LONGEST_DESCRIPTION)
    return ""


def named_files(folder: Path) -> Iterator[Line]:
    """Yield whether every file that SKILL.md names is there."""
    text, problem = _text(folder / "SKILL.md")
    named = sorted({one or other for one, other in _NAMED.findall(text)})
    lost = [path for path in named if not any(folder.glob(path))]
    if lost:
        problem = say("cli.skill.lost", paths=", ".join(lost))
    yield Line("SKILL.md", say("cli.skill.named", number=len(named)), problem)


def schema(folder: Path) -> Iterator[Line]:
    """Yield whether the contract's schema is JSON, a JSON Schema 2020-12, and the package's own."""
    name, claim = f"assets/{SCHEMA}", say("cli.skill.schema")
    value, problem = _json(folder / name)
    if not problem:
        problem = _no_schema(value) or _differs(folder / name, SCHEMA)
    yield Line(name, claim, problem)


def _no_schema(value: Any) -> str:
    known = schemas.validator({})
    from jsonschema import SchemaError  # imported by now, without what takes seconds

    try:
        known.check_schema(value)
    except SchemaError as problem:
        return say("cli.skill.not_a_schema", pointer=problem.json_path, problem=problem.message)
    draft = known.META_SCHEMA["$schema"]
    stated = value.get("$schema") if isinstance(value, dict) else None
    return "" if stated == draft else say("cli.skill.other_draft", seen=stated, draft=draft)


def policy(folder: Path) -> Iterator[Line]:
    """Yield whether the policy is JSON, what the schema of policies asks for, and the package's own."""
    name, claim = f"assets/{POLICY}", say("cli.skill.policy")
    value, problem = _json(folder / name)
    if not problem:
        problem = _no_policy(value) or _differs(folder / name, POLICY)
    yield Line(name, claim, problem)


def _no_policy(value: Any) -> str:
    wrong = next(schemas.validator(schemas.shipped(schemas.POLICY)).iter_errors(value), None)
    return "" if wrong is None else say("cli.skill.no_policy", pointer=wrong.json_path, problem=wrong.message)


def _differs(path: Path, name: str) -> str:
    if path.read_bytes().replace(b"\r\n", b"\n") == _shipped(name).replace(b"\r\n", b"\n"):
        return ""
    return say("cli.skill.differs", name=name)


def _shipped(name: str) -> bytes:
    """Return the bytes of a file of the package ``simulator.contract``."""
    return (resources.files("simulator.contract") / name).read_bytes()


def _json(path: Path) -> tuple[Any, str]:
    """Return the value in the file at *path*, or None and why there is none."""
    text, problem = _text(path)
    try:
        return (None, problem) if problem else (json.loads(text), "")
    except (ValueError, RecursionError) as wrong:
        return None, say("cli.skill.no_json", problem=wrong)


def _text(path: Path) -> tuple[str, str]:
    """Return the text of the file at *path*, or an empty one and why there is none."""
    try:
        return path.read_bytes().decode("utf-8").replace("\r\n", "\n"), ""
    except OSError as problem:
        return "", say("cli.skill.unreadable", problem=problem.strerror)
    except UnicodeDecodeError as problem:
        return "", say("cli.skill.no_utf8", position=problem.start)
