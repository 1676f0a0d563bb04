"""Small loops to look at: one that is whole, and the same with one thing wrong.

Rules of this folder:

1. One loop a file, written as a learner would write it: no types, no helpers, lines that fit beside the
   conversation. The player shows the file from top to bottom.
2. They repeat each other on purpose. What differs between two of them is the lesson.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from simulator.player.examples.no_append import no_append
from simulator.player.examples.no_id import no_id
from simulator.player.examples.text_decides import text_decides
from simulator.player.examples.whole import whole_loop
from simulator.player.examples.with_settings import with_settings

if TYPE_CHECKING:
    from simulator.recording.scenario import Scenario

__all__ = ["LOOPS", "default", "no_append", "no_id", "text_decides", "whole_loop", "with_settings"]

LOOPS: dict[str, Callable[..., Any]] = {
    "whole": whole_loop,
    "no_append": no_append,
    "no_id": no_id,
    "text_decides": text_decides,
}
"""The loops of the picker and of ``--loop``, by the ids of their names in the catalogue."""


def default(scenario: Scenario) -> Callable[..., Any]:
    """Return a loop in order for *scenario*: the plain one, or one that hands on its system prompt."""
    return whole_loop if scenario.system is None else with_settings
