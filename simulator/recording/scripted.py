"""A turn of a screenplay as the API's answer to one request.

Rules of this file:

1. An answer never has more tokens than its request allowed. A turn marked ``cut`` is cut there: in its
   text, or in the last text of its last call's input, the way a model stops in the middle of writing one.
2. ``stop_reason`` and content agree: calls come with ``tool_use`` (or with an answer that was cut short), and
   ``tool_use`` comes with calls.
3. What a model calls is a tool on offer, with an input its schema allows, unless it was cut short.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from simulator.recording import mint
from simulator.recording.screenplay import Screenplay, Turn
from simulator.schemas import library
from simulator.wire.message import tool_names

_CUT_SHORT = ("max_tokens", "model_context_window_exceeded")


@dataclass(frozen=True, slots=True)
class Take:
    """One exchange to play: a request ``body``, and the answer as ``status``, JSON ``answer``, ``stream``.

    ``label`` names its place ("main.2", "read_fails.1"); ``retry_after`` is in seconds.
    """

    label: str
    body: dict[str, Any]
    status: int
    answer: dict[str, Any]
    request_id: str
    stream: bool
    retry_after: int | None = None


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
    usage = _usage(body, limit if turn.stop == "max_tokens" else spent)
    message_id = mint.mint("msg", play.name, label)
    return Take(
        label, body, 200, _message(play, message_id, content, turn.stop, usage), request_id, turn.stream
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
    content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    for number, call in enumerate(turn.calls):
        tool_use_id = mint.mint("toolu", play.name, label, number)
        # A copy: the file may give one input to several calls.
        given = copy.deepcopy(call.input)
        content.append({"type": "tool_use", "id": tool_use_id, "name": call.tool, "input": given})
    return content


def _cut(play: Screenplay, turn: Turn, content: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """Return *content* as it stands after *limit* tokens (rule 1)."""
    excess = mint.answer_size(content) - limit * mint.BYTES_PER_TOKEN
    last = content[-1]
    holder, key = last, "text"
    if last["type"] == "tool_use":
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
    """Raise ScreenplayError where *turn* breaks rule 2 or 3."""
    jsonschema: Any = library()

    wrong = turn.stop == "tool_use" and not turn.calls
    wrong |= bool(turn.calls) and turn.stop not in ("tool_use", *_CUT_SHORT)
    wrong |= turn.cut and turn.stop not in _CUT_SHORT
    if wrong:
        raise play.source.error((*turn.place, "stop"), "screenplay.stop_and_calls", stop=turn.stop)
    offered = tool_names(body)
    for number, call in enumerate(turn.calls):
        place = (*turn.place, "calls", number)
        if call.tool not in offered:
            known = ", ".join(offered) or "-"
            raise play.source.error(
                (*place, "tool"), "screenplay.tool_not_offered", tool=call.tool, known=known
            )
        schema = next(tool for tool in play.tools if tool["name"] == call.tool)["input_schema"]
        error = jsonschema.exceptions.best_match(
            jsonschema.Draft202012Validator(schema).iter_errors(call.input)
        )
        if error is not None and turn.stop not in _CUT_SHORT:
            raise play.source.error(
                (*place, "input"), "screenplay.input_unfit", tool=call.tool, problem=error.message
            )
