"""One plain sentence for each step of a trace, in English or Spanish.

Rules of this file:

1. A sentence says what happened, in the words of the catalogue; it does not judge the loop.
2. It is made from the step, the state before it and the state after it, and from nothing else, so the same
   trace always reads the same.
3. What is recorded may be long: in a sentence it is cut, and the player shows the whole beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, assert_never

from simulator.text import language, say
from simulator.trace.document import Trace
from simulator.trace.events import (
    SIGNALS,
    Append,
    Branch,
    Exit,
    Line,
    Request,
    Response,
    ToolCall,
    ToolResult,
)
from simulator.trace.pool import apply
from simulator.wire.message import of_type

LONGEST = 320
"""Characters of a recorded text that a sentence takes in."""

SHORT = 80
"""Characters of one argument of a call."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One step with the messages before and after it, as references into the trace's pool."""

    trace: Trace
    n: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    lang: str


def sentences(trace: Trace, lang: str | None = None) -> list[str]:
    """Return the sentence of each step of *trace*, in the order of its steps."""
    return [sentence(moment) for moment in moments(trace, lang)]


def moments(trace: Trace, lang: str | None = None) -> Iterator[Moment]:
    """Yield each step of *trace* with the state before and after it."""
    chosen, state = language(lang), list[int]()
    before: tuple[int, ...] = ()
    for step in trace.steps:
        if step.ops:
            apply(state, step.ops)
            after = tuple(state)
        else:
            after = before
        yield Moment(trace, step.n, before, after, chosen)
        before = after


def sentence(moment: Moment) -> str:
    """Return the sentence of the step of *moment*."""
    event, lang = moment.trace.steps[moment.n].event, moment.lang
    match event:
        case Request():
            return _request(event, moment)
        case Response():
            return _response(event, lang)
        case Branch():
            return _branch(event, lang)
        case ToolCall():
            asked = "asked" if event.id is not None else "unasked"
            return say(f"player.tool_call.{asked}", lang, call=call(event.name, event.input))
        case ToolResult():
            return _tool_result(event, lang)
        case Append():
            return _append(moment)
        case Line():
            name = "player.line.unseen" if event.line is None else "player.line.here"
            return say(name, lang, line=event.line)
        case Exit():
            return _exit(event, moment)
        case _:
            assert_never(event)


def call(name: str, given: dict[str, Any]) -> str:
    """Return a call as a person writes it: ``read_file(path: "a.txt")``."""
    inside = ", ".join(f"{key}: {short(_json(value), SHORT)}" for key, value in given.items())
    return f"{short(name, SHORT)}({short(inside)})"


def short(text: str, longest: int = LONGEST) -> str:
    """Return *text*, cut with an ellipsis where it is longer than *longest* characters."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def counted(name: str, count: int, lang: str) -> str:
    """Return "1 turn" or "3 turns" for *name* ``turns`` (``results``, ``requests``)."""
    if count == 1:
        return say(f"player.count.{name}_one", lang)
    return say(f"player.count.{name}", lang, count=count)


def _request(event: Request, moment: Moment) -> str:
    if event.repeats is not None:
        return say("player.request.repeat", moment.lang, turn=event.turn, first=event.repeats)
    name = "player.request.first" if event.turn <= 1 else "player.request.again"
    return say(name, moment.lang, turn=event.turn, turns=counted("turns", len(moment.after), moment.lang))


def _response(event: Response, lang: str) -> str:
    if event.error is not None:
        return _refused(event, event.error, lang)
    text = _otherwise(event, _answered(event, lang), lang)
    if event.by != "branch":
        return text
    branch = short(event.branch or "", SHORT)
    if not event.when:
        return say("player.response.by_branch", lang, sentence=text, branch=branch)
    when = short(", ".join(f"{key} = {_json(value)}" for key, value in event.when.items()))
    return say("player.response.by_condition", lang, sentence=text, branch=branch, when=when)


def _answered(event: Response, lang: str) -> str:
    signal = event.stop_reason
    if signal is None:
        return say("player.response.none", lang)
    if signal not in SIGNALS:
        return say("player.response.unknown", lang, signal=short(signal))
    if signal == "stop_sequence":
        return say("player.response.stop_sequence", lang, sequence=short(_json(event.stop_sequence)))
    if signal != "tool_use":
        return say(f"player.response.{signal}", lang)
    asked = of_type((event.message or {}).get("content"), "tool_use")
    if not asked:
        return say("player.response.tool_use_none", lang)
    calls = ", ".join(call(str(block.get("name")), _object(block.get("input"))) for block in asked)
    if len(asked) > 1:
        return say("player.response.tool_use_many", lang, calls=short(calls), count=len(asked))
    return say("player.response.tool_use", lang, calls=short(calls))


def _otherwise(event: Response, text: str, lang: str) -> str:
    """Return the sentence *text* with what a what-if has done to this answer."""
    if event.instead_of is None:
        return text
    if event.instead_of == event.stop_reason:
        return say("player.response.what_if_same", lang, sentence=text)
    recorded = short(event.instead_of, SHORT)
    return say("player.response.what_if", lang, sentence=text, recorded=recorded)


def _refused(event: Response, error: dict[str, Any], lang: str) -> str:
    text = say(
        "player.response.error_server" if event.status >= 500 else "player.response.error",
        lang,
        turn=event.turn,
        status=event.status,
        type=short(str(error.get("type")), SHORT),
        message=short(str(error.get("message"))),
    )
    rule, path = short(error.get("rule") or "", SHORT), short(error.get("path") or "")
    if rule and path:
        return say("player.response.error_path", lang, sentence=text, rule=rule, path=path)
    return say("player.response.error_rule", lang, sentence=text, rule=rule) if rule else text


def _branch(event: Branch, lang: str) -> str:
    test, value = short(event.test or ""), event.value
    if event.guard:
        return (
            say("player.branch.guard", lang, test=test, value=value)
            if test
            else say("player.branch.guard_unseen", lang)
        )
    if not test:
        return say("player.branch.unseen", lang, signal=short(str(event.signal), SHORT))
    if event.signal is None:
        return say("player.branch.blank", lang, test=test, value=value)
    return say("player.branch.seen", lang, signal=short(event.signal), test=test, value=value)


def _tool_result(event: ToolResult, lang: str) -> str:
    name = short(event.name, SHORT)
    text = event.content if isinstance(event.content, str) else _json(event.content)
    if event.is_error:
        error = short(event.error_type or "is_error", SHORT)
        return say("player.tool_result.failed", lang, name=name, error=error, text=short(text))
    if event.content in (None, "", []):
        return say("player.tool_result.empty", lang, name=name)
    return say("player.tool_result.came", lang, name=name, size=len(text))


def _append(moment: Moment) -> str:
    before, after, lang = moment.before, moment.after, moment.lang
    turns = counted("turns", len(after), lang)
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    if head == len(before) and len(after) > head:
        return _appended([moment.trace.pool.messages[ref] for ref in after[head:]], turns, lang)
    tail = 0
    while tail < min(len(before), len(after)) - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    gone, come = len(before) - head - tail, len(after) - head - tail
    if not gone and not come:
        return say("player.append.same", lang, turns=turns)
    if gone == come == 1:
        return say("player.append.changed", lang, turns=turns)
    if not come:
        return say("player.append.dropped", lang, gone=counted("turns", gone, lang), turns=turns)
    return say("player.append.rebuilt", lang, gone=gone, come=come, turns=turns)


def _appended(messages: list[Any], turns: str, lang: str) -> str:
    last = messages[-1] if isinstance(messages[-1], dict) else {}
    if len(messages) == 1 and last.get("role") == "assistant":
        return say("player.append.assistant", lang, turns=turns)
    results = [block for message in messages for block in _results(message)]
    if results:
        return say("player.append.results", lang, results=counted("results", len(results), lang), turns=turns)
    if len(messages) == 1 and last.get("role") == "user":
        return say("player.append.user", lang, turns=turns)
    return say("player.append.other", lang, turns=turns)


def _exit(event: Exit, moment: Moment) -> str:
    lang, message = moment.lang, short(event.message or "", 2 * LONGEST)
    match event.reason:
        case "returned":
            requests = counted("requests", event.turn, lang)
            value = event.value
            if isinstance(value, dict) and value.get("type") == "message":
                signal = value.get("stop_reason")
                return say(
                    "player.exit.returned_message", lang, requests=requests, signal=short(str(signal), SHORT)
                )
            shown = "None" if value is None else short(_json(value))
            return say("player.exit.returned_value", lang, requests=requests, value=shown)
        case "raised":
            return _raised(event, moment, message)
        case "exited" | "interrupted" | "recorded":
            return say(f"player.exit.{event.reason}", lang)
        case "runaway" | "off_script" | "recording_ends" | "deadline":
            return say(f"player.exit.{event.reason}", lang, message=message)
        case _:
            assert_never(event.reason)


def _raised(event: Exit, moment: Moment, message: str) -> str:
    """Return the sentence of an exception; what the step before has quoted of the API is not quoted again."""
    values: dict[str, Any] = {"error": short(str(event.error_type), SHORT), "line": event.line}
    where = "" if event.line is None else "_line"
    last = moment.trace.steps[moment.n - 1].event if moment.n else None
    if isinstance(last, Response) and last.error and message.startswith(f"Error code: {last.status}"):
        return say(f"player.exit.refused{where}", moment.lang, status=last.status, turn=last.turn, **values)
    return say(f"player.exit.raised{where}", moment.lang, message=message, **values)


def _results(message: Any) -> list[Any]:
    return of_type(message.get("content"), "tool_result") if isinstance(message, dict) else []


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"": value}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
