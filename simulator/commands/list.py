"""``simulator list``: the shipped scenarios."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simulator.commands.parser import Parser
from simulator.text import say

if TYPE_CHECKING:
    from simulator.recording.scenario import Provenance, Scenario


def main(argv: Sequence[str]) -> int:
    """Print the scenarios, as a table or (``--json``) as a JSON array; return the exit status."""
    parser = Parser("list")
    parser.options.add_argument("--json", action="store_true", help=say("cli.json"))
    asked = parser.read(argv)
    from simulator.recording.scenario import scenario, scenarios

    rows = [described(scenario(name)) for name in scenarios()]
    print(json.dumps(rows, ensure_ascii=False, indent=1) if asked.json else table(rows))
    return 0


def described(scenario: Scenario) -> dict[str, Any]:
    """Return what a list says of *scenario*: name, title, story, requests, branches, provenance."""
    return {
        "name": scenario.name,
        "title": scenario.title,
        "story": scenario.story,
        "requests": len(scenario.about.main),
        "branches": [branch.name for branch in scenario.branches],
        "provenance": provenance(scenario.provenance),
    }


def provenance(stated: Provenance) -> dict[str, Any]:
    """Return where a recording comes from, without what is not known."""
    fields = {"kind": stated.kind, "model": stated.model, "date": stated.date, "origin": stated.origin}
    return {name: value for name, value in fields.items() if value is not None}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return *rows* as aligned columns of plain text, with a line on how to see one run."""
    from simulator.recording.scenario import BEGIN_WITH

    if not rows:
        return say("cli.list.none")
    head = [say(f"cli.list.{column}") for column in ("name", "requests", "branches", "provenance", "title")]
    cells = [
        [
            row["name"],
            str(row["requests"]),
            str(len(row["branches"])),
            say(f"cli.list.{row['provenance']['kind']}"),
            row["title"],
        ]
        for row in rows
    ]
    widths = [max(len(line[column]) for line in [head, *cells]) for column in range(len(head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [head, *cells]
    ]
    if len(BEGIN_WITH) < len(rows):
        lines.insert(1 + len(BEGIN_WITH), "")
    return "\n".join([*lines, "", say("cli.list.next", name=rows[0]["name"])])
