"""Tool handlers made of a recording: the same call gets the result that was recorded for it.

Rules of this file:

1. A call is its tool's name and its input, compared type-strictly. Its results come in recorded order, the
   main line's first, one for each time it was asked for; the last one repeats (a poll that came to its end).
2. A result belongs to one ``tool_use`` id; where branches answer the same id differently, the first counts.
3. An ``is_error`` result is the tool's failure and is raised: :class:`ToolFailed`. A call nobody recorded
   ends the run: ``RecordingEnds``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from simulator.recording.stops import RecordingEnds
from simulator.wire.message import calls, canonical_json, results, text_of, tool_names

if TYPE_CHECKING:
    from simulator.recording.cassette import Recording
    from simulator.recording.story import Story

Handler = Callable[..., Any]
"""``handler(**input)`` returns the content of a ``tool_result``: a string, or a list of blocks."""


class ToolFailed(Exception):  # noqa: N818  # a promised name
    """The tool failed, as it did in the recording; ``str()`` is what was recorded."""


@dataclass(frozen=True)
class Result:
    """One recorded result of a call."""

    content: Any
    is_error: bool = False


Results = dict[str, dict[str, tuple[Any, list[Result]]]]
"""By tool name, by canonical input: the input itself and its results in order."""


def recorded_results(recording: Recording, story: Story) -> Results:
    """Return every result of a tool in *recording*, and those its story adds."""
    found: Results = {name: {} for name in _names(recording)}
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
                result = Result(block.get("content", ""), block.get("is_error") is True)
                _add(found, str(call.get("name")), call.get("input"), [result])
    for given in story.handlers:
        failed = given.get("is_error") is True
        _add(found, given["name"], given["input"], [Result(each, failed) for each in given["results"]])
    return found


def make_handlers(found: Results, stop: Callable[[RecordingEnds], NoReturn]) -> dict[str, Handler]:
    """Return one handler for each tool; they count their calls, so each run needs its own.

    *stop* is called for a call that nobody recorded; it raises.
    """
    return {name: _handler(name, recorded, stop) for name, recorded in found.items()}


def _handler(
    name: str, recorded: dict[str, tuple[Any, list[Result]]], stop: Callable[[RecordingEnds], NoReturn]
) -> Handler:
    uses: dict[str, int] = {}

    def handler(**given: Any) -> Any:
        key = canonical_json(given)
        if key not in recorded:
            stop(RecordingEnds(name, given, [each for each, _ in recorded.values()]))
        _, in_order = recorded[key]
        uses[key] = uses.get(key, 0) + 1
        result = in_order[min(uses[key], len(in_order)) - 1]
        if result.is_error:
            raise ToolFailed(text_of(result.content))
        return copy.deepcopy(result.content)

    handler.__name__ = handler.__qualname__ = name
    return handler


def _names(recording: Recording) -> Iterable[str]:
    """The tools a loop can be asked to run: those on offer that have no server, and those that were used."""
    names: dict[str, None] = {}
    for exchange in recording.exchanges:
        server = {
            tool.get("name")
            for tool in exchange.request.get("tools") or []
            if isinstance(tool, dict) and tool.get("type") not in (None, "custom")
        }
        names |= dict.fromkeys(name for name in tool_names(exchange.request) if name not in server)
        answer = [{"role": "assistant", "content": (exchange.message or {}).get("content")}]
        names |= dict.fromkeys(str(call.get("name")) for call in calls(answer))
    return names


def _in_order(recording: Recording, story: Story) -> Iterator[list[Any]]:
    """The messages of all requests: the main line's, then the others as they were recorded."""
    rest = [exchange.index for exchange in recording.exchanges if exchange.index not in story.main]
    for index in (*story.main, *rest):
        messages = recording.exchanges[index].request.get("messages")
        yield messages if isinstance(messages, list) else []


def _add(found: Results, name: str, given: Any, new: list[Result]) -> None:
    _, in_order = found.setdefault(name, {}).setdefault(canonical_json(given), (given, []))
    in_order += new
