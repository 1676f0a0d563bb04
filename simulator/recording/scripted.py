"""A turn of a screenplay as the API's answer to one request.

Rules of this file:

1. An answer never has more tokens than its request allowed. A turn marked ``cut`` is cut there: in its
   text, or in the last text of its last call's input, the way a model stops in the middle of writing one.
2. ``stop_reason`` and content agree: calls come with ``tool_use`` (or with an answer that was cut short), and
   ``tool_use`` comes with calls.
3. What a model calls is a tool on offer, with an input its schema allows, unless it was cut short.
4. What breaks rule 2 or 3 on purpose says so (``wrong``), and what says so has to break it. ``usage`` that
   the screenplay states is taken as it stands.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

from simulator.recording import mint
from simulator.recording.marked import Place, ScreenplayError
from simulator.recording.screenplay import Call, Screenplay, Turn
from simulator.schemas import library
from simulator.wire.message import tool_names
from simulator.wire.stream import to_events

STOPS = (
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "pause_turn",
    "refusal",
    "model_context_window_exceeded",
)
"""The stop_reasons the API has today."""

_CUT_SHORT = ("max_tokens", "model_context_window_exceeded")


@dataclass(frozen=True, slots=True)
class Take:
    """One exchange to play: a request ``body``, and the answer as ``status``, JSON ``answer``, ``stream``.

    ``label`` names its place ("main.2", "read_fails.1"); ``retry_after`` is in seconds. Of a stream that
    breaks off only the first ``events`` come, and then the ``fault`` as an error event where there is one.
    ``interleaved``: the events of its calls come in turns.
    """

    label: str
    body: dict[str, Any]
    status: int
    answer: dict[str, Any]
    request_id: str
    stream: bool
    retry_after: int | None = None
    events: int | None = None
    fault: dict[str, Any] | None = None
    interleaved: bool = False


def answered(play: Screenplay, label: str, turn: Turn, body: dict[str, Any], said: str) -> Take:
    """Return the exchange in which *body* is answered with *turn*. Raises ScreenplayError.

    *said* is the text of the answer before it, "" for none.
    """
    request_id = mint.mint("req", play.name, label)
    if turn.error is not None:
        error = {"type": turn.error["type"], "message": turn.error["message"]}
        answer = {"type": "error", "error": error, "request_id": request_id}
        wait = turn.error.get("retry_after")
        return Take(label, body, turn.error["status"], answer, request_id, False, wait)
    _check(play, turn, body)
    content = _content(play, label, turn, said)
    limit = body["max_tokens"]
    if turn.cut:
        content = _cut(play, turn, content, limit)
    spent = mint.output_tokens(content)
    if spent > limit:
        raise play.source.error(turn.place, "screenplay.too_long", tokens=spent, limit=limit)
    usage = _usage(body, limit if turn.stop == "max_tokens" else spent) | turn.usage
    message_id = mint.mint("msg", play.name, label)
    message = _message(play, message_id, content, turn.stop, usage)
    return Take(label, body, 200, message, request_id, turn.stream, interleaved=turn.interleaved)


def broken_off(play: Screenplay, turn: Turn, take: Take) -> Take | None:
    """Return *take*, the whole answer *turn*, as the stream that breaks off; None where it does not.

    Raises ScreenplayError where it would be whole before it broke.
    """
    if turn.broken is None:
        return None
    label = f"{take.label}.broken"
    answer = {**take.answer, "id": mint.mint("msg", play.name, label)}
    events, after = len(to_events(answer)), turn.broken["after"]
    if after >= events:
        place = (*turn.place, "broken", "after")
        raise play.source.error(place, "screenplay.nothing_to_break", after=after, events=events)
    return replace(
        take,
        label=label,
        body={**take.body, "stream": True},
        answer=answer,
        request_id=mint.mint("req", play.name, label),
        stream=True,
        events=after,
        fault=turn.broken.get("error"),
    )


def _message(
    play: Screenplay, message_id: str, content: list[dict[str, Any]], stop: str, usage: dict[str, Any]
) -> dict[str, Any]:
    return {
        "model": play.model,
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }


def _usage(body: dict[str, Any], output_tokens: int) -> dict[str, Any]:
    return {
        "input_tokens": mint.input_tokens(body),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": output_tokens,
        "service_tier": "standard",
    }


def _content(play: Screenplay, label: str, turn: Turn, said: str) -> list[dict[str, Any]]:
    text = turn.text or ""
    if turn.rest:
        if not (said and text.startswith(said) and text != said):
            raise play.source.error((*turn.place, "rest"), "screenplay.no_rest")
        text = text.removeprefix(said)
    # A copy: the file may give one value to several places.
    content: list[dict[str, Any]] = copy.deepcopy(turn.blocks)
    content += [{"type": "text", "text": text}] if text else []
    for number, call in enumerate(turn.calls):
        tool_use_id = mint.mint("toolu", play.name, label, number)
        given = copy.deepcopy(call.input)
        content.append({"type": "tool_use", "id": tool_use_id, "name": call.tool, "input": given})
    return content


def _cut(play: Screenplay, turn: Turn, content: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """Return *content* as it stands after *limit* tokens (rule 1)."""
    excess = mint.answer_size(content) - limit * mint.BYTES_PER_TOKEN
    last = content[-1] if content else {}
    holder: dict[str, Any] = last
    key = "text"
    if last.get("type") == "tool_use":
        holder = last["input"]
        key = next((name for name in reversed(holder) if isinstance(holder[name], str)), "")
    kept = mint.size(str(holder.get(key, ""))) - excess
    if excess <= 0 or kept <= 0:
        raise play.source.error(turn.place, "screenplay.nothing_to_cut", limit=limit)
    whole = holder[key]
    holder[key] = mint.cut_text(whole, to=kept)
    # As JSON a text can be longer than as bytes (line feeds, quotes), so shorten until it fits.
    while mint.output_tokens(content) > limit:
        holder[key] = holder[key][:-1]
    return content


def _check(play: Screenplay, turn: Turn, body: dict[str, Any]) -> None:
    """Raise ScreenplayError where *turn* breaks rule 2, 3 or 4."""
    place = (*turn.place, "stop")
    unknown = turn.stop not in STOPS
    wrong = turn.stop == "tool_use" and not turn.calls
    wrong |= bool(turn.calls) and turn.stop not in ("tool_use", *_CUT_SHORT)
    if turn.wrong and not (unknown or wrong):
        raise play.source.error((*turn.place, "wrong"), "screenplay.not_wrong")
    if unknown and not turn.wrong:
        allowed = ", ".join(STOPS)
        raise play.source.error(place, "screenplay.stop_unknown", stop=turn.stop, allowed=allowed)
    if (wrong and not turn.wrong) or (turn.cut and turn.stop not in _CUT_SHORT):
        raise play.source.error(place, "screenplay.stop_and_calls", stop=turn.stop)
    offered = tool_names(body)
    for number, call in enumerate(turn.calls):
        error = _misfit(play, (*turn.place, "calls", number), call, offered, turn.stop in _CUT_SHORT)
        if call.wrong and error is None:
            raise play.source.error((*turn.place, "calls", number, "wrong"), "screenplay.not_wrong")
        if error is not None and not call.wrong:
            raise error


def _misfit(
    play: Screenplay, place: Place, call: Call, offered: list[str], cut_short: bool
) -> ScreenplayError | None:
    """Return what is wrong with *call* (rule 3), or None."""
    if call.tool not in offered:
        known = ", ".join(offered) or "-"
        return play.source.error((*place, "tool"), "screenplay.tool_not_offered", tool=call.tool, known=known)
    schema = next(tool for tool in play.tools if tool["name"] == call.tool).get("input_schema")
    if schema is None or cut_short:
        return None
    jsonschema: Any = library()
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(call.input))
    if error is None:
        return None
    return play.source.error(
        (*place, "input"), "screenplay.input_unfit", tool=call.tool, problem=error.message
    )
