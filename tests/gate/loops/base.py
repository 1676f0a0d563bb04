"""A complete agent loop in one class, a small method for each decision. A stranger's: it knows the SDK alone.

Rules of this file:

1. A loop that does one thing wrong is a subclass with one method overridden and
   ``run_agent_loop = Broken.as_function()``.
2. ``self.messages`` is the whole conversation, the loop's own copy; ``view()`` is what of it is sent.
3. It returns the final response as the client gave it, or raises one of ``exits.py``. An exception of a
   handler becomes a message to the model; what is no ``Exception`` passes through.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

import anthropic

from tests.gate.loops import exits
from tests.gate.loops.assembly import Assembly
from tests.gate.loops.base_context import Context
from tests.gate.loops.base_tools import Tools

Turn = dict[str, Any]
Block = dict[str, Any]


@dataclass
class Answer:
    """One answer of the model; ``response`` is what the client gave, the rest of it as dictionaries."""

    response: Any
    content: list[Block]
    stop_reason: str | None
    usage: dict[str, Any]

    @property
    def text(self) -> str:
        return "".join(block.get("text", "") for block in self.content if block["type"] == "text")

    @property
    def calls(self) -> list[Block]:
        return [block for block in self.content if block["type"] == "tool_use"]


@dataclass
class Base(Tools, Context):
    """One run. The fields are the signature of ``run_agent_loop``."""

    client: Any
    messages: list[Turn]
    tools: list[Block]
    handlers: dict[str, Callable[..., Any]]
    model: str = "claude-sonnet-5-5"
    max_tokens: int = 4096
    system: Any = None
    max_iterations: int = 20
    max_total_tokens: int | None = None
    max_seconds: float | None = None
    max_cost: float | None = None
    check: Callable[..., str | None] | None = None
    tool_timeout: float | None = None
    context_tokens: int | None = None
    pinned: Any = ()
    max_result_chars: int | None = None
    tool_choice: Block | None = None
    subloops: dict[str, Any] | None = None
    stream: bool = False
    cancelled: Callable[[], bool] | None = None
    on_event: Any = None
    depth: int = 2

    PAUSES = 5
    """How often in a row a paused turn is taken up again."""
    ROUNDS = 2
    """How often a failed check goes back to the model."""
    NUDGES = 1
    """How often an empty answer is met with one more question."""
    CUTS = 2
    """How often a stream that was cut is asked for again."""
    PATIENCE = 3
    """The same call with the same result so often is going in a circle."""
    SHARE = 0.6
    """Share of ``context_tokens`` from which on older turns are told instead of sent."""
    KEEP = 2
    """Steps (an assistant turn and its results) that stay whole."""
    PRICES = (3.0, 15.0, 3.75, 0.3)
    """Dollars for a million tokens: input, output, cache written, cache read."""

    requests: int = field(default=0, init=False)
    usage: dict[str, int] = field(default_factory=dict, init=False)
    last: Answer | None = field(default=None, init=False)
    pauses: int = field(default=0, init=False)
    rounds: int = field(default=0, init=False)
    nudges: int = field(default=0, init=False)
    seen: dict[str, int] = field(default_factory=dict, init=False)
    cut: int = field(default=0, init=False)
    """``messages[1:cut]`` are told in a few lines and not sent any more."""

    def __post_init__(self) -> None:
        self.began = time.monotonic()
        self.asked_at = self.began
        self.messages = self.taken(self.messages)
        self.first = len(self.messages)

    @classmethod
    def as_function(cls) -> Callable[..., Any]:
        """Return the loop as a function of the full signature."""
        names = [each.name for each in fields(cls) if each.init and each.name != "depth"]

        def run_agent_loop(
            client, messages, tools, handlers, *,
            model="claude-sonnet-5-5", max_tokens=4096, system=None, max_iterations=20, max_total_tokens=None,
            max_seconds=None, max_cost=None, check=None, tool_timeout=None, context_tokens=None, pinned=(),
            max_result_chars=None, tool_choice=None, subloops=None, stream=False, cancelled=None,
            on_event=None,
        ):  # fmt: skip
            given = locals()
            return cls(**{name: given[name] for name in names}).run()

        run_agent_loop.made_of = cls
        return run_agent_loop

    # --- the loop --------------------------------------------------------------------------------------

    def run(self) -> Any:
        """Guard, ask, decide; until a decision is an end."""
        while True:
            self.guard()
            answer = self.ask()
            self.count(answer)
            ended = self.decide(answer)
            if ended is not None:
                return ended

    def guard(self) -> None:
        """Stop before the next request where a limit is reached or the caller has had enough."""
        self.look_whether_cancelled()
        for name, limit, spent in self.limits():
            if limit is not None and spent >= limit:
                self.out_of(name, limit, spent)

    def look_whether_cancelled(self) -> None:
        """Stop where the caller has had enough."""
        if self.cancelled is not None and self.cancelled():
            raise self.stopped(exits.Cancelled, "cancelled by the caller")

    def limits(self) -> list[tuple[str, Any, Any]]:
        """Return name, limit and what is spent of it, for each of the four budgets."""
        return [
            ("max_iterations", self.max_iterations, self.requests),
            ("max_total_tokens", self.max_total_tokens, self.tokens()),
            ("max_seconds", self.max_seconds, time.monotonic() - self.began),
            ("max_cost", self.max_cost, self.cost()),
        ]

    def out_of(self, name: str, limit: Any, spent: Any) -> None:
        """End by the name of the limit, with the work so far."""
        missing = "the model's final answer"
        why = f"budget exceeded: {name}={limit} is reached ({spent:g} spent); missing: {missing}"
        raise self.stopped(exits.BudgetExceeded, why, name=name, limit=limit, spent=spent, missing=missing)

    # --- asking ----------------------------------------------------------------------------------------

    def ask(self) -> Answer:
        """Send the conversation and return the answer; waiting and trying again is left to the SDK."""
        self.fit()
        self.requests += 1
        self.asked_at = time.monotonic()
        self.record("request", turns=len(self.view()))
        try:
            return self.received(self.send(self.body()))
        except anthropic.APIError as error:
            self.failed(error)
            return self.ask()

    def body(self) -> dict[str, Any]:
        """Return the parameters of the next request."""
        body: dict[str, Any] = {"model": self.model, "max_tokens": self.room(), "messages": self.view()}
        body |= {"system": self.instructions()} if self.instructions() else {}
        body |= {"tools": self.tools} if self.tools else {}
        choice = self.choice()
        return body | ({"tool_choice": choice} if choice else {})

    def room(self) -> int:
        """Return ``max_tokens`` of the next request."""
        return self.max_tokens

    def instructions(self) -> Any:
        """Return the system prompt, the pinned facts in it: so they are in every request."""
        facts = "\n".join(f"- {fact}" for fact in self.pinned or ())
        if not facts:
            return self.system
        added = f"Keep in mind at all times:\n{facts}"
        if isinstance(self.system, list):
            return [*self.system, {"type": "text", "text": added}]
        return f"{self.system}\n\n{added}" if self.system else added

    def choice(self) -> Block | None:
        """Return the ``tool_choice`` of the next request: the caller's goes with the first one only."""
        return self.tool_choice if self.requests == 1 else None

    def send(self, body: dict[str, Any]) -> Any:
        """Return the response to *body*, plain or put together from a stream."""
        return self.streamed(body) if self.stream else self.client.messages.create(**body)

    def streamed(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the streamed answer; one that is cut is thrown away as a whole and asked for again."""
        for attempt in range(self.CUTS + 1):
            assembly = self.assembly()
            try:
                for event in self.client.messages.create(**body, stream=True):
                    assembly.feed(event.to_dict(warnings=False))
            except anthropic.APIStatusError as error:
                # Before the stream begins, the SDK has tried again by itself; within it, nobody has.
                if error.status_code != 200 or not self.passes_by_itself(error):
                    raise
            if self.whole(assembly):
                return assembly.answer()
            self.record("stream_cut", attempt=attempt)
            self.pause(attempt)
        raise self.stopped(
            exits.StreamCut, f"the stream was cut off {self.CUTS + 1} times; nothing of it ran"
        )

    def assembly(self) -> Assembly:
        """Return what puts a stream together."""
        return Assembly()

    def whole(self, assembly: Assembly) -> bool:
        """True when a stream arrived to its end."""
        return assembly.whole()

    def passes_by_itself(self, error: anthropic.APIStatusError) -> bool:
        """True for an error within a stream that is gone a little later."""
        return any(kind in str(error) for kind in ("overloaded_error", "api_error", "rate_limit_error"))

    def pause(self, attempt: int) -> None:
        """Wait before a cut stream is asked for again."""
        time.sleep(0.5 * 2**attempt)

    def received(self, response: Any) -> Answer:
        """Return *response* as an answer."""
        plain = response if isinstance(response, dict) else response.to_dict(warnings=False)
        usage = plain.get("usage") or {}
        return Answer(response, plain.get("content") or [], plain.get("stop_reason"), usage)

    def failed(self, error: anthropic.APIError) -> None:
        """Come back where asking again makes sense: after a conversation that was too long got shorter."""
        too_long = getattr(error, "status_code", None) == 413 or "prompt is too long" in str(error)
        if too_long:
            self.record("too_long")
            if self.shorten():
                return self.guard()
            raise self.stopped(exits.ContextFull, f"the context is full: {error}") from error
        raise self.stopped(exits.ApiFailed, f"the API failed: {error}", error=error) from error

    # --- counting --------------------------------------------------------------------------------------

    def count(self, answer: Answer) -> None:
        """Add what *answer* used."""
        self.last = answer
        for name, amount in answer.usage.items():
            if isinstance(amount, int) and name.endswith("_tokens"):
                self.usage[name] = self.usage.get(name, 0) + amount
        self.record(
            "answer",
            stop_reason=answer.stop_reason,
            tools=[call["name"] for call in answer.calls],
            seconds=time.monotonic() - self.asked_at,
        )

    def amounts(self) -> list[int]:
        """Return input, output, cache written and cache read tokens so far."""
        names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return [self.usage.get(name, 0) for name in names]

    def tokens(self) -> int:
        """Return the tokens used so far."""
        return sum(self.amounts())

    def cost(self) -> float:
        """Return the dollars spent so far."""
        return sum(amount * price for amount, price in zip(self.amounts(), self.PRICES, strict=True)) / 1e6

    # --- deciding --------------------------------------------------------------------------------------

    def decide(self, answer: Answer) -> Any:
        """Go by the typed ``stop_reason``: None goes on, a value is what the run returns."""
        if answer.stop_reason != "pause_turn":
            self.pauses = 0
        match answer.stop_reason:
            case "tool_use" | "pause_turn" if answer.calls:
                return self.act(answer)
            case "end_turn" | "stop_sequence":
                return self.done(answer)
            case "max_tokens":
                return self.truncated(answer)
            case "pause_turn":
                return self.paused(answer)
            case "refusal":
                return self.refused(answer)
            case "model_context_window_exceeded":
                return self.window_exceeded(answer)
            case _:
                return self.unhandled(answer)

    def done(self, answer: Answer) -> Any:
        """The model has nothing to add: an empty answer is asked about, then a check decides."""
        if not answer.text.strip():
            return self.empty(answer)
        if self.check is not None:
            return self.checked(answer)
        return self.finish(answer)

    def finish(self, answer: Answer) -> Any:
        """Return the final response."""
        self.record("finished", stop_reason=answer.stop_reason, usage=dict(self.usage))
        return answer.response

    def empty(self, answer: Answer) -> None:
        """Ask once more, in a new user turn; then say that there is no answer."""
        if self.nudges >= self.NUDGES:
            raise self.stopped(exits.EmptyAnswer, "the model ended its turn with an empty answer")
        self.nudges += 1
        self.said(answer)
        self.tell("Your last answer was empty. Please give the result, or say what keeps you from it.")

    def checked(self, answer: Answer) -> Any:
        """Have the caller's check look; what it finds goes to the model, a bounded number of times."""
        assert self.check is not None
        problem = self.check(answer.text, copy.deepcopy(self.messages))
        self.record("check", problem=problem)
        if problem is None:
            return self.finish(answer)
        self.said(answer)
        if self.rounds >= self.ROUNDS:
            why = f"unverified: the check still fails after {self.rounds} more rounds: {problem}"
            raise self.stopped(exits.Unverified, why, problem=problem)
        self.rounds += 1
        self.tell(f"This is not done yet. A check found: {problem}\nPlease mend it.")
        return None

    def truncated(self, answer: Answer) -> Any:
        """Stop and say that the answer is cut; a call in it is not run."""
        self.kept_without_calls(answer)
        why = f"truncated: the answer was cut off at max_tokens={self.room()} and is incomplete"
        raise self.stopped(exits.Truncated, why)

    def paused(self, answer: Answer) -> None:
        """Send the paused turn back as it is, a bounded number of times."""
        if self.pauses >= self.PAUSES:
            raise self.stopped(exits.PausedTooOften, f"pause_turn: paused {self.pauses + 1} times in a row")
        self.pauses += 1
        self.said(answer)

    def refused(self, answer: Answer) -> Any:
        """Stop: the same request would be refused again."""
        self.kept_without_calls(answer)
        raise self.stopped(exits.Refused, f"refusal: the model refused to answer. {answer.text}".strip())

    def window_exceeded(self, answer: Answer) -> Any:
        """Stop: the context window is full, and the answer is cut."""
        self.kept_without_calls(answer)
        why = "model_context_window_exceeded: the context is full, the answer is incomplete"
        raise self.stopped(exits.ContextFull, why, stop_reason=answer.stop_reason)

    def unhandled(self, answer: Answer) -> Any:
        """Stop at what this loop has no answer to."""
        self.kept_without_calls(answer)
        why = f"unhandled stop_reason {answer.stop_reason!r}"
        raise self.stopped(exits.UnhandledStop, why, stop_reason=answer.stop_reason)

    def stopped(self, kind: type[exits.LoopStopped], why: str, **facts: Any) -> exits.LoopStopped:
        """Return the exception that ends the run, with all that was done; it is recorded, too."""
        self.record("stopped", why=why)
        text = self.last.text if self.last else ""
        return kind(why, messages=self.answered(self.messages), text=text, usage=dict(self.usage), **facts)

    def record(self, event: str, **facts: Any) -> None:
        """Hand one record of a transition to whoever wants it."""
        if self.on_event is None:
            return
        take = getattr(self.on_event, "append", self.on_event)
        take({"iteration": self.requests, "event": event, **facts})
