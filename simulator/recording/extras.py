"""What the handlers of a screenplay do and none of its requests shows.

Rule of this file: a handler does what stands with its call. What a request carries for the call's id is that,
or the metadata says what it is instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.wire.message import of_type, results

if TYPE_CHECKING:
    from simulator.recording.takes import Takes


def extras(made: Takes) -> list[dict[str, Any]]:
    """Return what the handlers do and no request shows, as the metadata's ``handlers``."""
    carried = _carried(made)
    found = []
    for reference, index in made.index.items():
        turn = made.play.turn(reference)
        blocks = of_type(made.all[index].answer.get("content"), "tool_use")
        for call, block in zip(turn.calls if turn else (), blocks, strict=True):
            shown = carried.get(block["id"])
            if call.result is None or (shown == call.result.block(block["id"]) and not call.result.acts):
                continue
            extra = {"name": block["name"], "input": block["input"]}
            extra |= {"tool_use_id": block["id"]} if shown or call.result.effect else {}
            extra["results"] = [call.result.effect or call.result.block(block["id"])["content"]]
            failed = call.result.is_error and not call.result.effect
            found.append({**extra, **({"is_error": True} if failed else {})})
    return found


def _carried(made: Takes) -> dict[str, dict[str, Any]]:
    """Return the result that handlers read for each tool_use id from the requests: the main line's first."""
    rest = [index for index in range(len(made.all)) if index not in made.main]
    found: dict[str, dict[str, Any]] = {}
    for index in (*made.main, *rest):
        for block in results(made.all[index].body["messages"]):
            found.setdefault(block["tool_use_id"], block)
    return found
