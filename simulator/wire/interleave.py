"""Streams whose calls arrive at the same time: the events of several blocks, in turns.

Every event of a block names its ``index``, so a stream may open the next block before the last one is closed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from simulator.wire.sse import Event


def interleave(events: Sequence[Event]) -> list[Event]:
    """Return the *events* of one answer with those of its ``tool_use`` blocks in turns, one of each.

    The order within each block stays, and so does everything that is no ``tool_use``.
    """
    calls: dict[int, list[Event]] = {
        event["index"]: []
        for event in events
        if event["type"] == "content_block_start" and event["content_block"].get("type") == "tool_use"
    }
    around: list[Event] = []
    place = None
    for event in events:
        own = calls.get(event.get("index", -1))
        if own is None:
            around.append(event)
            continue
        own.append(event)
        place = len(around) if place is None else place
    if place is None:
        return around
    mixed = [event for row in zip_longest(*calls.values()) for event in row if event is not None]
    return [*around[:place], *mixed, *around[place:]]


def is_interleaved(events: Sequence[Event]) -> bool:
    """Return whether a block begins before the one before it is closed."""
    opened: set[int] = set()
    for event in events:
        if event["type"] == "content_block_start":
            if opened:
                return True
            opened.add(event["index"])
        elif event["type"] == "content_block_stop":
            opened.discard(event["index"])
    return False
