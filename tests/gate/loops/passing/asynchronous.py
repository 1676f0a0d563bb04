"""Coroutines on the asynchronous client; the calls of one answer run at the same time, each with a deadline.

Its policies: retries are the SDK's own; a stream that is cut is asked for again. A cut answer is asked for
again with more room, once; then the caller is told. A failing tool is told to the model. Comes back with a
dictionary whose ``status`` says how it ended, partial work in it. The size of the conversation is what the
API counted last, or an estimate where that is larger.

Every probe applies to it.
"""

from __future__ import annotations

import asyncio
import copy
import json
import re
import threading
import time
from typing import Any

import anthropic

PRICE = {
    "input_tokens": 3.0,
    "output_tokens": 15.0,
    "cache_creation_input_tokens": 3.75,
    "cache_read_input_tokens": 0.3,
}


class Stop(Exception):  # noqa: N818  # leaves the loop from wherever it is; never reaches the caller
    def __init__(self, status: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Purse:
    """What may be spent and what is, shared by a loop and the loops below it."""

    def __init__(self, steps: int, tokens: int | None, seconds: float | None, dollars: float | None) -> None:
        self.limits = {"steps": steps, "tokens": tokens, "seconds": seconds, "dollars": dollars}
        self.spent = {"steps": 0, **dict.fromkeys(PRICE, 0)}
        self.began = time.monotonic()

    def check(self) -> None:
        used = {
            "steps": self.spent["steps"],
            "tokens": sum(self.spent[name] for name in PRICE),
            "seconds": time.monotonic() - self.began,
            "dollars": sum(self.spent[name] * price for name, price in PRICE.items()) / 1e6,
        }
        for name, limit in self.limits.items():
            if limit is not None and used[name] >= limit:
                raise Stop("budget_exceeded", f"the limit of {limit} {name} is reached before the answer")

    def pay(self, usage: dict[str, Any]) -> None:
        for name in PRICE:
            self.spent[name] += usage.get(name) or 0


async def run_agent_loop(
    client: anthropic.AsyncAnthropic,
    messages: list[Any],
    tools: list[dict[str, Any]],
    handlers: dict[str, Any],
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
    stream: bool = False,
    cancelled: Any = None,
    on_event: Any = None,
) -> dict[str, Any]:
    """Run the agent; the dictionary holds ``status``, ``answer``, ``detail``, ``messages``, ``usage``."""
    agent = Agent(
        client,
        tools,
        handlers,
        Purse(max_iterations, max_total_tokens, max_seconds, max_cost),
        model=model,
        max_tokens=max_tokens,
        system=system,
        check=check,
        tool_timeout=tool_timeout,
        context_tokens=context_tokens,
        pinned=list(pinned),
        max_result_chars=max_result_chars,
        tool_choice=tool_choice,
        subloops=subloops or {},
        stream=stream,
        cancelled=cancelled or (lambda: False),
        emit=on_event.append if isinstance(on_event, list) else on_event or (lambda record: None),
    )
    return await agent.run(messages)


class Agent:
    """One loop."""

    def __init__(self, client: Any, tools: Any, handlers: Any, purse: Purse, **settings: Any) -> None:
        self.client, self.tools, self.handlers, self.purse = client, tools, handlers, purse
        self.settings = settings
        self.__dict__.update(settings)
        self.level = settings.get("level", 0)
        self.history: list[dict[str, Any]] = []
        self.answer = ""
        self.known: dict[str, int] = {}
        self.keep_from = 0
        self.counted = 0
        self.asked = 0
        self.room = self.max_tokens

    def log(self, what: str, **facts: Any) -> None:
        self.emit({"iteration": self.purse.spent["steps"], "what": what, **facts})

    async def run(self, messages: Any) -> dict[str, Any]:
        self.history = resumed(messages)
        self.opening = len(self.history)
        status, detail = "done", ""
        try:
            await self.converse()
        except Stop as stop:
            status, detail = stop.status, str(stop)
        except anthropic.APIError as error:
            status, detail = "api_error", f"{type(error).__name__}: {error}"
        self.log("end", status=status, detail=detail)
        usage = dict(self.purse.spent)
        return {
            "status": status,
            "answer": self.answer,
            "detail": detail,
            "messages": self.history,
            "usage": usage,
        }

    async def converse(self) -> None:
        """Take turns until the work is done; every other end is a Stop."""
        pauses = nudges = refusals = 0
        while True:
            message = await self.ask()
            content = [block for block in message["content"] if not is_blank(block)]
            calls = [block for block in content if block["type"] == "tool_use"]
            text = "".join(block["text"] for block in content if block["type"] == "text")
            self.answer = text or self.answer
            signal = message["stop_reason"]
            pauses = pauses + 1 if signal == "pause_turn" and not calls else 0
            if calls and signal in ("tool_use", "pause_turn"):
                await self.use_tools(content, calls)
            elif signal == "pause_turn" and pauses <= 5:
                self.add("assistant", content)
            elif signal == "pause_turn":
                self.add("assistant", content)
                raise Stop("paused_too_often", f"pause_turn {pauses} times without an end")
            elif signal in ("end_turn", "stop_sequence"):
                self.add("assistant", [block for block in content if block["type"] != "tool_use"])
                problem = await self.verdict(text)
                if problem is None:
                    return
                # An empty answer and a wrong one are different things, so each has a bound of its own.
                nudges, refusals = nudges + (not text.strip()), refusals + bool(text.strip())
                if nudges > 1:
                    raise Stop("empty_answer", "the model ended its turn without an answer")
                if refusals > 2:
                    raise Stop("unverified", problem)
                self.add("user", problem)
            elif signal == "max_tokens" and self.room == self.max_tokens and self.max_tokens <= 10_000:
                self.room = self.max_tokens * 2
                self.log("truncated", max_tokens=self.max_tokens, retry_with=self.room)
            else:
                self.add("assistant", [block for block in content if block["type"] != "tool_use"])
                raise Stop(*end_for(signal, self.room))

    async def verdict(self, text: str) -> str | None:
        """Return what is wrong with the answer, as words for the model; None where nothing is."""
        if not text.strip():
            return "I did not get an answer from you. Please write it down."
        if self.check is None:
            return None
        problem = self.check(text, copy.deepcopy(self.history))
        self.log("check", problem=problem)
        return None if problem is None else f"That is not right yet: {problem}"

    def add(self, role: str, content: Any) -> None:
        if content:
            self.history.append({"role": role, "content": content})

    # --- the model -------------------------------------------------------------------------------------

    async def ask(self) -> dict[str, Any]:
        if self.cancelled():
            raise Stop("cancelled", "the caller cancelled the run")
        self.purse.check()
        self.make_room()
        try:
            return await self.asked_once()
        except anthropic.BadRequestError as error:
            if "prompt is too long" not in str(error):
                raise
            if not self.forget():
                raise Stop("context_full", f"the context is full: {error}") from error
            return await self.ask()

    async def asked_once(self) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, "max_tokens": self.room, "messages": self.shown()}
        if self.system:
            body["system"] = self.system
        if self.tools:
            body["tools"] = self.tools
        if self.tool_choice and not self.asked:
            body["tool_choice"] = self.tool_choice
        self.asked += 1
        self.purse.spent["steps"] += 1
        began = time.monotonic()
        if self.stream:
            message = await self.streamed(body)
        else:
            message = (await self.client.messages.create(**body)).to_dict(warnings=False)
        usage = message.get("usage") or {}
        self.purse.pay(usage)
        self.counted = sum(usage.get(name) or 0 for name in PRICE)
        self.log("answer", stop_reason=message["stop_reason"], seconds=time.monotonic() - began)
        return message

    async def streamed(self, body: dict[str, Any]) -> dict[str, Any]:
        for pause in (1, 3, None):
            try:
                async with self.client.messages.stream(**body) as stream:
                    whole = False
                    async for event in stream:
                        whole = whole or event.type == "message_stop"
                    if whole:
                        return (await stream.get_final_message()).to_dict(warnings=False)
            except anthropic.APIStatusError as error:
                if error.status_code != 200 or "invalid_request" in str(error):
                    raise
            self.log("stream_cut", retry=pause is not None)
            if pause is not None:
                await asyncio.sleep(pause)
        raise Stop("incomplete", "the stream was cut off again and again; nothing of it was used")

    # --- tools -----------------------------------------------------------------------------------------

    async def use_tools(self, content: list[Any], calls: list[Any]) -> None:
        results = await asyncio.gather(*(self.use(call) for call in calls if not self.is_loop(call)))
        for result in results:
            if isinstance(result, BaseException):
                raise result
        answers = {result["tool_use_id"]: result for result in results}
        for call in filter(self.is_loop, calls):
            answers[call["id"]] = await self.delegate(call)
        ordered = [answers[call["id"]] for call in calls]
        stuck = self.remember(calls, ordered)
        self.add("assistant", content)
        self.add("user", ordered)
        if stuck:
            raise Stop("no_progress", f"stuck: {stuck} was called again and again with the same result")

    def is_loop(self, call: dict[str, Any]) -> bool:
        return call["name"] in self.subloops

    async def use(self, call: dict[str, Any]) -> Any:
        """Return the result of *call*, or what is no message to the model (Ctrl-C), for the loop to raise."""
        name = call["name"]
        if name not in self.handlers:
            names = [tool["name"] for tool in self.tools if "name" in tool]
            return answer_to(call, f"unknown tool {name!r}. Known: {', '.join(names)}. Pick one.", True)
        began = time.monotonic()
        work = in_thread(self.handlers[name], call["input"])
        try:
            value, error = await self.while_wanted(work)
            if error is not None and not isinstance(error, Exception):
                return error
            if error is not None:
                result = answer_to(call, self.fitting(lesson(call, error)), True)
            else:
                result = answer_to(call, self.fitting(text_or_blocks(value)))
        except TimeoutError:
            problem = f"{name} timed out after {self.tool_timeout} s; it may still be at work. Check that."
            result = answer_to(call, problem, True)
        except asyncio.CancelledError:
            result = answer_to(call, f"{name} was given up: the run is cancelled.", True)
        seconds = time.monotonic() - began
        self.log("tool", tool=name, seconds=seconds, failed=result.get("is_error", False))
        return result

    async def while_wanted(self, work: asyncio.Future[Any]) -> Any:
        """Return what *work* comes to: within the deadline, and while nobody has cancelled the run."""
        waited, beat = 0.0, 0.02
        while True:
            done, _ = await asyncio.wait({work}, timeout=beat)
            waited += beat
            if done:
                return work.result()
            if self.tool_timeout is not None and waited >= self.tool_timeout:
                raise TimeoutError
            if self.cancelled():
                raise asyncio.CancelledError

    async def delegate(self, call: dict[str, Any]) -> dict[str, Any]:
        if self.level >= 2:
            return answer_to(call, "No further helpers at this depth. Do it yourself.", True)
        plan = self.subloops[call["name"]]
        steps = self.purse.spent["steps"] + plan.get("max_iterations", 10)
        purse = copy.copy(self.purse)  # The same account, with a nearer limit.
        purse.limits = {**self.purse.limits, "steps": min(steps, self.purse.limits["steps"])}
        settings = {**self.settings, "check": None, "tool_choice": None, "level": self.level + 1}
        helper = Agent(self.client, plan["tools"], self.handlers, purse, **settings)
        report = await helper.run([{"role": "user", "content": str(call["input"].get("task", ""))}])
        told = {name: report[name] for name in ("status", "answer", "detail")}
        failed = report["status"] != "done"
        return answer_to(call, self.fitting(json.dumps(told, ensure_ascii=False)), failed)

    def fitting(self, content: Any) -> Any:
        text = content if isinstance(content, str) else "\n".join(b.get("text", "") for b in content)
        if self.max_result_chars is None or len(text) <= self.max_result_chars:
            return content
        notice = f"\n(only a part of {len(text)} characters; the rest is omitted)"
        return text[: max(0, self.max_result_chars - len(notice))] + notice

    def remember(self, calls: list[Any], results: list[Any]) -> str:
        marks = [
            json.dumps([call["name"], call["input"], result["content"]], sort_keys=True)
            for call, result in zip(calls, results, strict=True)
        ]
        if any(mark not in self.known for mark in marks):
            self.known = dict.fromkeys(self.known, 1)
        for mark in dict.fromkeys(marks):
            self.known[mark] = self.known.get(mark, 0) + 1
        stuck = ""
        for mark, call, result in zip(marks, calls, results, strict=True):
            if self.known[mark] == 2 and isinstance(result["content"], str):
                result["content"] += "\n[second time with the same result: this leads nowhere]"
            elif self.known[mark] == 2:
                result["content"].append({"type": "text", "text": "[second time with the same result]"})
            if self.known[mark] >= 3:
                stuck = f"{call['name']}({json.dumps(call['input'])})"
        return stuck

    # --- the conversation ------------------------------------------------------------------------------

    def shown(self) -> list[dict[str, Any]]:
        first, *rest = copy.deepcopy(self.history)
        notes = ["Facts to keep in mind: " + "; ".join(self.pinned)] if self.pinned else []
        if self.keep_from:
            notes.append(outline(self.history[self.opening : self.keep_from]))
            rest = copy.deepcopy([*self.history[1 : self.opening], *self.history[self.keep_from :]])
        if notes:
            content = first["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            first["content"] = [*blocks, *({"type": "text", "text": note} for note in notes)]
        return [first, *rest]

    def size(self) -> int:
        return len(json.dumps([self.shown(), self.tools, self.system])) // 4

    def make_room(self) -> None:
        if self.context_tokens is None:
            return
        if max(self.size(), self.counted) > 0.6 * self.context_tokens:
            self.forget()
        if self.size() > self.context_tokens:
            raise Stop("context_full", f"the conversation has grown over {self.context_tokens} tokens")

    def forget(self) -> bool:
        """Show only the last step whole; False where that is no help any more."""
        before, was = self.size(), self.keep_from
        places = [
            n
            for n in range(self.opening, len(self.history))
            if self.history[n]["role"] == "assistant" and self.history[n - 1]["role"] == "user"
        ]
        self.keep_from = max([was, *places[-1:]])
        if self.size() >= before:
            self.keep_from = was
            return False
        self.counted = 0
        self.log("compacted", before=before, after=self.size(), dropped=self.keep_from - self.opening)
        return True


def end_for(signal: str | None, room: int) -> tuple[str, str]:
    """Return status and detail of an answer that nothing more is done with."""
    known = {
        "max_tokens": ("truncated", f"the answer is incomplete: cut at {room} tokens"),
        "refusal": ("refused", "the model refused (refusal)"),
        "model_context_window_exceeded": ("context_full", "model_context_window_exceeded: the answer is cut"),
    }
    return known.get(str(signal), ("unhandled", f"no rule for stop_reason {signal!r}"))


def in_thread(handler: Any, given: dict[str, Any]) -> asyncio.Future[Any]:
    """Run *handler* in a daemon thread, since one that hangs must not keep the process from ending.

    The future's result is the value and the error, one of them None.
    """
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def settle(outcome: tuple[Any, BaseException | None]) -> None:
        if not future.done():
            future.set_result(outcome)

    def work() -> None:
        try:
            outcome = (handler(**given), None)
        except BaseException as error:
            outcome = (None, error)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, outcome)

    threading.Thread(target=work, daemon=True).start()
    return future


def lesson(call: dict[str, Any], error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()] or ["(no message)"]
    cause = lines[-1] if "Traceback" in lines[0] else "\n".join(lines)
    cause = re.sub(r"\S*(?:sk-|key=|token=|password=)\S+", "<secret>", cause)
    return (
        f"{call['name']} could not do that: {type(error).__name__}: {cause}\nYou asked with "
        f"{json.dumps(call['input'])}. Look at what exists first, or correct the input."
    )


def answer_to(call: dict[str, Any], content: Any, failed: bool = False) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": content}
    return {**result, "is_error": True} if failed else result


def text_or_blocks(value: Any) -> Any:
    if isinstance(value, list) and value and all(isinstance(b, dict) and "type" in b for b in value):
        return [block for block in value if not is_blank(block)] or "(nothing)"
    if value is None or value == "":
        return "(nothing)"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def is_blank(block: Any) -> bool:
    return block["type"] == "text" and not block["text"].strip()


def outline(turns: list[dict[str, Any]]) -> str:
    lines = ["What happened so far, in short:"]
    for turn in turns:
        content = turn["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "tool_use":
                lines.append(f"{block['name']}({json.dumps(block['input'])})")
            elif block["type"] == "tool_result":
                lines.append(f"  {str(block['content'])[:140]}")
            elif block["type"] == "text":
                lines.append(f"{turn['role']}: {block['text'][:140]}")
    return "\n".join(lines)


def resumed(messages: Any) -> list[dict[str, Any]]:
    """Copy the caller's messages; what an interrupted run left unanswered is answered as that."""
    turns: list[dict[str, Any]] = []
    waiting: list[dict[str, Any]] = []
    for message in [*messages, {"role": None, "content": []}]:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        blocks = [block if isinstance(block, dict) else block.to_dict(warnings=False) for block in blocks]
        blocks = copy.deepcopy([block for block in blocks if not is_blank(block)])
        given = {block.get("tool_use_id") for block in blocks}
        open_calls = [call for call in waiting if call["id"] not in given]
        text = "Interrupted: no result. The call may have had its effect, so look before repeating it."
        late = [answer_to(call, text, True) for call in open_calls]
        if message["role"] == "user":
            blocks = [*late, *blocks]
        elif late:
            turns.append({"role": "user", "content": late})
        if blocks:
            turns.append({"role": message["role"], "content": blocks})
        waiting = [b for b in blocks if b["type"] == "tool_use"] if message["role"] == "assistant" else []
    if turns and turns[-1]["role"] == "assistant" and turns[-1]["content"][-1]["type"] == "text":
        turns.append({"role": "user", "content": "Please continue."})
    return turns
