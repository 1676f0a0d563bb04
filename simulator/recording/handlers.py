"""Tool handlers made of a recording: the same call gets the result that was recorded for it.

Rules of this file:

1. A call is its tool's name and its input, compared type-strictly. Its results come in recorded order, the
   main line's first, one for each time it was asked for; the last one repeats (a poll that came to its end).
2. A result belongs to one ``tool_use`` id; where branches answer the same id differently, the first counts.
3. An ``is_error`` result is the tool's failure and is raised: :class:`ToolFailed`. A call nobody recorded
   ends the run: ``RecordingEnds``.
4. What the story says of a ``tool_use_id`` goes before what the requests carry for it: a tool that hangs, is
   slow, or returns something else than a text (``recording.effects``) cannot be read from a conversation.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from simulator.recording import effects
from simulator.recording.effects import Result
from simulator.recording.stops import RecordingEnds
from simulator.wire.message import calls, canonical_json, results, text_of, tool_names

if TYPE_CHECKING:
    from simulator.recording.cassette import Recording
    from simulator.recording.story import Story

Handler = Callable[..., Any]
"""``handler(**input)`` returns the content of a ``tool_result``: a string, a list of blocks, or a value."""


class ToolFailed(Exception):  # noqa: N818  # a promised name
    """The tool failed, as it did in the recording; ``str()`` is what was recorded."""


Results = dict[str, dict[str, tuple[Any, list[Result]]]]
"""By tool name, by canonical input: the input itself and its results in order."""


def recorded_results(recording: Recording, story: Story) -> Results:
    """Return every result of a tool in *recording*, and those its story adds or has instead."""
    found: Results = {name: {} for name in _names(recording)}
    instead = {entry["tool_use_id"]: entry for entry in story.handlers if "tool_use_id" in entry}
    seen: set[str] = set()
    for messages in _in_order(recording, story):
        asked = {str(call.get("id")): call for call in calls(messages)}
        for block in results(messages):
            call = asked.get(str(block.get("tool_use_id")))
            if call is None:
                continue
            key = canonical_json([call.get("id"), call.get("name"), call.get("input")])
            if key not in seen:
                seen.add(key)
                told = Result(block.get("content", ""), block.get("is_error") is True)
                entry = instead.pop(str(call.get("id")), None)
                _add(found, str(call.get("name")), call.get("input"), _listed(entry) if entry else [told])
    for entry in story.handlers:
        if "tool_use_id" not in entry or entry["tool_use_id"] in instead:
            _add(found, entry["name"], entry["input"], _listed(entry))
    return found


def make_handlers(
    found: Results, stop: Callable[[RecordingEnds], NoReturn], over: threading.Event | None = None
) -> dict[str, Handler]:
    """Return one handler for each tool; they count their calls, so each run needs its own.

    *stop* is called for a call that nobody recorded; it raises. *over* is set when the run is over, and lets
    go of a handler that hangs.
    """
    over = threading.Event() if over is None else over
    return {name: _handler(name, recorded, stop, over) for name, recorded in found.items()}


def _handler(
    name: str,
    recorded: dict[str, tuple[Any, list[Result]]],
    stop: Callable[[RecordingEnds], NoReturn],
    over: threading.Event,
) -> Handler:
    uses: dict[str, int] = {}

    def handler(**given: Any) -> Any:
        key = canonical_json(given)
        if key not in recorded:
            stop(RecordingEnds(name, given, [each for each, _ in recorded.values()]))
        _, in_order = recorded[key]
        uses[key] = uses.get(key, 0) + 1
        result = in_order[min(uses[key], len(in_order)) - 1]
        result.happen(over)
        if result.is_error:
            raise ToolFailed(text_of(result.content))
        return copy.deepcopy(result.content)

    handler.__name__ = handler.__qualname__ = name
    return handler


def _listed(entry: dict[str, Any]) -> list[Result]:
    """Return what an entry of the story's ``handlers`` has the handler do, one call after another."""
    failed = entry.get("is_error") is True
    return [result for given in entry["results"] for result in effects.in_order(given, failed=failed)]


def _names(recording: Recording) -> Iterable[str]:
    """The tools a loop can be asked to run: those on offer that have no server, and those that were used.

    A call of a tool that was never on offer is the model's mistake, and makes no tool of it; where a cassette
    shows no offer at all, every call counts.
    """
    names: dict[str, None] = {}
    offered: set[Any] = set()
    called: list[str] = []
    for exchange in recording.exchanges:
        tools = [tool for tool in exchange.request.get("tools") or [] if isinstance(tool, dict)]
        server = {tool.get("name") for tool in tools if tool.get("type") not in (None, "custom")}
        offered |= {tool.get("name") for tool in tools}
        names |= dict.fromkeys(name for name in tool_names(exchange.request) if name not in server)
        answer = {"role": "assistant", "content": (exchange.message or {}).get("content")}
        told = exchange.request.get("messages")
        said = [*told, answer] if isinstance(told, list) else [answer]
        called += [str(call.get("name")) for call in calls(said)]
    return names | dict.fromkeys(name for name in called if name in offered or not offered)


def _in_order(recording: Recording, story: Story) -> Iterator[list[Any]]:
    """The messages of all requests: the main line's, then the others as they were recorded."""
    rest = [exchange.index for exchange in recording.exchanges if exchange.index not in story.main]
    for index in (*story.main, *rest):
        messages = recording.exchanges[index].request.get("messages")
        yield messages if isinstance(messages, list) else []


def _add(found: Results, name: str, given: Any, new: list[Result]) -> None:
    if name in found:
        _, in_order = found[name].setdefault(canonical_json(given), (given, []))
        in_order += new
