"""The command ``simulator record``: screenplays to cassettes, and the table of the scenarios.

Rules of this file:

1. A cassette is written only when its whole screenplay was played; a bad screenplay leaves the old one alone.
2. Exit status: 0 done, 1 a screenplay (or, with ``--check``, a cassette) is at fault, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from simulator import files, paths
from simulator.recording import cassette, screenplay, table
from simulator.recording.marked import ScreenplayError
from simulator.recording.stage import Interaction, perform
from simulator.recording.takes import metadata, takes
from simulator.text import say

README = "README.md"


def record(source: Path, target: Path) -> int:
    """Play the screenplay *source* and write its cassette to *target*; return how many exchanges it has.

    Raises ScreenplayError when the screenplay cannot be played, CassetteError when *target* cannot be
    written; in both cases an old *target* is as it was.
    """
    played, described = _play(source)
    cassette.write(target, played, described)
    return len(played)


def _play(source: Path) -> tuple[list[Interaction], dict[str, Any]]:
    """Return what a cassette of the screenplay *source* holds: its interactions and its metadata."""
    made = takes(screenplay.load(source))
    return perform(made.all), metadata(made)


def screenplays(folder: Path | None = None) -> dict[str, Path]:
    """Return the screenplays in *folder* (default: the shipped ones) by name, sorted."""
    inside = (folder or paths.cassettes()) / "screenplays"
    return {path.stem: path for path in sorted(inside.glob("*.yaml"))}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with the arguments *argv*; return its exit status."""
    parser = _parser()
    asked = parser.parse_args(argv)
    if not (asked.names or asked.all or asked.table):
        parser.error(say("screenplay.record.nothing"))
    folder = asked.into or paths.cassettes()
    try:
        sources = _sources(parser, asked.names, asked.all)
        fine = [_record_one(source, folder / f"{source.stem}.yaml", asked.check) for source in sources]
        if asked.table:
            fine.append(_write_table(folder, asked.check))
    except (ScreenplayError, cassette.CassetteError) as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        path = error.filename or folder
        print(say("screenplay.record.unwritable", path=path, problem=error.strerror), file=sys.stderr)
        return 1
    return 0 if all(fine) else 1


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="simulator record",
        description=say("screenplay.record.about"),
        epilog=say("screenplay.record.example"),
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=say("screenplay.record.names"))
    parser.add_argument("--all", action="store_true", help=say("screenplay.record.all"))
    parser.add_argument("--table", action="store_true", help=say("screenplay.record.table"))
    parser.add_argument("--check", action="store_true", help=say("screenplay.record.check"))
    parser.add_argument("--into", type=Path, metavar="FOLDER", help=say("screenplay.record.into"))
    return parser


def _sources(parser: argparse.ArgumentParser, names: list[str], everything: bool) -> list[Path]:
    """Return the files of the screenplays *names*; a name that is neither known nor a file is wrong usage."""
    shipped = screenplays()
    found = list(shipped.values()) if everything else []
    for name in names:
        source = shipped.get(name, Path(name))
        if name not in shipped and not source.is_file():
            folder, known = paths.cassettes() / "screenplays", ", ".join(shipped)
            parser.error(say("screenplay.record.unknown", name=name, folder=folder, known=known))
        found += [source] if source not in found else []
    return found


def _record_one(source: Path, target: Path, check: bool) -> bool:
    """Record *source*, or with *check* only hold *target* against it; return whether all is well."""
    played, described = _play(source)
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch) / target.name
        cassette.write(fresh, played, described)
        new = fresh.read_bytes()
    same = target.is_file() and target.read_bytes() == new
    words: dict[str, object] = {"name": source.stem, "path": target, "bytes": len(new)}
    words["exchanges"] = len(played)
    if not same and check:
        print(say("screenplay.record.stale", **words), file=sys.stderr)
        return False
    if not same:
        cassette.write(target, played, described)
    print(say("screenplay.record.same" if same else "screenplay.record.written", **words))
    return True


def _write_table(folder: Path, check: bool) -> bool:
    """Write the table of the cassettes in *folder*, or with *check* only hold the old one against it."""
    target = folder / README
    text = table.table(folder, "en")
    old = target.read_text(encoding="utf-8") if target.is_file() else None
    if old == text:
        print(say("screenplay.record.table_same", path=target))
        return True
    if check:
        print(say("screenplay.record.table_stale", path=target), file=sys.stderr)
        return False
    files.put(target, text.encode("utf-8"))
    print(say("screenplay.record.table_written", path=target))
    return True
