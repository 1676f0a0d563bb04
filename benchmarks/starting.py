"""Starting cold: a new process each time, with bytecode that was compiled before, as on anybody's machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Call, Figure, ratio
from simulator import paths

KATA = "02_missing_append"


def figures(quick: bool) -> Iterator[Figure]:
    """Yield the figures of importing us and of grading one kata."""
    rounds = 2 if quick else 9
    yield ratio(
        "`import simulator` against a bare Python",
        "a new process",
        ("import simulator", process("-c", "import simulator")),
        ("python", process("-c", "pass")),
        rounds,
        None,
    )
    yield ratio(
        f"`pytest katas/{KATA}` against `import anthropic`",
        "a new process",
        ("pytest", process("-m", "pytest", str(paths.katas() / KATA), status=1)),
        ("import anthropic", process("-c", "import anthropic")),
        rounds,
        1.6,
    )


def process(*words: str, status: int = 0) -> Call:
    """Return a call that runs this Python with *words* and insists on the exit *status*."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    folder = Path(__file__).resolve().parent.parent

    def call() -> None:
        done = subprocess.run([sys.executable, *words], cwd=folder, env=env, capture_output=True, check=False)
        if done.returncode != status:
            raise RuntimeError(
                f"{words} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"
            )

    return call
