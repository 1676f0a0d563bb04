"""``simulator step``: a trace in a terminal, one step at a time; where there is none, all steps as text.

Rules of this file:

1. Recorded text is printed as visible text, never as markup or as terminal codes.
2. What colour says, a sign says too; ``NO_COLOR`` is respected (rich does).
3. It reads whole lines, so that it works the same on every system.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from simulator.player.listing import Row, rows, title
from simulator.text import language, say
from simulator.text.visible import visible
from simulator.trace.document import Trace

if TYPE_CHECKING:
    from rich.console import Console

AROUND = 4
"""Lines of source shown before and after the current one."""


def step(
    trace: Trace,
    *,
    lang: str | None = None,
    out: TextIO | None = None,
    read: Callable[[str], str] | None = None,
) -> None:
    """Show *trace* on *out* (default: stdout).

    With *read* (``input``, which is the default when both ends are a terminal) it goes step by step; else it
    lists every step with its sentence and what it did to ``messages[]``.
    """
    target = sys.stdout if out is None else out
    if read is None and out is None and sys.stdin.isatty() and sys.stdout.isatty():
        read = input
    chosen = language(lang)
    if read is None:
        target.write(listing(trace, chosen))
    else:
        _walk(trace, chosen, target, read)


def listing(trace: Trace, lang: str | None = None) -> str:
    """Return every step of *trace* as plain text."""
    chosen = language(lang)
    lines = [title(trace, chosen)]
    shown = [(row, say(f"player.ui.kind.{row.kind}", chosen)) for row in rows(trace, chosen)]
    wide = max(len(kind) for _, kind in shown)
    for row, kind in shown:
        lines.append(f"{row.number:>4}  {kind:<{wide}}  {_one_line(row.sentence)}")
        lines += [f"{'':>{wide + 8}}{change}" for change in row.changes]
    return "\n".join(lines) + "\n"


def _walk(trace: Trace, lang: str, out: TextIO, read: Callable[[str], str]) -> None:
    from rich.console import Console

    console = Console(file=out, highlight=False, markup=False, emoji=False)
    shown = list(rows(trace, lang))
    console.print(title(trace, lang), style="bold")
    at = 0
    while True:
        _show(console, trace, shown[at], len(shown), lang)
        following = _ask(console, at, len(shown), lang, read)
        if following is None:
            break
        at = following
    console.print(say("player.shell.bye", lang, n=at + 1, count=len(shown)))


def _ask(console: Console, at: int, count: int, lang: str, read: Callable[[str], str]) -> int | None:
    """Return the step to go to, counted from 0, or None to stop."""
    while True:
        try:
            word = read(say("player.shell.prompt", lang) + " > ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            return None
        if word == "q":
            return None
        if word == "b":
            return max(0, at - 1)
        if word == "":
            return at + 1 if at + 1 < count else None
        if word.isdecimal() and 1 <= int(word) <= count:
            return int(word) - 1
        console.print(say("player.shell.unknown", lang, seen=visible(word), count=count), style="yellow")


def _show(console: Console, trace: Trace, row: Row, count: int, lang: str) -> None:
    from rich.text import Text

    kind = say(f"player.ui.kind.{row.kind}", lang)
    console.print()
    place = say("player.shell.step", lang, n=row.number, count=count)
    console.rule(Text(f"{place} · {kind}", style="bold cyan"))
    console.print(Text(row.sentence, style="bold"))
    for line in row.said:
        console.print(Text(f"  │ {line}"))
    for change in row.changes:
        console.print(Text(f"  {change}", style="green" if change.startswith("+") else "red"))
    for number, text, here in _source(trace, row.line):
        sign = "▶" if here else " "
        console.print(Text(f"  {number:>4} {sign} {text}", style="bold" if here else "dim"), soft_wrap=True)


def _source(trace: Trace, line: int | None) -> list[tuple[int, str, bool]]:
    if trace.source is None or line is None:
        return []
    lines = visible(trace.source["text"]).split("\n")
    first, last = max(1, line - AROUND), min(len(lines), line + AROUND)
    return [(number, lines[number - 1], number == line) for number in range(first, last + 1)]


def _one_line(text: str) -> str:
    return " ".join(text.split())
