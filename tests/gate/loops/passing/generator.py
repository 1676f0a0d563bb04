"""A generator: whoever drives it sees each event as it comes; the outcome is the value of its ``return``.

Its policies: it streams unless it is told not to, and puts the answer together from the events. It retries by
itself, and the SDK not at all. A cut answer ends the run, and the outcome says so. A failing tool is told to
the model. The history holds the blocks of the SDK as they are.

Every probe applies to it.
"""

from __future__ import annotations

import copy
import json
import queue
import random
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import anthropic
from anthropic.types import Message

from tests.gate.loops.parts import generator_history as story

Event = dict[str, Any]
Status = Literal[
    "finished", "truncated", "refused", "paused", "unhandled", "budget_exceeded", "context_full", "stuck",
    "unverified", "empty", "api_failed", "stream_incomplete", "cancelled",
]  # fmt: skip

TRIES = 3
RATES = {
    "input_tokens": 3.0,
    "output_tokens": 15.0,
    "cache_creation_input_tokens": 3.75,
    "cache_read_input_tokens": 0.3,
}


@dataclass
class Outcome:
    """How the run ended; ``message`` is the model's last one, ``history`` all that was said."""

    status: Status
    detail: str
    message: Message | None
    history: list[dict[str, Any]]
    usage: dict[str, int]

    @property
    def text(self) -> str:
        return story.text_of(self.message.content) if self.message else ""


class Ended(Exception):  # noqa: N818  # carries the end from a helper to the generator
    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(detail)
        self.status: Status = status


class BrokenStream(Exception):  # noqa: N818  # the answer did not arrive to its end
    pass


@dataclass
class Ledger:
    """Requests, tokens and dollars, of a run and of those it starts; with the limits on them."""

    requests: int = 0
    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RATES, 0))
    limits: dict[str, Any] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def used(self) -> dict[str, float]:
        return {
            "requests": self.requests,
            "tokens": sum(self.tokens.values()),
            "dollars": sum(self.tokens[name] * rate for name, rate in RATES.items()) / 1_000_000,
            "seconds": time.monotonic() - self.began,
        }

    def charge(self, usage: Any) -> None:
        for name in RATES:
            self.tokens[name] += getattr(usage, name, None) or 0


@dataclass
class Config:
    client: Any
    tools: list[Any]
    handlers: dict[str, Callable[..., Any]]
    model: str
    max_tokens: int
    system: Any
    check: Any
    tool_timeout: float | None
    context_tokens: int | None
    pinned: list[str]
    max_result_chars: int | None
    tool_choice: Any
    subloops: dict[str, Any]
    stream: bool
    cancelled: Callable[[], bool]
    ceiling: int
    level: int = 0


def run_agent_loop(
    client: anthropic.Anthropic,
    messages: list[Any],
    tools: list[Any],
    handlers: dict[str, Callable[..., Any]],
    *,
    model: str = "claude-sonnet-5-5",
    max_tokens: int = 4096,
    system: Any = None,
    max_iterations: int = 20,
    max_total_tokens: int | None = None,
    max_seconds: float | None = None,
    max_cost: float | None = None,
    check: Any = None,
    tool_timeout: float | None = None,
    context_tokens: int | None = None,
    pinned: Any = (),
    max_result_chars: int | None = None,
    tool_choice: Any = None,
    subloops: Any = None,
    stream: bool = True,
    cancelled: Any = None,
    on_event: Any = None,
) -> Generator[Event, None, Outcome]:
    """Yield what happens; return the outcome."""
    ledger = Ledger(
        limits={"tokens": max_total_tokens, "seconds": max_seconds, "dollars": max_cost},
    )
    config = Config(
        client.with_options(max_retries=0), tools, handlers, model, max_tokens, system, check, tool_timeout,
        context_tokens, list(pinned), max_result_chars, tool_choice, subloops or {}, stream,
        cancelled or (lambda: False), max_iterations,
    )  # fmt: skip
    events = Conversation(config, ledger, messages).run()
    while True:
        try:
            event = next(events)
        except StopIteration as stop:
            return stop.value
        if on_event is not None:
            (on_event.append if isinstance(on_event, list) else on_event)(event)
        yield event


class Conversation:
    """One run, as a generator of events."""

    def __init__(self, config: Config, ledger: Ledger, messages: list[Any]) -> None:
        self.config, self.ledger = config, ledger
        self.history = story.continued(messages)
        self.given = len(self.history)
        self.left_out = 0
        self.message: Message | None = None
        self.asked = self.paused = self.rejected = self.silent = 0
        self.seen: dict[str, int] = {}

    def run(self) -> Generator[Event, None, Outcome]:
        try:
            yield from self.turns()
            status: Status = "finished"
            detail = "the model ended its turn"
        except Ended as end:
            status, detail = end.status, str(end)
        yield self.event("end", status=status, detail=detail)
        return Outcome(status, detail, self.message, self.history, dict(self.ledger.tokens))

    def event(self, kind: str, **facts: Any) -> Event:
        return {"event": kind, "iteration": self.ledger.requests, **facts}

    def turns(self) -> Iterator[Event]:
        while True:
            message = yield from self.answer()
            self.message = message
            calls = story.calls_in(message.content)
            self.paused = self.paused + 1 if message.stop_reason == "pause_turn" and not calls else 0
            match message.stop_reason:
                case "tool_use" | "pause_turn" if calls:
                    yield from self.use(message, calls)
                case "pause_turn" if self.paused < 8:
                    self.keep(message)
                    yield self.event("paused", times=self.paused)
                case "pause_turn":
                    self.keep(message)
                    raise Ended("paused", f"pause_turn, {self.paused} times in a row")
                case "end_turn" | "stop_sequence":
                    self.keep(message, calls=False)
                    problem = self.complaint(message)
                    if problem is None:
                        return
                    yield self.event("not_done", problem=problem)
                    self.history.append({"role": "user", "content": problem})
                case "max_tokens":
                    self.keep(message, calls=False)
                    raise Ended("truncated", f"the answer was cut off at {self.config.max_tokens} tokens")
                case "refusal":
                    self.keep(message, calls=False)
                    raise Ended("refused", "the model refused: refusal")
                case "model_context_window_exceeded":
                    self.keep(message, calls=False)
                    raise Ended("context_full", "model_context_window_exceeded, the answer is incomplete")
                case other:
                    self.keep(message, calls=False)
                    raise Ended("unhandled", f"stop_reason {other!r} is not known here")

    def keep(self, message: Message, calls: bool = True) -> None:
        content = story.sendable(message.content)
        content = [block for block in content if calls or story.kind(block) != "tool_use"]
        if content:
            self.history.append({"role": "assistant", "content": content})

    def complaint(self, message: Message) -> str | None:
        """Return what is to be said to the model about its final answer; None where it is good."""
        text = story.text_of(message.content)
        if not text.strip():
            self.silent += 1
            if self.silent > 1:
                raise Ended("empty", "the model ended with an empty answer, twice")
            return "There was nothing in your answer. What did you find?"
        if self.config.check is None:
            return None
        problem = self.config.check(text, story.plain(self.history))
        if problem is None:
            return None
        self.rejected += 1
        if self.rejected > 2:
            raise Ended("unverified", f"the check does not accept it: {problem}")
        return f"The check says: {problem} Please put it right."

    # --- asking ----------------------------------------------------------------------------------------

    def answer(self) -> Generator[Event, None, Message]:
        """Ask until there is a whole answer, in bounds."""
        failures = 0
        while True:
            self.may_go_on()
            yield from self.fit()
            self.ledger.requests += 1
            self.asked += failures == 0
            began = time.monotonic()
            try:
                message = yield from self.one_try(self.request())
            except (anthropic.APIError, BrokenStream) as error:
                if story.is_too_long(error):
                    if not (yield from self.leave_out()):
                        raise Ended("context_full", f"the context is full: {error}") from error
                    continue
                failures += 1
                yield self.event("failed", error=str(error), failures=failures)
                self.give_up_or_wait(error, failures)
                continue
            self.ledger.charge(message.usage)
            seconds = time.monotonic() - began
            yield self.event("answer", stop_reason=message.stop_reason, seconds=seconds)
            return message

    def may_go_on(self) -> None:
        if self.config.cancelled():
            raise Ended("cancelled", "the caller cancelled")
        used = self.ledger.used()
        for name, limit in {**self.ledger.limits, "requests": self.config.ceiling}.items():
            if limit is not None and used[name] >= limit:
                raise Ended("budget_exceeded", f"budget: {limit} {name} allowed, {used[name]:g} used")

    def give_up_or_wait(self, error: Exception, failures: int) -> None:
        status = getattr(error, "status_code", 200)
        hopeless = status != 200 and status not in (408, 409, 429) and status < 500
        if hopeless or failures > TRIES:
            kind: Status = "stream_incomplete" if isinstance(error, BrokenStream) else "api_failed"
            raise Ended(kind, f"no answer from the API: {error}") from error
        response = getattr(error, "response", None)
        stated = response.headers.get("retry-after", "") if response is not None else ""
        backoff = 2 ** (failures - 1) + random.random() / 2
        time.sleep(float(stated) if stated.isdigit() else backoff)

    def request(self) -> dict[str, Any]:
        config = self.config
        request: dict[str, Any] = {"model": config.model, "max_tokens": config.max_tokens}
        request["messages"] = self.shown()
        if config.pinned or config.system:
            request["system"] = story.with_facts(config.system, config.pinned)
        if config.tools:
            request["tools"] = config.tools
        if config.tool_choice is not None and self.asked == 1:
            request["tool_choice"] = config.tool_choice
        return request

    def one_try(self, request: dict[str, Any]) -> Generator[Event, None, Message]:
        """Yield the text as it comes and return the message; half a message is no message."""
        if not self.config.stream:
            return self.config.client.messages.create(**request)
        with self.config.client.messages.stream(**request) as stream:
            for event in stream:
                if event.type == "text":
                    yield self.event("text", text=event.text)
                elif event.type == "message_stop":
                    return stream.get_final_message()
                if self.config.cancelled():
                    raise Ended("cancelled", "the caller cancelled in the middle of an answer")
        raise BrokenStream("the stream ended in the middle (incomplete)")

    # --- tools -----------------------------------------------------------------------------------------

    def use(self, message: Message, calls: list[Any]) -> Iterator[Event]:
        results: list[dict[str, Any]] = []
        self.keep(message)
        self.history.append({"role": "user", "content": results})
        try:
            for call in calls:
                began = time.monotonic()
                result = yield from self.result_for(call)
                results.append(result)
                seconds, failed = time.monotonic() - began, result.get("is_error", False)
                yield self.event("tool", tool=call.name, seconds=seconds, failed=failed)
        finally:
            # Whatever ends the run in here, the history that is left can be sent again.
            open_calls = calls[len(results) :]
            results += [story.failure(call.id, f"{call.name} was interrupted.") for call in open_calls]
        self.look_for_circles(calls, results)

    def result_for(self, call: Any) -> Generator[Event, None, dict[str, Any]]:
        if self.config.cancelled():
            return story.failure(call.id, "Not run: the run was cancelled.")
        if call.name in self.config.subloops:
            return (yield from self.delegated(call))
        if call.name not in self.config.handlers:
            names = ", ".join(story.tool_names(self.config.tools))
            return story.failure(call.id, f"Nothing here is called {call.name!r}. Use one of: {names}.")
        try:
            content = story.content_for(self.handled(call))
        except Exception as error:
            return story.failure(call.id, story.explanation(call, error))
        return story.success(call.id, story.clipped(content, self.config.max_result_chars))

    def handled(self, call: Any) -> Any:
        """Return what the handler says; it works in a thread, so that nobody has to wait for ever."""
        config = self.config
        box: queue.SimpleQueue[Any] = queue.SimpleQueue()
        given = copy.deepcopy(call.input)

        def work() -> None:
            try:
                box.put((config.handlers[call.name](**given), None))
            except BaseException as error:
                box.put((None, error))

        threading.Thread(target=work, daemon=True).start()
        waited = 0.0
        while True:
            try:
                value, error = box.get(timeout=0.01)
            except queue.Empty:
                waited += 0.01
                late = config.tool_timeout is not None and waited >= config.tool_timeout
                if late or config.cancelled():
                    text = "timed out and may still be running; see what the state is before you try again"
                    raise TimeoutError(text) from None
                continue
            if error is not None:
                raise error
            return value

    def delegated(self, call: Any) -> Generator[Event, None, dict[str, Any]]:
        config, plan = self.config, self.config.subloops[call.name]
        if config.level >= 2:
            return story.failure(call.id, "Helpers cannot have helpers of helpers. Do it yourself.")
        ceiling = min(config.ceiling, self.ledger.requests + plan.get("max_iterations", config.ceiling))
        inner = copy.copy(config)
        inner.tools, inner.ceiling, inner.level = plan["tools"], ceiling, config.level + 1
        inner.check = inner.tool_choice = None
        helper = Conversation(inner, self.ledger, [{"role": "user", "content": call.input.get("task", "")}])
        outcome = None
        events = helper.run()
        while outcome is None:
            try:
                yield {**next(events), "helper": call.name}
            except StopIteration as stop:
                outcome = stop.value
        if outcome.status == "finished":
            return story.success(call.id, story.clipped(outcome.text, config.max_result_chars))
        return story.failure(call.id, f"{outcome.status}: {outcome.detail}. It had: {outcome.text or '-'}")

    def look_for_circles(self, calls: list[Any], results: list[dict[str, Any]]) -> None:
        marks = [
            json.dumps([call.name, call.input, result["content"]], sort_keys=True)
            for call, result in zip(calls, results, strict=True)
        ]
        if not set(marks) <= set(self.seen):
            self.seen = dict.fromkeys(self.seen, 1)
        for mark in set(marks):
            self.seen[mark] = self.seen.get(mark, 0) + 1
        for mark, call, result in zip(marks, calls, results, strict=True):
            if self.seen[mark] == 2:
                story.annotate(result, "This is what you asked before, and what you got before.")
            elif self.seen[mark] > 2:
                raise Ended("stuck", f"{call.name} was repeated {self.seen[mark]} times without progress")

    # --- the context -----------------------------------------------------------------------------------

    def shown(self) -> list[Any]:
        if not self.left_out:
            return self.history
        note = story.recap(self.history[self.given : self.left_out])
        opening = [*self.history[: self.given]]
        last = opening[-1]
        opening[-1] = {"role": last["role"], "content": [*story.blocks(last), {"type": "text", "text": note}]}
        return [*opening, *self.history[self.left_out :]]

    def size(self) -> int:
        return len(json.dumps(story.plain([self.shown(), self.config.tools, self.config.pinned]))) // 4

    def fit(self) -> Iterator[Event]:
        limit = self.config.context_tokens
        if limit is None:
            return
        if self.size() > limit * 0.75:
            yield from self.leave_out()
        if self.size() > limit:
            raise Ended("context_full", f"more than {limit} tokens, and nothing left to leave out")

    def leave_out(self) -> Generator[Event, None, bool]:
        before, was = self.size(), self.left_out
        for place in story.seams(self.history, self.given)[-2:]:
            self.left_out = max(place, was)
            if self.config.context_tokens is None or self.size() < self.config.context_tokens * 0.75:
                break
        if self.size() >= before:
            self.left_out = was
            return False
        yield self.event("left_out", turns=self.left_out - self.given, before=before, after=self.size())
        return True
