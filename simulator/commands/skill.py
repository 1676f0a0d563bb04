"""Is a copy of the skill whole? ``python -m simulator.commands.skill FOLDER``, which its ``check.sh`` runs.

Rules of this file:

1. A thing is checked by a generator that yields one line for each thing it looked at. What breaks one check
   is told as broken, whatever it is, and the others go on.
2. Exit status 0 where every line holds, else 1; 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from simulator.commands.skill_assets import POLICY, SCHEMA, front_matter, named_files, policy, schema
from simulator.commands.skill_lines import Line
from simulator.commands.skill_loops import examples
from simulator.text import say
from simulator.text.visible import visible

Check = Callable[[], Iterator[Line]]


def main(argv: Sequence[str]) -> int:
    """Check the skill that *argv* names and print a line for each thing; return the exit status."""
    parser = argparse.ArgumentParser(prog="check.sh", description=say("cli.skill.about"), allow_abbrev=False)
    parser.add_argument("folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--assets", action="store_true", help=say("cli.skill.assets_only"))
    asked = parser.parse_args(argv)
    folder = asked.folder.resolve()
    lines = []
    for line in _all(_checks(folder, run=not asked.assets)):
        print(_shown(line), flush=True)
        lines.append(line)
    broken = [line for line in lines if line.problem]
    summary = "cli.skill.broken" if broken else "cli.skill.whole"
    names = ", ".join(dict.fromkeys(line.name for line in broken))
    print(visible(say(summary, lines=len(lines), broken=len(broken), names=names)))
    if asked.assets:
        print(say("cli.skill.not_run"))
    return 1 if broken else 0


def _checks(folder: Path, *, run: bool) -> list[tuple[str, Check]]:
    """Return the checks, each with the name of what it looks at, which stands for it where it breaks."""
    return [
        ("SKILL.md", partial(front_matter, folder)),
        ("SKILL.md", partial(named_files, folder)),
        (f"assets/{SCHEMA}", partial(schema, folder)),
        (f"assets/{POLICY}", partial(policy, folder)),
        ("assets/examples", partial(examples, folder, run=run)),
    ]


def _all(checks: Iterable[tuple[str, Check]]) -> Iterator[Line]:
    for name, check in checks:
        try:
            yield from check()
        except Exception as problem:
            yield Line(name, say("cli.skill.runs"), f"{type(problem).__name__}: {problem}")


def _shown(line: Line) -> str:
    told = f"{line.name}: {line.claim}"
    return visible(f"FAIL  {told}. {line.problem}" if line.problem else f"ok    {told}").replace(
        "\n", "\n      "
    )


def _guarded(argv: Sequence[str]) -> int:
    """Run :func:`main`; Ctrl-C, and a reader who has seen enough (``check.sh | head``), end it quietly."""
    try:
        return main(argv)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(_guarded(sys.argv[1:]))
