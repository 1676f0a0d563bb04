"""Make the sample traces anew: ``python -m tests.trace.make_samples``."""

import os
from pathlib import Path

from simulator.trace.document import Trace
from simulator.trace.observe import observe
from tests.trace.sample_loops import forgetful, whole

FOLDER = Path(__file__).parent / "samples"


def samples() -> dict[str, Trace]:
    """Return the sample traces by file name, as runs of today give them."""
    return {
        "list_then_read.json": observe(whole, "list_then_read"),
        "forgotten_append.json": observe(forgetful, "list_then_read", max_requests=20),
    }


def main() -> None:
    """Write the files."""
    os.environ["SIMULATOR_LANG"] = "en"
    for name, trace in samples().items():
        print(trace.save(FOLDER / name), trace)


if __name__ == "__main__":
    main()
