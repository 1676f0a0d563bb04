"""Run loops before and after ``--fix`` in a child process, where no sleep takes time.

``python -m tests.contract.lint.before_and_after NAME...`` prints a line of JSON for each folder of
``cases/fixed``: what the gate says of both, how many runs could be compared, and where they differ.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from simulator.gate import waits
from simulator.gate.judge import judge, performed
from simulator.gate.probes import all_probes

FOLDER = Path(__file__).parent / "cases" / "fixed"
FAMILIES = (
    "history",
    "pairing",
    "parallel",
    "ending",
    "truncation",
    "order",
    "usage",
    "tool_choice",
    "budget",
)
PROBES = [one for one in all_probes() if one.id.partition(".")[0] in FAMILIES]


def main(names: list[str]) -> None:
    """Compare the loops *names*; what they print goes nowhere."""
    waits.install()
    for name in names:
        print(json.dumps({"name": name, **compared(name)}), flush=True)


def compared(name: str) -> dict[str, Any]:
    """Return what the gate says of one loop before and after, and the cases that ran differently."""
    before, after = _runs(name, "before"), _runs(name, "after")
    # An option that only one of them has, may well change a run.
    plain = [case for case, ran in before.items() if ran.trace is not None and case[1] == "[]"]
    return {
        "before": {one.probe.id: one.state for one in judge(PROBES, before)},
        "after": {one.probe.id: one.state for one in judge(PROBES, after)},
        "compared": len(plain),
        "different": [case for case in plain if _told(before[case].trace) != _told(after[case].trace)],
    }


def _runs(name: str, which: str) -> dict[Any, Any]:
    spec = importlib.util.spec_from_file_location(f"{name}_{which}", FOLDER / name / f"{which}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return performed(module.loop, PROBES, 0)


PLACES = {"line", "waited"}
"""Where it happened in the source, and real time: these may differ."""


def _told(value: Any) -> Any:
    """Return all that happened in a run, without places."""
    if hasattr(value, "to_dict"):
        document = value.to_dict()
        return _told([document["steps"], document["pool"]])
    if isinstance(value, list):
        return [_told(each) for each in value]
    if isinstance(value, dict):
        return {key: _told(each) for key, each in value.items() if key not in PLACES}
    return value


if __name__ == "__main__":
    main(sys.argv[1:])
