"""``python -m benchmarks``: measure every promised ratio and print it beside its target."""

from __future__ import annotations

import argparse
import json
import platform
import sys

from benchmarks import looping, observing, playing, replaying, starting
from benchmarks.measure import table

PARTS = {
    "replaying": replaying,
    "observing": observing,
    "looping": looping,
    "playing": playing,
    "starting": starting,
}


def main() -> int:
    """Measure, print, and return 0: a figure over its target is shown as MISSED and fails nothing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(PARTS)}")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes and few rounds: can it all be measured?"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    if unknown := [part for part in asked.parts if part not in PARTS]:
        parser.error(f"no part is called {unknown[0]}; there are: {', '.join(PARTS)}")
    found = []
    for name in asked.parts or PARTS:
        print(f"measuring: {name}", file=sys.stderr)
        found += list(PARTS[name].figures(asked.quick))
    if asked.json:
        print(json.dumps([figure.to_dict() for figure in found], indent=1))
    else:
        machine = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
        note = "\nquick: too few rounds to judge a figure by" if asked.quick else ""
        print(f"\n{machine}{note}\n\n{table(found)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
