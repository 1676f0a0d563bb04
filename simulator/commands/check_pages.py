"""A report as pages: an index of what failed, and for each the run in the player.

Rules of this file:

1. The pages load nothing and run nothing but the player; the index runs nothing at all.
2. Whatever a loop or a recording said is escaped and made visible.
3. A page of somebody else's is never replaced.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterable
from pathlib import Path

from simulator import files
from simulator.commands.parser import UsageError
from simulator.gate.judge import Found, Report
from simulator.gate.messages import message, sentence
from simulator.player.export import MARK, export
from simulator.text import language, say
from simulator.text.visible import visible
from simulator.trace.events import Request

INDEX = "index.html"

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
p { margin: .3rem 0; }
.where { opacity: .75; }
"""


def write(report: Report, folder: Path) -> Path:
    """Write the pages of *report* into *folder*, which is there; return the index. Raises OSError."""
    failed = [found for found in report.findings if found.state == "fail"]
    links = {found.probe.id: _page(found, folder) for found in failed}
    index = folder / INDEX
    files.put(index, _index(report, failed, links).encode("utf-8"))
    return index


def check_folder(folder: Path, names: Iterable[str]) -> None:
    """Make *folder*. Raises UsageError or OSError when the pages of the probes *names* cannot go there."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(say("cli.check.no_directory", path=folder))
    folder.mkdir(parents=True, exist_ok=True)
    for page in (folder / INDEX, *(folder / f"{name}.html" for name in names)):
        if page.is_file() and not _is_ours(page):
            raise UsageError(say("cli.check.foreign", path=page))


def _is_ours(page: Path) -> bool:
    with page.open("rb") as file:
        return MARK.encode("utf-8") in file.read(1024)


def _page(found: Found, folder: Path) -> str | None:
    """Write the run of *found* and return the link to the step it is about; None where there was no run."""
    if found.trace is None:
        return None
    name = f"{found.probe.id}.html"
    export(found.trace, folder / name)
    step = next(
        (
            step.n + 1
            for step in found.trace.requests
            if isinstance(step.event, Request) and step.event.turn == found.turn
        ),
        len(found.trace.steps),
    )
    return f"{name}#step={step}"


def _index(report: Report, failed: list[Found], links: dict[str, str | None]) -> str:
    heading = _safe(say("cli.check.page_title", target=report.target))
    digest = base64.b64encode(hashlib.sha256(STYLE.encode("utf-8")).digest()).decode("ascii")
    body = [_entry(found, report, links[found.probe.id]) for found in failed]
    if report.problem is not None:
        body = [f"<p>{_safe(sentence(report.problem))}</p>"]
    counts = say(
        "cli.check.summary",
        probes=len(report.findings),
        fail=report.count("fail"),
        could_not_check=report.count("could-not-check"),
        not_applicable=report.count("not-applicable"),
        **{"pass": report.count("pass")},
    )
    lines = [
        "<!doctype html>",
        f'<html lang="{language()}">',
        "<head>",
        '<meta charset="utf-8">',
        MARK,
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{heading}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        f"<body>\n<main>\n<h1>{heading}</h1>",
        f"<p>{_safe(counts)} {_safe(say('cli.check.page_seed', seed=report.seed))}</p>",
        *body,
        "</main>\n</body>\n</html>",
    ]
    return "\n".join(lines) + "\n"


def _entry(found: Found, report: Report, link: str | None) -> str:
    words = message(found, report.loop)
    parts = [
        f"<p><b>{_safe(say(f'gate.part.{part}'))}</b> {_safe(text)}</p>" for part, text in words.parts.items()
    ]
    where = f'<p class="where">{_safe(words.where)}</p>'
    heading = _safe(f"{words.title} ({found.probe.id})")
    run = f'<p><a href="{html.escape(link)}">{_safe(say("cli.check.page_run"))}</a></p>' if link else ""
    return "\n".join([f"<h2>{heading}</h2>", *parts, where, *([run] if run else [])])


def _safe(text: str) -> str:
    return html.escape(visible(text))
