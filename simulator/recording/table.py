"""The table of the scenarios, ``cassettes/README.md``, made from the cassettes themselves.

Rules of this file:

1. Everything in it is read from the cassettes; what the page says besides is in the catalogue.
2. The same cassettes give the same page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from simulator.recording.cassette import Exchange, Recording, read
from simulator.text import say
from simulator.wire.message import of_type, text_of, tool_names

EXCERPT = 56
"""Characters of an answer's text that a row shows."""


def table(folder: Path, lang: str) -> str:
    """Return the page about the cassettes in *folder*, as Markdown. Raises CassetteError."""
    recordings = [read(path) for path in sorted(folder.glob("*.yaml"))]
    parts = [say("screenplay.table.head", lang), _overview(recordings, lang)]
    parts += ["\n".join(_section(recording, lang)) for recording in recordings]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _overview(recordings: Iterable[Recording], lang: str) -> str:
    lines = _columns("screenplay.table.overview", lang)
    for recording in recordings:
        scenario = recording.metadata["scenario"]
        name, tools = recording.path.stem, tool_names(recording.exchanges[0].request)
        lines.append(
            _row(
                f"[{name}](#{name})",
                _told(scenario, "title", lang),
                len(scenario["main"]),
                ", ".join(f"`{tool}`" for tool in tools) or "–",
                len(scenario["branches"]),
                f"{_kilobytes(recording)} KB",
            )
        )
    return "\n".join(lines)


def _section(recording: Recording, lang: str) -> Iterator[str]:
    """Yield the lines about one cassette."""
    scenario = recording.metadata["scenario"]
    provenance = scenario["provenance"]
    yield from (f"## {recording.path.stem}", "", _told(scenario, "story", lang), "")
    figures = {"kilobytes": _kilobytes(recording), "exchanges": len(recording.exchanges)}
    yield say("screenplay.table.provenance", lang, **provenance, **figures)
    if scenario.get("resume"):
        yield from ("", say("screenplay.table.resumes", lang, **scenario["resume"]))
    if scenario.get("skin"):
        words = ", ".join(f"“{word}”" for word in scenario["skin"]["words"])
        yield from ("", say("screenplay.table.skin", lang, words=words))
    yield from ("", f"**{say('screenplay.table.main', lang)}**", "")
    yield from _columns("screenplay.table.main_columns", lang)
    for index in scenario["main"]:
        exchange = recording.exchanges[index]
        yield _row(index, _answer(exchange, lang), f"`{_ending(exchange, lang)}`", _usage(exchange))
    if scenario["branches"]:
        yield from ("", f"**{say('screenplay.table.branches', lang)}**", "")
        yield from _columns("screenplay.table.branch_columns", lang)
        yield from (_branch(recording, branch, lang) for branch in scenario["branches"])


def _branch(recording: Recording, branch: Mapping[str, Any], lang: str) -> str:
    last = recording.exchanges[branch["exchanges"][-1]]
    exchanges = ", ".join(str(index) for index in branch["exchanges"])
    title = _told(branch, "title", lang)
    start, condition = _start(branch, lang), _condition(branch["when"], lang)
    return _row(f"`{branch['name']}`", title, start, condition, exchanges, f"`{_ending(last, lang)}`")


def _start(branch: Mapping[str, Any], lang: str) -> str:
    """Say after which answer *branch* may answer."""
    if branch["when"] is not None and "after" not in branch["when"]:
        return say("screenplay.table.after_any", lang)
    if branch["from"] < 0:
        return say("screenplay.table.after_start", lang)
    return say("screenplay.table.after_answer", lang, index=branch["from"])


def _condition(when: Mapping[str, Any] | None, lang: str) -> str:
    """Say under which condition a branch answers, in the words of the cassette."""
    import yaml

    if when is None:
        return say("screenplay.table.exactly", lang)
    rest = {key: value for key, value in when.items() if key != "after"}
    if not rest:
        return say("screenplay.table.always", lang)
    flow = yaml.safe_dump(rest, default_flow_style=True, allow_unicode=True, sort_keys=False, width=10_000)
    return f"`{flow.strip()[1:-1]}`"


def _answer(exchange: Exchange, lang: str) -> str:
    """Say what the model did in *exchange*: what it said, cut to an excerpt, and what it called."""
    content = (exchange.message or {}).get("content", [])
    text = " ".join(text_of(content).split())
    excerpt = text if len(text) <= EXCERPT else text[: EXCERPT - 1].rstrip() + "…"
    called = ", ".join(f"`{call['name']}`" for call in of_type(content, "tool_use"))
    said = [say("screenplay.table.says", lang, text=excerpt)] if text else []
    return ", ".join([*said, *([say("screenplay.table.calls", lang, names=called)] if called else [])])


def _ending(exchange: Exchange, lang: str) -> str:
    if not exchange.complete:
        return say("screenplay.table.breaks", lang)
    if exchange.message is None:
        return say("screenplay.table.refuses", lang, status=exchange.status)
    return str(exchange.message["stop_reason"])


def _usage(exchange: Exchange) -> str:
    usage = (exchange.message or {}).get("usage", {})
    return f"{usage.get('input_tokens', 0)} / {usage.get('output_tokens', 0)}"


def _told(thing: Mapping[str, Any], key: str, lang: str) -> str:
    """Return a title or story in *lang*; English has no suffix."""
    return str(thing[key if lang == "en" else f"{key}_{lang}"])


def _columns(sentence_id: str, lang: str) -> list[str]:
    head = say(sentence_id, lang)
    return [head, "|" + "---|" * (head.count("|") - 1)]


def _row(*cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _kilobytes(recording: Recording) -> int:
    return round(recording.path.stat().st_size / 1000)
