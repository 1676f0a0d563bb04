"""ARCHITECTURE.md against the code: what each room imports, what importing costs, which names are public."""

import ast
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import simulator

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "simulator"
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", re.MULTILINE)

HEAVY = ("anthropic", "httpx2", "vcr", "yaml", "anywidget", "ipywidgets", "jupyterlab", "jsonschema", "rich")
"""What costs more to import than a learner should wait for when nothing of it is used."""

PUBLIC = [
    "ApiError",
    "OffScript",
    "RunawayLoop",
    "Trace",
    "check_request",
    "compare",
    "export",
    "observe",
    "scenario",
    "scenarios",
    "show",
]
"""The names promised to users. Adding one is a promise; taking one away breaks somebody."""


ORIGINS: dict[str, str] = simulator._ROOMS


def promised() -> dict[str, set[str]]:
    """Return the import table of the page: room -> the rooms it imports."""
    return {room: set(re.findall(r"`(\w+)`", imports)) for room, imports in ROW.findall(PAGE)}


def room_of(parts: tuple[str, ...]) -> str | None:
    """Return the room of a module by its path below ``simulator``; None for the package itself."""
    first = parts[0].removesuffix(".py") if parts else "__init__"
    return {"__init__": None, "commands": "cli", "__main__": "cli"}.get(first, first)


def imported(source: str) -> Iterator[str]:
    """Yield every module of ours that *source* uses, wherever it does: ``recording.replay``, ``text``.

    A public name, ``simulator.scenario``, counts for the room it comes from.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                names = [alias.name for alias in aliases]
            case ast.ImportFrom(module=module, names=aliases, level=level):
                assert level == 0, "rooms name each other in full"
                names = [f"{module}.{alias.name}" for alias in aliases]
            case ast.Attribute(value=ast.Name(id="simulator"), attr=attribute):
                names = [ORIGINS.get(attribute, "")]
            case _:
                continue
        yield from (name.removeprefix("simulator.") for name in names if name.startswith("simulator."))


def actual() -> dict[str, set[str]]:
    """Return the import table of the code."""
    table: dict[str, set[str]] = defaultdict(set)
    for path in sorted(PACKAGE.rglob("*.py")):
        room = room_of(path.relative_to(PACKAGE).parts)
        if room is not None:
            found = {room_of((name.split(".")[0],)) for name in imported(path.read_text(encoding="utf-8"))}
            table[room] |= {other for other in found if other is not None and is_room(other)} - {room}
    return dict(table)


def is_room(name: str) -> bool:
    return name == "cli" or (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def test_the_import_table_is_the_codes_own() -> None:
    assert promised() == actual()


def test_rooms_import_downwards_only() -> None:
    order = list(promised())
    upwards = [
        f"{room} imports {other}"
        for room, others in promised().items()
        for other in others
        if order.index(other) >= order.index(room)
    ]
    assert upwards == []


def loaded_by(statement: str) -> set[str]:
    """Return the heavy libraries that a fresh Python has loaded after *statement*."""
    script = f"{statement}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(HEAVY) & set(json.loads(run.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    [
        "import simulator",
        "import simulator.cli, simulator.commands.parser",
        "from simulator import check_request; check_request({})",
        "import simulator.trace.events",
        "import simulator.loop",
        "import simulator.grading.plugin",
        "import simulator.grading.commands",
    ],
)
def test_heavy_libraries_are_imported_only_where_they_are_used(statement: str) -> None:
    assert loaded_by(statement) == set()


def test_the_public_names_are_these() -> None:
    assert simulator.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(simulator))
    for name in PUBLIC:
        assert getattr(simulator, name).__doc__, name


def test_a_name_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'scenerio'; it has: .*scenario"):
        _ = simulator.scenerio
