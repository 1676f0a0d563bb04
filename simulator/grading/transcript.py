"""The numbered transcript under a failure: request by request, the turn in question marked.

Rules of this file:

1. Plain text, legible without colour; recorded text passes through ``visible`` and stays on its line.
2. What a request repeats from the one before is said in a word, not shown again.
3. It fits its share of one page: the marked request and its neighbours first, the others as far as there is
   room, and what is left out is said.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.ending import ends, show
from simulator.gate.judgements.reading import Exchange, call_form, clip, exchanges, result_text
from simulator.text import say
from simulator.text.visible import visible
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace

WIDTH = 96
"""Columns of a page."""

MARK = "→"


def transcript(trace: Trace, turn: int | None, room: int, lang: str) -> list[str]:
    """Return at most about *room* lines that show what *trace* did; request *turn* is marked."""
    groups = _groups(exchanges(trace))
    shown = [
        _lines(group, before, turn, lang) for before, group in zip([None, *groups], groups, strict=False)
    ]
    chosen = _chosen(groups, shown, turn, room)
    lines: list[str] = []
    left: list[Exchange] = []
    for place, group in enumerate(groups):
        if place in chosen:
            lines += _left_out(left, lang) + shown[place]
            left = []
        else:
            left += group
    return lines + _left_out(left, lang) + _end(trace, lang)


def _groups(seen: list[Exchange]) -> list[list[Exchange]]:
    """Return *seen* with an unbroken series of one repeated request put together from its second on."""
    groups: list[list[Exchange]] = []
    for one in seen:
        last = groups[-1] if groups else []
        again = one.request.repeats is not None and last and last[0].request.repeats == one.request.repeats
        if again and last[0].request.digest == one.request.digest:
            last.append(one)
        else:
            groups.append([one])
    return groups


def _chosen(groups: list[list[Exchange]], shown: list[list[str]], turn: int | None, room: int) -> set[int]:
    marked = next(
        (i for i, group in enumerate(groups) if any(one.turn == turn for one in group)), len(groups) - 1
    )
    order = [marked, marked - 1, 0, marked + 1, *range(marked)]
    chosen: set[int] = set()
    used = 0
    for place in order:
        if (
            0 <= place < len(groups)
            and place not in chosen
            and (used + len(shown[place]) <= room or not chosen)
        ):
            chosen.add(place)
            used += len(shown[place])
    return chosen


def _left_out(left: list[Exchange], lang: str) -> list[str]:
    if not left:
        return []
    key = "left_out_one" if len(left) == 1 else "left_out"
    return ["      " + say(f"grading.t.{key}", lang, first=left[0].turn, last=left[-1].turn)]


def _lines(group: list[Exchange], before: list[Exchange] | None, turn: int | None, lang: str) -> list[str]:
    one = group[0]
    mark = MARK if any(each.turn == turn for each in group) else " "
    lines = [f"{mark} #{one.turn:<3}{_sends(one, before, lang)}"]
    lines += _turns(one, before, lang)
    lines += _answer(one, lang)
    lines += [_row(say("grading.t.handler", lang), _ran(ran)) for ran in one.ran]
    if len(group) > 1:
        lines.append("      " + say("grading.t.again", lang, first=group[1].turn, last=group[-1].turn))
    return lines


def _sends(one: Exchange, before: list[Exchange] | None, lang: str) -> str:
    line = say("grading.t.line", lang, line=one.request.line) if one.request.line else ""
    if one.request.repeats is not None:
        return say("grading.t.sends_again", lang, first=one.request.repeats) + line
    parameters = one.request.parameters
    key = "sends_limit" if before and _limit(before[0]) != parameters.get("max_tokens") else "sends"
    count = len(one.messages)
    limit = parameters.get("max_tokens")
    return say(f"grading.t.{key}{'_one' if count == 1 else ''}", lang, count=count, limit=limit) + line


def _limit(one: Exchange) -> object:
    return one.request.parameters.get("max_tokens")


def _turns(one: Exchange, before: list[Exchange] | None, lang: str) -> list[str]:
    if one.request.repeats is not None:
        return []
    old = before[0].messages if before else []
    same = 0
    while same < min(len(old), len(one.messages)) and old[same] == one.messages[same]:
        same += 1
    lines = []
    if same:
        place = "[0]" if same == 1 else f"[0]-[{same - 1}]"
        lines.append(_row(place, say("grading.t.as_before", lang)))
    for index, message in enumerate(one.messages[same:], same):
        role = _role(message)
        if before and _is_answer(message, before[0]):
            echoed = say("grading.t.answer", lang, turn=before[0].turn)
            lines.append(_row(f"[{index}] {role}", echoed))
            continue
        content = _blocks(_content(message))
        lines += [_row(f"[{index}] {role}" if first else "", text) for first, text in content]
    return lines


def _role(message: object) -> str:
    return str(message.get("role")) if isinstance(message, dict) else "?"


def _content(message: object) -> object:
    return message.get("content") if isinstance(message, dict) else message


def _is_answer(message: object, before: Exchange) -> bool:
    """True when *message* is the model's answer to *before*, as it came."""
    answer = {"role": "assistant", "content": before.content}
    return bool(before.content) and _canonical(message) == _canonical(answer)


def _canonical(message: object) -> object:
    return wire.conversation({"messages": [message]})["messages"]


def _end(trace: Trace, lang: str) -> list[str]:
    """Return what the loop did in the end, as the last line of the transcript."""
    end = trace.exit
    match end.reason:
        case "returned":
            text = say("grading.t.returned", lang, value=show(end.value))
        case "raised" | "exited" | "interrupted":
            text = say("grading.t.raised", lang, type=end.error_type, error=clip(end.message or "", 50))
        case _:
            text = say("grading.t.stopped", lang)
    return [_row(say("grading.t.loop", lang), text)]


def _blocks(content: object) -> list[tuple[bool, str]]:
    shown = [block_form(block) for block in wire.blocks(content)] or ["[]"]
    return [(place == 0, text) for place, text in enumerate(shown)]


def block_form(block: object) -> str:
    """Return one content block in a few words: its kind, its ids, the beginning of what it says."""
    if not isinstance(block, dict):
        return clip(wire.canonical_json(block), 60)
    match block.get("type"):
        case "text":
            return f'"{clip(str(block.get("text")), 66)}"'
        case "tool_use":
            return f"tool_use {call_form(block.get('name'), block.get('input'))}  {short_id(block.get('id'))}"
        case "tool_result":
            error = " is_error" if block.get("is_error") else ""
            named = short_id(block.get("tool_use_id")) or say("grading.t.no_id")
            return f'tool_result {named}{error} "{clip(result_text(block.get("content")), 40)}"'
        case other:
            return str(other)


def _cut_form(block: object) -> str:
    """Return a block of a cut answer; of its text, the place of the cut is what matters."""
    if isinstance(block, dict) and block.get("type") == "text":
        return f'"{ends(str(block.get("text")), 66)}"'
    return block_form(block)


def short_id(value: object) -> str:
    """Return an id's beginning: enough to tell one from another in a transcript."""
    return clip(str(value or ""), 16)


def _answer(one: Exchange, lang: str) -> list[str]:
    model = say("grading.t.model", lang)
    if one.response is None:
        return []
    if one.response.error is not None:
        said = f"{one.response.status} {one.response.error.get('type')}: {one.response.error.get('message')}"
        return [_row(say("grading.t.api", lang) if first else "", text) for first, text in _wrapped(said)]
    rows = [
        _cut_form(block) if one.signal == "max_tokens" else block_form(block) for block in one.content
    ] or ["[]"]
    rows.append(f"stop_reason: {one.signal}")
    return [_row(model if place == 0 else "", text) for place, text in enumerate(rows)]


def _wrapped(text: str) -> list[tuple[bool, str]]:
    lines = textwrap.wrap(visible(text), WIDTH - 24)[:4]
    return [(place == 0, line) for place, line in enumerate(lines)]


def _ran(ran: Any) -> str:
    said = f'"{clip(result_text(ran.content), 40)}"'
    return f"{call_form(ran.name, ran.input)} -> {'error ' if ran.is_error else ''}{said}"


def _row(label: str, text: str) -> str:
    return clip(visible(f"      {label:<16}{text}"), WIDTH)
