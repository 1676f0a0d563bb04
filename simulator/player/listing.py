"""A trace as lines of text and as a plain HTML table: what stands in where no player can run.

Rules of this file:

1. Every recorded text goes through :func:`simulator.text.visible.visible`; in HTML everything is escaped.
2. A listing is complete and stable: the same trace gives the same text, with no address and no clock.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simulator.player.sentences import Moment, counted, moments, sentence, short
from simulator.text import language, say
from simulator.text.visible import visible
from simulator.trace.document import Trace
from simulator.trace.events import Event, Response, ToolResult
from simulator.wire.message import of_type

MOST_ROWS = 200
"""Rows of the HTML table; a notebook keeps it with its outputs, so a long run is cut there."""


MOST_LINES = 8
"""Lines of one text that a terminal shows; the rest is an ellipsis."""


@dataclass(frozen=True, slots=True)
class Row:
    """One step: its number from 1, source line, sentence and the changes of ``messages[]``.

    ``kind`` is the event's, or "error" for an answer that is one; ``said`` is the text of an answer or a
    result, line by line.
    """

    number: int
    kind: str
    line: int | None
    sentence: str
    said: tuple[str, ...]
    changes: tuple[str, ...]


def rows(trace: Trace, lang: str | None = None) -> Iterator[Row]:
    """Yield a row for each step of *trace*; its texts are visible already."""
    for moment in moments(trace, lang):
        event = trace.steps[moment.n].event
        kind = "error" if isinstance(event, Response) and event.error else event.kind
        text = visible(sentence(moment))
        yield Row(moment.n + 1, kind, event.line, text, tuple(_said(event)), tuple(changes(moment)))


def _said(event: Event) -> list[str]:
    """Return the lines of what a model or a tool said, as many as are read at a glance."""
    match event:
        case Response(message=message) if message:
            texts = [str(block.get("text")) for block in of_type(message.get("content"), "text")]
        case ToolResult(content=str(content)):
            texts = [content]
        case ToolResult(content=list(content)):
            texts = [str(block.get("text")) for block in of_type(content, "text")]
        case _:
            texts = []
    lines = visible("\n".join(texts)).splitlines()
    return [short(line, 160) for line in lines[:MOST_LINES]] + ["…"] * (len(lines) > MOST_LINES)


def changes(moment: Moment) -> list[str]:
    """Return what the step did to ``messages[]``: ``+ [2] user: …`` came, ``- [2] user: …`` went."""
    before, after = moment.before, moment.after
    if before is after:
        return []
    head = tail = 0
    shortest = min(len(before), len(after))
    while head < shortest and before[head] == after[head]:
        head += 1
    while tail < shortest - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    messages = moment.trace.pool.messages
    gone = [_turn("-", i, messages[before[i]]) for i in range(head, len(before) - tail)]
    return gone + [_turn("+", i, messages[after[i]]) for i in range(head, len(after) - tail)]


def title(trace: Trace, lang: str | None = None) -> str:
    """Return one line about the whole of *trace*, and what was asked of its answers."""
    chosen, about = language(lang), trace.scenario
    whole = say(
        "player.listing.title",
        chosen,
        title=about["title"] or about["name"],
        provenance=say(f"player.ui.{about['provenance']['kind']}", chosen),
        steps=len(trace.steps),
        requests=counted("requests", len(trace.requests), chosen),
        reason=say(f"player.ui.exit.{trace.exit.reason}", chosen),
    )
    return visible("; ".join([whole, *_what_ifs(trace, chosen)]))


def _what_ifs(trace: Trace, lang: str) -> Iterator[str]:
    """Yield what was asked of each answer that was to end otherwise, and where nothing came of it."""
    for turn, (signal, came) in trace.what_if.items():
        what = "player.listing.what_if" if came else "player.listing.what_if_missed"
        yield say(what, lang, turn=turn, signal=short(signal, 60))


def table(trace: Trace, lang: str | None = None) -> str:
    """Return *trace* as an HTML table without script, style or anything to load."""
    chosen = language(lang)
    head = "".join(
        f"<th>{html.escape(text)}</th>"
        for text in (
            say("player.listing.step", chosen),
            say("player.listing.kind", chosen),
            say("player.listing.what", chosen),
            say("player.listing.messages", chosen),
        )
    )
    shown = [_html_row(row, chosen) for row in rows(trace, chosen) if row.number <= MOST_ROWS]
    left = len(trace.steps) - len(shown)
    more = f"<p>{html.escape(say('player.listing.more', chosen, count=left))}</p>" if left else ""
    note = html.escape(say("player.listing.not_live", chosen))
    return (
        f"<p><b>{html.escape(title(trace, chosen))}</b></p><p>{note}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(shown)}</tbody></table>{more}"
    )


def _html_row(row: Row, lang: str) -> str:
    kind = say(f"player.ui.kind.{row.kind}", lang)
    changed = "<br>".join(html.escape(change) for change in row.changes)
    return (
        f"<tr><td>{row.number}</td><td>{html.escape(kind)}</td><td>{html.escape(row.sentence)}</td>"
        f"<td><code>{changed}</code></td></tr>"
    )


def _turn(sign: str, index: int, message: Any) -> str:
    role = str(message.get("role")) if isinstance(message, dict) else ""
    content = message.get("content") if isinstance(message, dict) else message
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return visible(f"{sign} [{index}] {role}: {short(' '.join(text.split()), 160)}")
