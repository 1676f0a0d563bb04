"""Make a loop and its report from a contract, by the policy of this skill.

    python compile-agentic-loop.py contract.json --output loop.py --report report.md

It is ``simulator compile`` with ``--policy assets/loop-policy.json``; its other options work here, too.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

POLICY = Path(__file__).resolve().parent.parent / "assets" / "loop-policy.json"
MISSING = {
    "en": "The package agent-loop-katas is missing from {python}: run `python start.py setup` in a clone of "
    "it and use the Python of its .venv, or install the clone with pip.",
    "es": "Falta el paquete agent-loop-katas en {python}: ejecuta `python start.py setup` en un clon suyo y "
    "usa el Python de su .venv, o instala el clon con pip.",
}


def main(argv: list[str]) -> int:
    """Run ``simulator compile`` with the words *argv*; return its exit status, 2 where it is missing."""
    try:
        from simulator.cli import main as simulator
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "simulator":
            raise
        spanish = os.environ.get("SIMULATOR_LANG", "").lower().startswith("es")
        print(MISSING["es" if spanish else "en"].format(python=sys.executable), file=sys.stderr)
        return 2
    return simulator(["compile", "--policy", str(POLICY), *argv])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
