"""Check the loops of ``docs/adapters/`` and write what the gate finds: ``python docs/loops_in_the_wild.py``.

It writes ``docs/loops-in-the-wild.md`` and, for each failure, the run that shows it (``docs/wild/``). It
needs what ``docs/adapters/requirements.txt`` names. Rules of this file:

1. Nothing is written by hand: figures, sentences and versions come from the runs and the installed packages.
2. The same fixed seed for every loop, and every loop gets the whole gate.
"""

from __future__ import annotations

import platform
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

import simulator
from simulator.gate import messages
from simulator.gate.judge import Found, Report, examine
from simulator.gate.probes import all_probes
from simulator.gate.target import read
from simulator.text import say

HERE = Path(__file__).parent
PAGE = HERE / "loops-in-the-wild.md"
TRACES = HERE / "wild"
SEED = 0


@dataclass(frozen=True)
class Wild:
    """One loop of the page."""

    title: str
    adapter: str
    """Its file below the project's root."""
    packages: tuple[str, ...]
    """Distributions whose versions are told."""
    about: str


LOOPS = (
    Wild(
        "This project's engine",
        "tests/gate/loops/engine_adapter.py",
        ("agent-loop-katas",),
        "`simulator.loop.run`, its options passed on.",
    ),
    Wild(
        "The article's pattern",
        "docs/adapters/article_pattern.py",
        ("anthropic",),
        "Typed `stop_reason`, `UnhandledStop`, `BudgetExceeded`.",
    ),
    Wild(
        "A minimal teaching loop",
        "docs/adapters/minimal.py",
        ("anthropic",),
        "The ten lines that introductions show.",
    ),
    Wild(
        "SDK tool runner",
        "docs/adapters/sdk_tool_runner.py",
        ("anthropic",),
        "`client.beta.messages.tool_runner`.",
    ),
    Wild(
        "SDK tool runner, streaming",
        "docs/adapters/sdk_tool_runner_stream.py",
        ("anthropic",),
        "The same with `stream=True`.",
    ),
    Wild(
        "Pydantic AI",
        "docs/adapters/pydantic_ai_agent.py",
        ("pydantic-ai-slim", "anthropic"),
        "`Agent` on `AnthropicModel`.",
    ),
    Wild(
        "LangChain",
        "docs/adapters/langchain_agent.py",
        ("langchain", "langgraph", "langchain-anthropic"),
        "`create_agent` on `ChatAnthropic`.",
    ),
)

HEAD = """# Loops in the wild

What the gate of this project finds about seven loops, made by `python docs/loops_in_the_wild.py` on {day},
with Python {python}, seed {seed}, {probes} probes.

How to read it. Each loop runs on scripted conversations, offline, through a short adapter of the folder
[adapters](adapters). A probe **fails** where the run showed the loop doing what breaks other people's
programs; it is **not applicable** where the loop offers no parameter for it (a token budget, a deadline for
tools); **could not check** means that the loop did something lawful that no recording foresees. A failure
is not a verdict on a library: some leave a matter to their caller on purpose, some defaults are a choice,
and an adapter can miss an option. Every failure names the run that shows it: `simulator step
docs/wild/….json` plays it step by step. If you find one unfair, open an issue with the probe's id.

"""


def main() -> None:
    """Run the gate on every loop and write the page."""
    shutil.rmtree(TRACES, ignore_errors=True)
    probes = all_probes()
    reports = []
    for wild in LOOPS:
        print(wild.title, flush=True)
        reports.append(examine(read(str(HERE.parent / wild.adapter)), probes, seed=SEED, lines=True))
    day = date.today().isoformat()
    head = HEAD.format(day=day, python=platform.python_version(), seed=SEED, probes=len(probes))
    parts = [head, *_versions(), "\n## By family\n\n", *_table(reports)]
    for wild, report in zip(LOOPS, reports, strict=True):
        parts += _chapter(wild, report)
    PAGE.write_text("".join(parts), encoding="utf-8", newline="\n")
    print(f"{PAGE}: {len(reports)} loops, seed {SEED}, simulator {simulator.__version__}")


def _versions() -> Iterable[str]:
    yield "| loop | adapter | versions |\n|---|---|---|\n"
    for wild in LOOPS:
        versions = ", ".join(f"{name} {version(name)}" for name in wild.packages)
        adapter = f"[{Path(wild.adapter).name}](../{wild.adapter})"
        yield f"| {wild.title} | {adapter}: {wild.about} | {versions} |\n"


def _table(reports: Sequence[Report]) -> Iterable[str]:
    """Yield one row for each family: how many of the probes that apply hold."""
    yield f"| family | {' | '.join(wild.title for wild in LOOPS)} |\n|---|{'---|' * len(LOOPS)}\n"
    for family in dict.fromkeys(one.family for one in all_probes()):
        cells = [
            _cell([found for found in each.findings if found.probe.family == family]) for each in reports
        ]
        yield f"| {family}. {say(f'gate.family.{family}', 'en')} | {' | '.join(cells)} |\n"
    totals = [f"{each.count('pass')} hold, {each.count('fail')} fail" for each in reports]
    yield f"| **all** | {' | '.join(totals)} |\n"
    yield "\n`2/3`: two of three probes hold; `–`: none applies; `?`: could not be checked.\n"


def _cell(found: Sequence[Found]) -> str:
    shown = [one for one in found if one.state in ("pass", "fail")]
    if shown:
        held = sum(one.state == "pass" for one in shown)
        return f"{held}/{len(shown)}" if held == len(shown) else f"**{held}/{len(shown)}**"
    return "?" if any(one.state == "could-not-check" for one in found) else "–"


def _chapter(wild: Wild, report: Report) -> Iterable[str]:
    yield f"\n## {wild.title}\n\n"
    if report.problem is not None:
        yield f"{messages.sentence(report.problem, 'en')}\n"
        return
    counts = ((report.count(state), state) for state in ("pass", "fail", "could-not-check", "not-applicable"))
    yield f"{', '.join(f'{count} {state}' for count, state in counts)}.\n\n"
    for found in report.findings:
        if found.state == "fail":
            yield _line(wild, found, report)
    unchecked = [found for found in report.findings if found.state == "could-not-check"]
    if unchecked:
        yield f"\nCould not be checked: {', '.join(f'`{one.probe.id}`' for one in unchecked)}.\n"


def _line(wild: Wild, found: Found, report: Report) -> str:
    words = messages.message(found, report.loop, "en")
    said = f"- **{words.title}** (`{found.probe.id}`). {words.parts.get('saw', '')}"
    if found.trace is None:
        return f"{said}\n"
    path = TRACES / Path(wild.adapter).stem / f"{found.probe.id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    found.trace.save(path)
    return f"{said} [run]({path.relative_to(HERE).as_posix()})\n"


if __name__ == "__main__":
    main()
