"""Lint the loops of installed packages and write what is found: ``python docs/lint_in_the_wild.py FOLDER``.

*FOLDER*, a ``site-packages``, holds the packages of ``docs/lint_in_the_wild.toml`` in those versions; nothing
is imported from it, nothing downloaded. It writes ``docs/lint-in-the-wild.md``. Rules of this file:

1. The verdicts stand in the data, from reading. Here they are only compared with what the linter says now.
2. Every Python file of those packages is linted. One finding more or less than recorded: no page.
3. A function whose source is not the one that was read is not compared: it is named, and no page.
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import Distribution, distributions
from pathlib import Path
from time import process_time
from typing import Any

import simulator
from simulator.contract.lint.run import lint_paths
from simulator.contract.lint.settings import Settings

HERE = Path(__file__).parent
DATA = HERE / "lint_in_the_wild.toml"
PAGE = HERE / "lint-in-the-wild.md"

HEAD = """# What the linter says about loops in installed packages

{functions} functions of {packages} packages from the package index, {loops} of them agent loops, were read up
to {read}, each before the linter was run on it, and what of its rules applies was noted. On {day} the linter
(simulator {simulator}) said what is written here. `python docs/lint_in_the_wild.py FOLDER` compares the notes
([lint_in_the_wild.toml](lint_in_the_wild.toml)) with what it says about the packages in a folder, and makes
this page only where they agree. The first run had one false finding (AL05) and missed four that it sees now;
for the fifteen packages that were read last, nothing was changed.

| | |
|---|---|
| findings in what was read | {found}: {true} true, {false} false |
| rules that apply and that it does not see | {missed} |
| Python files of all {distributions} packages | {files}, {rate:.0f} s CPU a thousand; {refused} not parsed |
| findings in the rest of them | {elsewhere}: {elsewhere_true} true, {elsewhere_false} false |

How to read it. **Messages API** means that the function asks Anthropic's Messages API itself: there the rules
can be held against it. **own layer** is a loop over several providers, **another API** one that speaks to
something else: the linter leaves both alone, and neither is a verdict on them. A finding says that a rule of
this project applies to a function as it stands. It is not a verdict on a package: a limit can be left to the
caller on purpose, a program at a terminal can be stopped by whoever sits there, and an example is short
because it is one. If you read one of them otherwise, open an issue with the line.

"""

APIS = {"messages": "Messages API", "own": "own layer", "other": "another API"}

Said = tuple[str, str, int]
"""File, rule and line of one finding."""


@dataclass(frozen=True)
class Note:
    """One rule that applies to a function, or that seems to."""

    rule: str
    line: int
    why: str
    said: int | None = None
    """The line at which the linter reports it, if it does."""


@dataclass(frozen=True)
class Read:
    """One function that was read, and the verdict."""

    package: str
    file: str
    function: str
    line: int
    end: int
    sha256: str
    """Of its source, the first 16 digits."""
    kind: str
    api: str
    about: str
    applies: tuple[Note, ...] = ()
    arguable: tuple[Note, ...] = ()
    refuted: tuple[Note, ...] = ()
    """Rules that seem to apply, and do not (``not`` in the data)."""


@dataclass(frozen=True)
class Elsewhere:
    """One finding outside the functions that were read before."""

    package: str
    file: str
    function: str
    rule: str
    said: int
    true: bool
    why: str


@dataclass(frozen=True)
class Data:
    """All of ``lint_in_the_wild.toml``."""

    read: date
    versions: Mapping[str, str]
    loops: tuple[Read, ...]
    elsewhere: tuple[Elsewhere, ...]


@dataclass(frozen=True)
class Swept:
    """What linting all files came to, in seconds of processor time."""

    said: frozenset[Said]
    files: int
    seconds: float
    refused: tuple[str, ...]


def load(path: Path = DATA) -> Data:
    """Return the data at *path*."""
    with path.open("rb") as file:
        raw = tomllib.load(file)
    others = tuple(Elsewhere(**each) for each in raw.get("elsewhere", ()))
    return Data(raw["read"], raw["versions"], tuple(_read(each) for each in raw["loop"]), others)


def _read(raw: dict[str, Any]) -> Read:
    notes = {key: tuple(Note(**each) for each in raw.pop(key, ())) for key in ("applies", "arguable", "not")}
    return Read(**raw, applies=notes["applies"], arguable=notes["arguable"], refuted=notes["not"])


def recorded(data: Data) -> set[Said]:
    """Return what the linter says according to *data*."""
    notes = (
        (loop.file, note) for loop in data.loops for note in (*loop.applies, *loop.arguable, *loop.refuted)
    )
    others = {(each.file, each.rule, each.said) for each in data.elsewhere}
    return others | {(file, note.rule, note.said) for file, note in notes if note.said is not None}


def sweep(folder: Path, files: Iterable[str]) -> Swept:
    """Lint *files* (paths below *folder*), without anybody's settings."""
    names = sorted(files)
    start = process_time()
    linted = lint_paths([folder / name for name in names], Settings())
    seconds = process_time() - start
    said = {
        (name, finding.rule, finding.place.line)
        for name, each in zip(names, linted, strict=True)
        for finding in each.findings
    }
    refused = [name for name, each in zip(names, linted, strict=True) if each.problems]
    return Swept(frozenset(said), len(names), seconds, tuple(refused))


def changed(folder: Path, loops: Iterable[Read]) -> Iterator[str]:
    """Yield the functions that are not there as they were read."""
    for loop in loops:
        path = folder / loop.file
        lines = path.read_text(encoding="utf-8").split("\n") if path.is_file() else []
        source = "\n".join(lines[loop.line - 1 : loop.end])
        if hashlib.sha256(source.encode()).hexdigest()[:16] != loop.sha256:
            yield f"{loop.file}: {loop.function} is not the one that was read"


def missing(folder: Path, versions: Mapping[str, str]) -> Iterator[str]:
    """Yield the packages that are not in *folder* in the version that was read."""
    there = {_normal(each.name): each.version for each in distributions(path=[str(folder)])}
    for package, version in versions.items():
        if there.get(package) != version:
            yield f"{package} {version} was read; here is {there.get(package, 'none')}"


def files_of(folder: Path, packages: Mapping[str, str]) -> set[str]:
    """Return the Python files that *packages* have installed in *folder*."""
    mine = [each for each in distributions(path=[str(folder)]) if _normal(each.name) in packages]
    return {name for each in mine for name in _python(each) if (folder / name).is_file()}


def _python(package: Distribution) -> Iterator[str]:
    return (
        file.as_posix() for file in package.files or () if file.suffix == ".py" and ".." not in file.parts
    )


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def main(arguments: Sequence[str]) -> int:
    """Lint the packages of the folder that is given and write the page; say what differs instead."""
    if len(arguments) != 1:
        print(__doc__)
        return 2
    folder, data = Path(arguments[0]), load()
    differs = [*missing(folder, data.versions), *changed(folder, data.loops)]
    if not differs:
        swept = sweep(folder, files_of(folder, data.versions))
        known = recorded(data)
        differs += [
            f"said, and not recorded: {file}:{line} {rule}" for file, rule, line in sorted(swept.said - known)
        ]
        differs += [
            f"recorded, and not said: {file}:{line} {rule}" for file, rule, line in sorted(known - swept.said)
        ]
    if differs:
        print("\n".join(differs))
        return 1
    PAGE.write_text(page(data, swept), encoding="utf-8", newline="\n")
    print(f"{PAGE}: {len(data.loops)} functions, {swept.files} files, {swept.seconds:.0f} s")
    return 0


def page(data: Data, swept: Swept) -> str:
    """Return the page."""
    parts = [_head(data, swept), "## The loops\n\n", *table(data), "\n## What it does not see\n\n"]
    parts += ["Rules that apply by reading, and that the linter is silent about.\n\n"]
    parts += _list((loop, note) for loop in data.loops for note in loop.applies if note.said is None)
    parts += ["\n## Either way\n\nWhere one can see it either way.\n\n"]
    parts += _list((loop, note) for loop in data.loops for note in loop.arguable)
    parts += ["\n## What looks like a fault, and is none\n\n"]
    parts += _list((loop, note) for loop in data.loops for note in loop.refuted)
    if data.elsewhere:
        parts += ["\n## In the rest of the packages\n\n", *map(_elsewhere, data.elsewhere)]
    return "".join(parts)


def _head(data: Data, swept: Swept) -> str:
    said = [(loop, note) for loop in data.loops for note in _notes(loop) if note.said is not None]
    wrong = sum(note in loop.refuted for loop, note in said)
    return HEAD.format(
        functions=len(data.loops),
        loops=sum(loop.kind == "loop" for loop in data.loops),
        packages=len({loop.package for loop in data.loops}),
        read=data.read,
        day=date.today().isoformat(),
        simulator=simulator.__version__,
        found=len(said),
        true=len(said) - wrong,
        false=wrong,
        missed=sum(note.said is None for loop in data.loops for note in loop.applies),
        distributions=len(data.versions),
        files=swept.files,
        rate=1000 * swept.seconds / swept.files,
        refused=len(swept.refused),
        elsewhere=len(data.elsewhere),
        elsewhere_true=sum(each.true for each in data.elsewhere),
        elsewhere_false=sum(not each.true for each in data.elsewhere),
    )


def _notes(loop: Read) -> tuple[Note, ...]:
    return (*loop.applies, *loop.arguable, *loop.refuted)


def table(data: Data) -> Iterator[str]:
    """Yield one row for each function that was read."""
    yield "| package | function | asks | what it is | what the linter says |\n|---|---|---|---|---|\n"
    for loop in data.loops:
        name = f"`{loop.function}`, {loop.file}:{loop.line}"
        package = f"{loop.package} {data.versions[loop.package]}"
        yield f"| {package} | {name} | {APIS[loop.api]} | {loop.about} | {_verdict(loop)} |\n"


def _verdict(loop: Read) -> str:
    said = [note for note in _notes(loop) if note.said is not None]
    if said:
        return "<br>".join(_finding(loop, note) for note in said)
    if loop.api != "messages":
        return "left alone"
    return "nothing, see below" if loop.applies or loop.arguable else "nothing, and nothing applies"


def _finding(loop: Read, note: Note) -> str:
    false = "**false** " if note in loop.refuted else ""
    return f"{false}**{note.rule}**, line {note.said}: {note.why}"


def _list(notes: Iterable[tuple[Read, Note]]) -> Iterator[str]:
    for loop, note in notes:
        yield f"- {loop.package}, `{loop.function}`, line {note.line}, {note.rule}: {note.why}\n"


def _elsewhere(each: Elsewhere) -> str:
    verdict = "true" if each.true else "**false**"
    return (
        f"- {each.package}, `{each.function}`, {each.file}:{each.said}, {each.rule}, {verdict}: {each.why}\n"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
