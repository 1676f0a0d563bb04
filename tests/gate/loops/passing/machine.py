"""A class with phases: each phase is a method that returns the next one, and ``match`` says which it is.

Its policies: the SDK retries, five times. After a cut answer the model is asked once for a shorter one; then
the run ends and says so. An exception of a handler, and a handler that is late, end the run as they are: they
propagate. Only what the model itself got wrong, a tool or arguments that do not exist, is told to it. Ends
that are not good are exceptions, and messages and usage go with them.

Of the probes about tools that fail, those that look at the request after a failure have nothing to look at:
here is none.
"""

import copy
import enum
import inspect
import json
import threading
import time
from dataclasses import dataclass, field

import anthropic

from tests.gate.loops.parts.machine_blocks import (
    as_blocks,
    as_content,
    as_dict,
    close_open_calls,
    not_run,
    without_calls,
)
from tests.gate.loops.parts.machine_exits import (
    ApiUnavailable,
    BudgetExceeded,
    Cancelled,
    ContextExhausted,
    EmptyAnswer,
    GoingInCircles,
    OutputTruncated,
    PauseLimit,
    Refusal,
    RunEnded,
    StreamInterrupted,
    ToolTimeout,
    UnknownSignal,
    VerificationFailed,
)


class Phase(enum.Enum):
    ASK = "ask"
    JUDGE = "judge"
    WORK = "work"
    VERIFY = "verify"
    SHORTEN = "shorten"
    DONE = "done"


@dataclass
class Machine:
    """One run."""

    client: object
    messages: list
    tools: list
    handlers: dict
    model: str
    max_tokens: int
    system: object
    max_iterations: int
    max_total_tokens: int | None
    max_seconds: float | None
    max_cost: float | None
    check: object
    tool_timeout: float | None
    context_tokens: int | None
    pinned: tuple
    max_result_chars: int | None
    tool_choice: dict | None
    subloops: dict
    stream: bool
    cancelled: object
    on_event: object
    parents: int = 0

    phase: Phase = Phase.ASK
    usage: dict = field(default_factory=dict)
    requests: int = 0
    text: str = ""
    answer: object = None
    problem: str | None = None
    counters: dict = field(default_factory=lambda: {"paused": 0, "cut": 0, "empty": 0, "rejected": 0})
    calls_seen: dict = field(default_factory=dict)
    folded: int = 0

    def __post_init__(self):
        self.patient = self.client.with_options(max_retries=5)
        self.history = [as_dict(message) for message in self.messages]
        self.history = close_open_calls(self.history)
        self.start = len(self.history)
        self.began = time.monotonic()

    def run(self):
        while self.phase is not Phase.DONE:
            was = self.phase
            match was:
                case Phase.ASK:
                    self.phase = self.ask()
                case Phase.JUDGE:
                    self.phase = self.judge()
                case Phase.WORK:
                    self.phase = self.work()
                case Phase.VERIFY:
                    self.phase = self.verify()
                case Phase.SHORTEN:
                    self.phase = self.shorten()
            self.log(phase=was.value, next=self.phase.value)
        self.log(phase="done", usage=dict(self.usage))
        return self.answer

    def log(self, **facts):
        if self.on_event is not None:
            record = {"iteration": self.requests, "at": time.monotonic() - self.began, **facts}
            if callable(self.on_event):
                self.on_event(record)
            else:
                self.on_event.append(record)

    def end(self, kind, message, **facts):
        self.log(phase=self.phase.value, next="ended", why=message)
        return kind(message, self, **facts)

    # --- phases ----------------------------------------------------------------------------------------

    def ask(self):
        self.stay_within_budget()
        if self.context_tokens is not None and self.weight() > self.context_tokens * 0.6:
            if self.fold():
                return Phase.ASK
            if self.weight() > self.context_tokens:
                raise self.end(ContextExhausted, f"context full: about {self.weight()} tokens")
        request = {"model": self.model, "max_tokens": self.max_tokens, "messages": self.visible()}
        if self.system is not None:
            request["system"] = self.system
        if self.tools:
            request["tools"] = self.tools
        if self.tool_choice is not None and self.requests == 0:
            request["tool_choice"] = self.tool_choice
        self.requests += 1
        began = time.monotonic()
        try:
            self.answer = self.streamed(request) if self.stream else self.patient.messages.create(**request)
        except anthropic.APIStatusError as error:
            if error.status_code == 413 or "prompt is too long" in error.message:
                return Phase.SHORTEN
            raise self.end(ApiUnavailable, f"the API answered with an error: {error}") from error
        except anthropic.APIConnectionError as error:
            raise self.end(ApiUnavailable, f"no connection: {error}") from error
        for name, amount in self.answer.usage.to_dict(warnings=False).items():
            if isinstance(amount, int):
                self.usage[name] = self.usage.get(name, 0) + amount
        signal, seconds = self.answer.stop_reason, time.monotonic() - began
        tools = [block.name for block in self.answer.content if block.type == "tool_use"]
        self.log(phase="ask", signal=signal, tools=tools, seconds=seconds)
        return Phase.JUDGE

    def judge(self):
        blocks = [block.to_dict(warnings=False) for block in self.answer.content]
        blocks = [block for block in blocks if block["type"] != "text" or block["text"].strip()]
        calls = [block for block in blocks if block["type"] == "tool_use"]
        words = "".join(block["text"] for block in blocks if block["type"] == "text")
        self.text = words or self.text
        match self.answer.stop_reason:
            case "tool_use" | "pause_turn" if calls:
                self.say("assistant", blocks)
                return Phase.WORK
            case "pause_turn":
                return self.resume(blocks)
            case "end_turn" | "stop_sequence":
                self.say("assistant", without_calls(blocks))
                return Phase.VERIFY if words.strip() else self.ask_for_words()
            case "max_tokens":
                return self.ask_for_less(blocks)
            case "refusal":
                self.say("assistant", without_calls(blocks))
                raise self.end(Refusal, "the model refused: stop_reason refusal")
            case "model_context_window_exceeded":
                self.say("assistant", without_calls(blocks))
                raise self.end(ContextExhausted, "incomplete: model_context_window_exceeded")
            case other:
                raise self.end(UnknownSignal, f"unknown stop_reason {other!r}", stop_reason=other)

    def work(self):
        results = []
        calls = [block for block in self.history[-1]["content"] if block["type"] == "tool_use"]
        for call in calls:
            if self.cancelled is not None and self.cancelled():
                self.close(calls, results, "the run was cancelled")
                raise self.end(Cancelled, "cancelled while tools were running")
            began = time.monotonic()
            try:
                content, bad = self.use(call)
            except BaseException:
                # The failure goes to the caller; the transcript that it leaves behind is lawful all the same.
                self.close(calls, results, f"{call['name']} failed and ended the run")
                raise
            self.log(phase="work", tool=call["name"], seconds=time.monotonic() - began)
            result = {"type": "tool_result", "tool_use_id": call["id"], "content": self.cut_down(content)}
            results.append(result | {"is_error": True} if bad else result)
        repeated = self.remember(calls, results)
        self.say("user", results)
        if repeated:
            raise self.end(GoingInCircles, f"no progress: {repeated} again and again, with the same result")
        self.counters["paused"] = 0
        return Phase.ASK

    def verify(self):
        self.counters["paused"] = 0
        self.problem = self.check(self.text, copy.deepcopy(self.history)) if self.check else None
        if self.problem is None:
            return Phase.DONE
        if self.counters["rejected"] >= 2:
            raise self.end(VerificationFailed, f"unverified, the check says: {self.problem}")
        self.counters["rejected"] += 1
        self.say("user", f"The result was checked, and there is a problem: {self.problem} Correct it.")
        return Phase.ASK

    def shorten(self):
        if self.fold():
            return Phase.ASK
        raise self.end(ContextExhausted, "the prompt is too long and cannot be made shorter: context full")

    # --- small steps -----------------------------------------------------------------------------------

    def say(self, role, content):
        if content:
            self.history.append({"role": role, "content": content})

    def resume(self, blocks):
        self.counters["paused"] += 1
        if self.counters["paused"] > 6:
            raise self.end(PauseLimit, "pause_turn seven times in a row")
        self.say("assistant", blocks)
        return Phase.ASK

    def ask_for_words(self):
        if self.counters["empty"] >= 1:
            raise self.end(EmptyAnswer, "the model's answer is empty")
        self.counters["empty"] += 1
        self.say("user", "There was no text in your last turn. Please sum up the result.")
        return Phase.ASK

    def ask_for_less(self, blocks):
        if self.counters["cut"] >= 1:
            self.say("assistant", without_calls(blocks))
            raise self.end(OutputTruncated, f"truncated: cut off at {self.max_tokens} tokens")
        self.counters["cut"] += 1
        # What was cut is left out: it would be half a thought in front of a whole one.
        self.say("user", "Your last answer was cut off and is dropped. Please make it shorter.")
        return Phase.ASK

    def stay_within_budget(self):
        if self.cancelled is not None and self.cancelled():
            raise self.end(Cancelled, "cancelled by the caller")
        for name, limit, used in self.meters():
            if limit is not None and used >= limit:
                raise self.end(
                    BudgetExceeded, f"budget {name} exceeded: limit {limit}, used {used}", limit=limit
                )

    def meters(self):
        names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        amounts = [self.usage.get(name, 0) for name in names]
        dollars = sum(n * rate for n, rate in zip(amounts, (3, 15, 3.75, 0.3), strict=True)) / 1_000_000
        return (
            ("max_iterations", self.max_iterations, self.requests),
            ("max_total_tokens", self.max_total_tokens, sum(amounts)),
            ("max_seconds", self.max_seconds, time.monotonic() - self.began),
            ("max_cost", self.max_cost, dollars),
        )

    def streamed(self, request):
        for attempt in range(3):
            whole = False
            try:
                with self.patient.messages.stream(**request) as stream:
                    for event in stream:
                        whole = whole or event.type == "message_stop"
                    if whole:
                        return stream.get_final_message()
            except anthropic.APIStatusError as error:
                if error.status_code != 200:
                    raise
            self.log(phase="ask", stream="cut", attempt=attempt)
            time.sleep(2**attempt)
        raise self.end(StreamInterrupted, "the stream broke off three times; its parts were thrown away")

    # --- tools -----------------------------------------------------------------------------------------

    def use(self, call):
        """Return content, and whether it is an error of the model's."""
        name, given = call["name"], call["input"]
        if name in self.subloops:
            return self.delegate(call)
        if name not in self.handlers:
            known = ", ".join(tool["name"] for tool in self.tools)
            return f"There is no tool {name!r} here. There are: {known}. Use one of these instead.", True
        handler = self.handlers[name]
        try:
            inspect.signature(handler).bind(**given)
        except TypeError as error:
            return f"{name} cannot be called like that: {error}. Correct the arguments.", True
        except ValueError:
            pass
        return as_content(self.on_time(name, lambda: handler(**given))), False

    def on_time(self, name, work):
        if self.tool_timeout is None and self.cancelled is None:
            return work()
        outcome = []

        def target():
            try:
                outcome.append((work(), None))
            except BaseException as error:
                outcome.append((None, error))

        thread = threading.Thread(target=target, daemon=True)
        thread.start()
        ticks = 0
        while thread.is_alive():
            thread.join(0.01)
            ticks += 1
            if self.tool_timeout is not None and ticks * 0.01 > self.tool_timeout and thread.is_alive():
                raise self.end(ToolTimeout, f"{name} timed out after {self.tool_timeout} s")
            if self.cancelled is not None and thread.is_alive() and self.cancelled():
                raise self.end(Cancelled, f"cancelled while {name} was running")
        value, error = outcome[0]
        if error is not None:
            raise error
        return value

    def close(self, calls, results, why):
        done = {result["tool_use_id"] for result in results}
        left = [not_run(call, why) for call in calls if call["id"] not in done]
        self.say("user", [*results, *left])

    def delegate(self, call):
        if self.parents >= 2:
            return "Not possible: three loops deep already. Do this part yourself.", True
        plan = self.subloops[call["name"]]
        left = {name: None if limit is None else limit - used for name, limit, used in self.meters()}
        left["max_iterations"] = min(left["max_iterations"], plan.get("max_iterations", 10))
        child = Machine(
            self.client, [{"role": "user", "content": call["input"].get("task", "")}], plan["tools"],
            self.handlers, self.model, self.max_tokens, self.system, left["max_iterations"],
            left["max_total_tokens"], left["max_seconds"], left["max_cost"], None, self.tool_timeout,
            self.context_tokens, self.pinned, self.max_result_chars, None, self.subloops, self.stream,
            self.cancelled, self.on_event, self.parents + 1,
        )  # fmt: skip
        try:
            child.run()
        except (Cancelled, ApiUnavailable):
            raise
        except RunEnded as ended:
            return f"The helper did not finish ({ended}). So far: {child.text or 'nothing'}", True
        finally:
            self.requests += child.requests
            for name, amount in child.usage.items():
                self.usage[name] = self.usage.get(name, 0) + amount
        return child.text, False

    def cut_down(self, content):
        text = content if isinstance(content, str) else "\n".join(b.get("text", "") for b in content)
        if self.max_result_chars is None or len(text) <= self.max_result_chars:
            return content
        notice = f"\n... (cut off here; the whole has {len(text)} characters)"
        return text[: max(0, self.max_result_chars - len(notice))] + notice

    def remember(self, calls, results):
        """Note what was called; tell the model of its first repetition, and return the call at the second."""
        marks = [
            json.dumps([call["name"], call["input"], result["content"]], sort_keys=True)
            for call, result in zip(calls, results, strict=True)
        ]
        if set(marks) - set(self.calls_seen):
            self.calls_seen = dict.fromkeys(self.calls_seen, 1)
        for mark in set(marks):
            self.calls_seen[mark] = self.calls_seen.get(mark, 0) + 1
        for mark, call, result in zip(marks, calls, results, strict=True):
            if self.calls_seen[mark] > 2:
                return f"{call['name']}({json.dumps(call['input'])})"
            if self.calls_seen[mark] == 2:
                note = "Already done before, with this same result. Do something else."
                text = [{"type": "text", "text": note}]
                content = result["content"]
                result["content"] = f"{content}\n\n{note}" if isinstance(content, str) else [*content, *text]
        return None

    # --- the context -----------------------------------------------------------------------------------

    def visible(self):
        first = copy.deepcopy(self.history[0])
        notes = [f"Always remember: {fact}" for fact in self.pinned]
        if self.folded:
            notes.append(self.minutes())
        if notes:
            extra = [{"type": "text", "text": note} for note in notes]
            first["content"] = [*as_blocks(first["content"]), *extra]
        middle = self.history[1 : self.start] if self.folded else []
        return [first, *copy.deepcopy([*middle, *self.history[self.folded or 1 :]])]

    def minutes(self):
        lines = ["Minutes of the earlier part of this conversation:"]
        for turn in self.history[self.start : self.folded]:
            for block in as_blocks(turn["content"]):
                match block:
                    case {"type": "text", "text": text}:
                        lines.append(f"- {turn['role']}: {text[:120]}")
                    case {"type": "tool_use", "name": name, "input": given}:
                        lines.append(f"- {name} {json.dumps(given)}")
                    case {"type": "tool_result", "content": content}:
                        lines.append(f"    gave {str(content)[:120]}")
        return "\n".join(lines)

    def weight(self):
        return len(json.dumps([self.visible(), self.tools, self.system])) // 4

    def fold(self):
        """Fold the older half of our own steps into minutes; False where that does not make it smaller."""
        before, was = self.weight(), self.folded
        steps = [
            n for n in range(self.start, len(self.history))
            if n > was and self.history[n]["role"] == "assistant" and self.history[n - 1]["role"] == "user"
        ]  # fmt: skip
        if not steps:
            return False
        self.folded = steps[len(steps) // 2]
        if self.weight() >= before and self.folded != steps[-1]:
            self.folded = steps[-1]
        if self.weight() >= before:
            self.folded = was
            return False
        self.log(phase="fold", dropped=self.folded - self.start, before=before, after=self.weight())
        return True


def run_agent_loop(
    client,
    messages,
    tools,
    handlers,
    *,
    model="claude-sonnet-5-5",
    max_tokens=4096,
    system=None,
    max_iterations=20,
    max_total_tokens=None,
    max_seconds=None,
    max_cost=None,
    check=None,
    tool_timeout=None,
    context_tokens=None,
    pinned=(),
    max_result_chars=None,
    tool_choice=None,
    subloops=None,
    stream=False,
    cancelled=None,
    on_event=None,
):
    """Run the machine to its end and return the model's last message."""
    return Machine(
        client, messages, tools, handlers, model, max_tokens, system, max_iterations, max_total_tokens,
        max_seconds, max_cost, check, tool_timeout, context_tokens, pinned, max_result_chars, tool_choice,
        subloops or {}, stream, cancelled, on_event,
    ).run()  # fmt: skip
