"""A recursion over values that never change: each turn is a function from a state to the next one.

Its policies: it retries by itself and tells the SDK not to. A cut answer is asked for again with more room,
twice at most. Calls of one answer run at the same time. A failing tool is told to the model.
Whatever the end, a ``Result`` is returned; only what nobody can foresee is raised. Streams by putting the
events together.

Every probe applies to it.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import anthropic

from tests.gate.loops.parts.recursive_api import Cut, Spent, cost_of, pause_before, plain, streamed, transient
from tests.gate.loops.parts.recursive_history import (
    Block,
    Message,
    blank,
    blocks_of,
    bounded,
    calls_in,
    content_of,
    digest,
    frozen,
    lawful,
    result_of,
    text_in,
    without_keys,
)

ATTEMPTS = 4
MOST_ROOM = 20_000


@dataclass(frozen=True)
class Result:
    """What came of a run. ``status`` is ``"done"`` or says why it is not."""

    status: str
    text: str
    reason: str = ""
    messages: tuple[Message, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    dollars: float = 0.0
    response: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Settings:
    client: Any
    tools: tuple[Block, ...]
    handlers: Mapping[str, Callable[..., Any]]
    model: str
    max_tokens: int
    system: Any
    limits: Mapping[str, Any]
    check: Callable[..., Any] | None
    tool_timeout: float | None
    context_tokens: int | None
    pinned: tuple[str, ...]
    max_result_chars: int | None
    tool_choice: Block | None
    subloops: Mapping[str, Any]
    stream: bool
    cancelled: Callable[[], bool]
    on_event: Callable[[dict[str, Any]], Any]
    began: float
    level: int = 0


@dataclass(frozen=True)
class State:
    history: tuple[Message, ...]
    given: int
    spent: Spent = Spent()  # noqa: RUF009  # a tuple
    room: int = 0
    enlarged: int = 0
    paused: int = 0
    rejected: int = 0
    nudged: bool = False
    forced: bool = True
    hidden: int = 0
    text: str = ""
    known: Mapping[str, int] = field(default_factory=dict)


def run_agent_loop(
    client: Any,
    messages: Any,
    tools: Any,
    handlers: Mapping[str, Callable[..., Any]],
    *,
    model: str = "claude-sonnet-5-5",
    max_tokens: int = 4096,
    system: Any = None,
    max_iterations: int = 20,
    max_total_tokens: int | None = None,
    max_seconds: float | None = None,
    max_cost: float | None = None,
    check: Callable[..., Any] | None = None,
    tool_timeout: float | None = None,
    context_tokens: int | None = None,
    pinned: Any = (),
    max_result_chars: int | None = None,
    tool_choice: Any = None,
    subloops: Mapping[str, Any] | None = None,
    stream: bool = False,
    cancelled: Callable[[], bool] | None = None,
    on_event: Any = None,
) -> Result:
    """Run the agent and return what came of it."""
    limits = {
        "max_iterations": max_iterations,
        "max_total_tokens": max_total_tokens,
        "max_seconds": max_seconds,
        "max_cost": max_cost,
    }
    settings = Settings(
        client.with_options(max_retries=0), tuple(tools), handlers, model, max_tokens, system, limits, check,
        tool_timeout, context_tokens, tuple(pinned), max_result_chars, tool_choice, subloops or {}, stream,
        cancelled or (lambda: False), listener(on_event), time.monotonic(),
    )  # fmt: skip
    result, _ = start(settings, messages)
    return result


def listener(on_event: Any) -> Callable[[dict[str, Any]], Any]:
    if on_event is None:
        return lambda record: None
    return on_event.append if hasattr(on_event, "append") else on_event


def start(settings: Settings, messages: Any) -> tuple[Result, Spent]:
    history = lawful(tuple(map(frozen, messages)))
    return turn(settings, State(history, len(history), room=settings.max_tokens))


# --- one turn ------------------------------------------------------------------------------------------


def turn(settings: Settings, state: State) -> tuple[Result, Spent]:
    """Take one turn, and the rest of the run after it."""
    reached = limit_reached(settings, state)
    if reached:
        return over(settings, state, *reached)
    fitted = within_context(settings, state)
    if isinstance(fitted, Result):
        return fitted, state.spent
    try:
        answer, spent = request(settings, fitted)
    except anthropic.BadRequestError as error:
        if "prompt is too long" not in str(error):
            return over(settings, fitted, "failed", f"The API refused the request: {error}")
        shorter = compacted(settings, fitted)
        told = f"The context is full: {error}"
        return turn(settings, shorter) if shorter != fitted else over(settings, fitted, "context_full", told)
    except (anthropic.APIError, Cut) as error:
        return over(settings, fitted, "failed", f"The API could not be reached: {error}")
    now = replace(fitted, spent=fitted.spent.plus(spent), forced=False, text=text_in(answer) or fitted.text)
    return decide(settings, now, answer)


def limit_reached(settings: Settings, state: State) -> tuple[str, str] | None:
    if settings.cancelled():
        return "cancelled", "The caller cancelled the run."
    used = {
        "max_iterations": state.spent.requests,
        "max_total_tokens": state.spent.tokens,
        "max_seconds": time.monotonic() - settings.began,
        "max_cost": state.spent.dollars,
    }
    for name, limit in settings.limits.items():
        if limit is not None and used[name] >= limit:
            return (
                "budget",
                f"Budget exceeded: {name} = {limit} (used {used[name]:g}); the task is not finished.",
            )
    return None


def over(settings: Settings, state: State, status: str, reason: str = "", answer: Any = None) -> Any:
    """Return the end of the run."""
    settings.on_event({"event": "end", "iteration": state.spent.requests, "status": status, "reason": reason})
    result = Result(
        status,
        state.text,
        reason,
        state.history,
        state.spent._asdict(),
        round(state.spent.dollars, 6),
        answer,
    )
    return result, state.spent


def decide(settings: Settings, state: State, answer: Mapping[str, Any]) -> tuple[Result, Spent]:
    """Go where the ``stop_reason`` says."""
    reason, calls = answer["stop_reason"], calls_in(answer)
    roads = {
        "end_turn": finished,
        "stop_sequence": finished,
        "max_tokens": too_little_room,
        "pause_turn": paused,
        "tool_use": partial(stopped, status="unhandled", reason="tool_use without a call"),
        "refusal": partial(stopped, status="refused", reason="The model refused (refusal)."),
        "model_context_window_exceeded": partial(
            stopped, status="context_full", reason="model_context_window_exceeded: the answer is incomplete."
        ),
    }
    if calls and reason in ("tool_use", "pause_turn"):
        return use_tools(settings, replace(state, paused=0), answer)
    unknown = partial(stopped, status="unhandled", reason=f"Unhandled stop_reason: {reason}")
    road = roads.get(reason, unknown)
    return road(settings, state, answer)


def stopped(settings: Settings, state: State, answer: Any, *, status: str, reason: str) -> Any:
    return over(settings, said(state, answer, calls=False), status, reason, answer)


def paused(settings: Settings, state: State, answer: Any) -> tuple[Result, Spent]:
    if state.paused == 4:
        return stopped(settings, state, answer, status="paused", reason="pause_turn, five times in a row")
    return turn(settings, replace(said(state, answer), paused=state.paused + 1))


def too_little_room(settings: Settings, state: State, answer: Any) -> tuple[Result, Spent]:
    """Ask for the same with more room, twice at most; then the answer is what it is: cut."""
    more = min(state.room * 2, MOST_ROOM)
    if state.enlarged == 2 or more <= state.room:
        reason = f"The answer was truncated at max_tokens = {state.room}."
        return stopped(settings, state, answer, status="truncated", reason=reason)
    settings.on_event({"event": "more_room", "iteration": state.spent.requests, "max_tokens": more})
    return turn(settings, replace(state, room=more, enlarged=state.enlarged + 1))


def finished(settings: Settings, state: State, answer: Any) -> tuple[Result, Spent]:
    now = replace(said(state, answer, calls=False), paused=0)
    if not text_in(answer).strip():
        if state.nudged:
            return over(settings, now, "empty", "The model gave an empty answer twice.", answer)
        return turn(settings, replace(asked(now, "Please write your answer."), nudged=True))
    problem = settings.check(text_in(answer), [dict(m) for m in now.history]) if settings.check else None
    if not problem:
        return over(settings, now, "done", "", answer)
    settings.on_event({"event": "check", "iteration": state.spent.requests, "problem": problem})
    if state.rejected == 2:
        return over(settings, now, "unverified", f"Not verified: {problem}", answer)
    return turn(settings, replace(asked(now, f"Not accepted yet: {problem}"), rejected=state.rejected + 1))


def said(state: State, answer: Any, calls: bool = True) -> State:
    content = tuple(b for b in answer["content"] if not blank(b) and (calls or b["type"] != "tool_use"))
    more = ({"role": "assistant", "content": content},) if content else ()
    return replace(state, history=state.history + more)


def asked(state: State, text: str) -> State:
    return replace(state, history=(*state.history, {"role": "user", "content": text}))


# --- tools ---------------------------------------------------------------------------------------------


def use_tools(settings: Settings, state: State, answer: Any) -> tuple[Result, Spent]:
    now = said(state, answer)
    calls = calls_in(answer)
    results, spent = answers(settings, now, calls)
    marks = [json.dumps([c["name"], c["input"], r["content"]], sort_keys=True, default=list) for c, r in
             zip(calls, results, strict=True)]  # fmt: skip
    fresh = any(mark not in state.known for mark in marks)
    before = {mark: 1 if fresh else n for mark, n in state.known.items()}
    known = before | {mark: before.get(mark, 0) + 1 for mark in marks}
    shown = tuple(noted(r, known[mark]) for mark, r in zip(marks, results, strict=True))
    history = (*now.history, {"role": "user", "content": shown})
    after = replace(now, history=history, known=known, spent=now.spent.plus(spent))
    for mark, call in zip(marks, calls, strict=True):
        if known[mark] >= 3:
            reason = f"No progress: {call['name']} was repeated {known[mark]} times with the same result."
            return over(settings, after, "stuck", reason)
    return turn(settings, after)


def noted(result: Block, times: int) -> Block:
    if times != 2:
        return result
    note = {"type": "text", "text": "(the same call, the same result as before: change your approach)"}
    content = result["content"]
    parts = ({"type": "text", "text": content},) if isinstance(content, str) else tuple(content)
    return {**result, "content": (*parts, note)}


def answers(settings: Settings, state: State, calls: tuple[Block, ...]) -> tuple[list[Block], Spent]:
    """Run the calls at the same time, sub-loops one after another; results in the order of the calls."""
    running = {call["id"]: begin(settings, call) for call in calls if call["name"] not in settings.subloops}
    results, spent = [], Spent()
    for call in calls:
        began = time.monotonic()
        if call["name"] in settings.subloops:
            result, cost = delegated(settings, state.spent.plus(spent), call)
            spent = spent.plus(cost)
        else:
            result = running[call["id"]]()
        settings.on_event({
            "event": "tool", "iteration": state.spent.requests, "tool": call["name"],
            "seconds": time.monotonic() - began, "failed": result.get("is_error", False),
        })  # fmt: skip
        results.append({**result, "content": bounded(result["content"], settings.max_result_chars)})
    return results, spent


def begin(settings: Settings, call: Block) -> Callable[[], Block]:
    """Start *call* in a thread of its own and return what waits for it."""
    handler = settings.handlers.get(call["name"])
    if handler is None:
        names = [tool["name"] for tool in settings.tools]
        text = f"No tool is called {call['name']!r}; there are: {', '.join(names)}. Use one of these."
        return lambda: result_of(call, text, failed=True)
    box: dict[str, Any] = {}
    over = threading.Event()

    def work() -> None:
        try:
            box["value"] = handler(**call["input"])
        except BaseException as error:
            box["error"] = error
        over.set()

    threading.Thread(target=work, daemon=True).start()
    return lambda: awaited(settings, call, box, over)


def awaited(settings: Settings, call: Block, box: dict[str, Any], over: threading.Event) -> Block:
    waited = 0.0
    while not over.wait(0.02):
        waited += 0.02
        late = settings.tool_timeout is not None and waited >= settings.tool_timeout
        if late or settings.cancelled():
            why = "timed out" if late else "was cancelled"
            text = (
                f"{call['name']} {why}. Whether it has taken effect is unknown; find out before repeating it."
            )
            return result_of(call, text, failed=True)
    match box.get("error"):
        case None:
            return result_of(call, content_of(box["value"]))
        case Exception() as error:
            return result_of(call, explained(call, error), failed=True)
        case other:
            raise other


def explained(call: Block, error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()] or ["no further details"]
    what = without_keys(lines[-1] if lines[0].startswith("Traceback") else "\n".join(lines))
    return (
        f"The call {call['name']}({json.dumps(call['input'])}) failed: {type(error).__name__}: {what}\n"
        "Change the arguments or choose another tool; repeating the same call will give the same error."
    )


def delegated(settings: Settings, spent: Spent, call: Block) -> tuple[Block, Spent]:
    """Run the task of *call* in a loop of its own, out of what is left of this one's budget."""
    if settings.level >= 2:
        return result_of(call, "Refused: this is nested too deep. Do it yourself.", failed=True), Spent()
    plan = settings.subloops[call["name"]]
    used = {
        "max_iterations": spent.requests,
        "max_total_tokens": spent.tokens,
        "max_seconds": time.monotonic() - settings.began,
        "max_cost": spent.dollars,
    }
    left = {name: None if n is None else n - used[name] for name, n in settings.limits.items()}
    left["max_iterations"] = min(left["max_iterations"], plan.get("max_iterations", left["max_iterations"]))
    inner = replace(
        settings, tools=tuple(plan["tools"]), limits=left, check=None, tool_choice=None,
        began=time.monotonic(), level=settings.level + 1,
    )  # fmt: skip
    result, cost = start(inner, [{"role": "user", "content": str(call["input"].get("task", ""))}])
    report = {"status": result.status, "found": result.text, "problem": result.reason}
    return result_of(call, json.dumps(report, ensure_ascii=False), failed=result.status != "done"), cost


def request(settings: Settings, state: State, attempt: int = 1) -> tuple[Mapping[str, Any], Spent]:
    """Return the answer to the next request, tried a bounded number of times."""
    body = {
        "model": settings.model,
        "max_tokens": state.room,
        "messages": [dict(message) for message in shown(settings, state)],
        **({"system": settings.system} if settings.system else {}),
        **({"tools": list(settings.tools)} if settings.tools else {}),
        **({"tool_choice": settings.tool_choice} if settings.tool_choice and state.forced else {}),
    }
    began = time.monotonic()
    settings.on_event({"event": "request", "iteration": state.spent.requests + 1, "attempt": attempt})
    try:
        answer = streamed(settings.client, body) if settings.stream else plain(settings.client, body)
    except (anthropic.APIError, Cut) as error:
        if attempt == ATTEMPTS or not transient(error):
            raise
        time.sleep(pause_before(attempt, error))
        return request(settings, state, attempt + 1)
    settings.on_event({
        "event": "answer", "iteration": state.spent.requests + 1, "stop_reason": answer["stop_reason"],
        "seconds": time.monotonic() - began,
    })  # fmt: skip
    return answer, cost_of(answer)


# --- the conversation ----------------------------------------------------------------------------------


def shown(settings: Settings, state: State) -> tuple[Message, ...]:
    """Return what is sent: the facts stand in the first turn, hidden turns are told in it."""
    first, *rest = state.history
    notes = tuple({"type": "text", "text": f"Remember: {fact}"} for fact in settings.pinned)
    if state.hidden:
        notes += ({"type": "text", "text": digest(state.history[state.given : state.hidden])},)
        rest = [*state.history[1 : state.given], *state.history[state.hidden :]]
    if not notes:
        return state.history
    return ({**first, "content": (*blocks_of(first), *notes)}, *rest)


def weight(settings: Settings, state: State) -> int:
    return len(json.dumps([shown(settings, state), settings.tools, settings.system], default=list)) // 4


def within_context(settings: Settings, state: State) -> Any:
    limit = settings.context_tokens
    if limit is None or weight(settings, state) <= 0.6 * limit:
        return state
    shorter = compacted(settings, state)
    if weight(settings, shorter) <= limit:
        return shorter
    return over(settings, shorter, "context_full", f"The context of {limit} tokens is full.")[0]


def compacted(settings: Settings, state: State) -> State:
    """Hide older turns, pairs of a call and its results as a whole; *state* itself if that is no help."""
    starts = [
        n
        for n in range(state.given, len(state.history))
        if state.history[n]["role"] == "assistant"
        and state.history[n - 1]["role"] == "user"
        and n > state.hidden
    ]
    for kept in (3, 2, 1):
        if len(starts) >= kept:
            shorter = replace(state, hidden=starts[-kept])
            small = (
                settings.context_tokens is None or weight(settings, shorter) <= 0.6 * settings.context_tokens
            )
            if (small or kept == 1) and weight(settings, shorter) < weight(settings, state):
                facts = {"from": weight(settings, state), "to": weight(settings, shorter)}
                settings.on_event({"event": "compacted", "iteration": state.spent.requests, **facts})
                return shorter
    return state
