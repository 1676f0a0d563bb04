"""``simulator signals``: what a loop does at each value of ``stop_reason``, and at one that nobody knows.

Rules of this file:

1. Each signal is a run of its own, of the same loop on the same scenario; only the end of one answer differs.
2. What is printed is what was seen, never whether it is right: ``simulator check`` judges.
3. Exit status 1 where the loop never came to an end by itself, or never asked; 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simulator.commands import run
from simulator.commands.loading import load
from simulator.commands.parser import Parser, UsageError
from simulator.commands.patience import patience
from simulator.text import say
from simulator.text.visible import visible
from simulator.trace.events import SIGNALS, UNHEARD_OF

if TYPE_CHECKING:
    from simulator.trace.aftermath import Aftermath

SCENARIO = "list_then_read"
MOST_REQUESTS = 30
ENDLESS = ("runaway", "deadline")
LONGEST = 60
"""Characters of a test or a value that a line shows."""


def main(argv: Sequence[str]) -> int:
    """Print what the loop that *argv* names does at each signal; return the exit status."""
    parser = Parser("signals")
    parser.words.add_argument("target", metavar="TARGET", help=say("cli.signals.target"))
    parser.options.add_argument(
        "--scenario", default=SCENARIO, metavar="NAME", help=say("cli.signals.scenario", name=SCENARIO)
    )
    parser.options.add_argument("--turn", type=int, default=1, metavar="N", help=say("cli.signals.turn"))
    run.add_limits(parser)
    parser.options.add_argument("--json", action="store_true", help=say("cli.json"))
    asked = parser.read(argv)
    run.check_deadline(asked)
    if asked.turn < 1:
        raise UsageError(say("cli.signals.no_turn", seen=asked.turn))
    seen = _seen(asked)
    _refuse_nothing(asked, seen)
    print(json.dumps(as_json(asked, seen), ensure_ascii=False, indent=1) if asked.json else told(asked, seen))
    return 1 if any(each.exit.reason in ENDLESS for each in seen.values()) else 0


def _seen(asked: argparse.Namespace) -> dict[str, Aftermath]:
    """Return what the loop did with the answer, by the signal with which it ended."""
    from simulator.recording.scenario import scenario
    from simulator.trace.aftermath import aftermath
    from simulator.trace.observe import observe

    found = scenario(asked.scenario)
    with patience(asked.deadline), run.undone():
        loop = load(asked.target)
    seen = {}
    for signal in (*SIGNALS, UNHEARD_OF):
        with patience(asked.deadline), run.undone():
            trace = observe(
                loop,
                found,
                seed=asked.seed,
                deadline=asked.deadline,
                max_requests=MOST_REQUESTS,
                what_if={asked.turn: signal},
            )
        seen[signal] = aftermath(trace, asked.turn)
    return seen


def _refuse_nothing(asked: argparse.Namespace, seen: dict[str, Aftermath]) -> None:
    """Raise UsageError or LoopError where no run has the answer that was asked about."""
    from simulator.trace.faults import LoopError

    if any(each.came for each in seen.values()):
        return
    ending = seen[UNHEARD_OF].exit
    if ending.reason in run.FINE:
        words = {"turn": asked.turn, "scenario": asked.scenario, "requests": ending.turn}
        raise UsageError(say("cli.signals.no_answer", **words))
    said = ": ".join(part for part in (ending.error_type, ending.message) if part)
    raise LoopError(say("cli.signals.never_asked", turn=asked.turn, reason=ending.reason, said=said))


def told(asked: argparse.Namespace, seen: dict[str, Aftermath]) -> str:
    """Return *seen* as text: a table, and the rail with the tests that were taken."""
    wide = max(map(len, seen))
    head = say("cli.signals.head", target=visible(asked.target), scenario=asked.scenario, turn=asked.turn)
    rows = [f"{signal.ljust(wide)}  {did(each)}" for signal, each in seen.items()]
    title = say("cli.signals.signal").ljust(wide)
    lines = [head, "", f"{title}  {say('cli.signals.did')}", *rows, ""]
    if not any(each.tests for each in seen.values()):
        return "\n".join([*lines, say("cli.signals.no_tests")])
    lines.append(say("cli.signals.rail", turn=asked.turn))
    last = list(seen)[-1]
    for signal, each in seen.items():
        stop, trunk = ("└", " ") if signal == last else ("├", "│")
        lines.append(f" {stop}─ {signal}")
        taken = [_test(test) for test in each.tests] or [say("cli.signals.no_test")]
        lines += [f" {trunk}     {test}" for test in taken]
    return "\n".join(lines)


def did(seen: Aftermath) -> str:
    """Return in a few words what the loop did."""
    if not seen.came:
        return say("cli.signals.not_there")
    parts = []
    if seen.ran:
        parts.append(say("cli.signals.ran", tools=", ".join(dict.fromkeys(map(visible, seen.ran)))))
    if seen.next is not None:
        parts.append(say(f"cli.signals.next.{seen.next}", max_tokens=seen.max_tokens))
    end = say(f"cli.signals.end.{seen.exit.reason}", **_ending(seen))
    if seen.requests == 1:
        end = say("cli.signals.after_one", end=end)
    elif seen.requests:
        end = say("cli.signals.after", end=end, requests=seen.requests)
    return "; ".join([*parts, end])


def _ending(seen: Aftermath) -> dict[str, Any]:
    value = seen.exit.value
    if isinstance(value, dict) and value.get("type") == "message":
        shown = say("cli.signals.message", signal=visible(str(value.get("stop_reason"))))
    else:
        shown = "None" if value is None else _short(json.dumps(value, ensure_ascii=False))
    return {"value": shown, "error": visible(str(seen.exit.error_type))}


def _test(test: Any) -> str:
    line = say("player.ui.line", line=test.line) if test.line is not None else "–"
    return f"{line}: {_short(test.test)} → {test.value}"


def _short(text: str) -> str:
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def as_json(asked: argparse.Namespace, seen: dict[str, Aftermath]) -> dict[str, Any]:
    """Return *seen* for a program to read."""
    rows = [
        {
            "signal": signal,
            "came": each.came,
            "tests": [
                {"line": test.line, "test": test.test, "value": test.value, "guard": test.guard}
                for test in each.tests
            ],
            "ran": list(each.ran),
            "next": each.next,
            "max_tokens": each.max_tokens,
            "requests": each.requests,
            "end": {
                "reason": each.exit.reason,
                "value": each.exit.value,
                "error_type": each.exit.error_type,
                "message": each.exit.message,
            },
        }
        for signal, each in seen.items()
    ]
    return {"target": asked.target, "scenario": asked.scenario, "turn": asked.turn, "signals": rows}
