"""The machine as a picture: a Mermaid state diagram made from ``state.MOVES``, so it cannot be out of date.

``python -m simulator.loop.diagram`` prints it; ARCHITECTURE.md holds it, and a test compares the two.
"""

from __future__ import annotations

from collections import defaultdict

from simulator.loop.state import MOVES, STARTS, Phase


def mermaid() -> str:
    """Return the diagram: one arrow for each pair of phases, with the steps that lead along it."""
    arrows: dict[tuple[Phase, Phase], list[str]] = defaultdict(list)
    for (before, step), phases in MOVES.items():
        for after in phases:
            arrows[before, after].append(step.__name__)
    lines = ["stateDiagram-v2", *(f"    [*] --> {phase}" for phase in STARTS)]
    lines += [f"    {before} --> {after}: {', '.join(steps)}" for (before, after), steps in arrows.items()]
    return "\n".join([*lines, "    done --> [*]"])


if __name__ == "__main__":
    print(mermaid())
