"""The calls of the base loop: each is run once and answered once, all in one user turn."""

from __future__ import annotations

import difflib
import inspect
import json
import re
import threading
import time
from typing import TYPE_CHECKING, Any

from tests.gate.loops import exits

if TYPE_CHECKING:
    from tests.gate.loops.base import Answer

Block = dict[str, Any]

SECRET = re.compile(
    r"\bsk-[\w-]{6,}|(?i:\b(?:bearer|password|passwd|secret|token|api[_-]?key)\b\s*[=: ]\s*)\S+"
)


class ToolProblem(Exception):  # noqa: N818  # named for what it tells
    """A call that failed, in words for the model."""


SHARED = (
    *("model", "max_tokens", "system", "tool_timeout", "context_tokens", "pinned", "max_result_chars"),
    *("subloops", "stream", "cancelled", "on_event"),
)
"""What a sub-loop has in common with the loop above it."""


class Tools:
    """Methods about the calls of one answer; a part of ``Base``."""

    def act(self, answer: Answer) -> None:
        """Run every call of *answer* and append the turn and its results."""
        self.said(answer)
        results = self.run_calls(answer.calls)
        self.append_results(results)
        self.watch(answer.calls, results)

    def run_calls(self, calls: list[Block]) -> list[Block]:
        """Return one result for each call, in their order."""
        results: list[Block] = []
        for call in calls:
            if self.cancelled is not None and self.cancelled():
                self.append_results([*results, *map(self.placeholder, calls[len(results) :])])
                self.look_whether_cancelled()
            results.append(self.run_one(call))
        return results

    def run_one(self, call: Block) -> Block:
        """Return the result of *call*, whatever comes of it."""
        began = time.monotonic()
        try:
            result = self.result(call, self.shortened(self.content_of(self.dispatch(call))))
        except Exception as error:
            result = self.error_result(call, error)
        failed = result.get("is_error", False)
        self.record("tool", tool=call["name"], seconds=time.monotonic() - began, is_error=failed)
        return result

    def dispatch(self, call: Block) -> Any:
        """Return what the handler, or the sub-loop, of *call* says. Raises ToolProblem, or what it raises."""
        if self.subloops and call["name"] in self.subloops:
            return self.sub_loop(call, self.subloops[call["name"]])
        handler = self.handlers.get(call["name"])
        if handler is None:
            raise self.unknown_tool(call["name"])
        if self.tool_timeout is None and self.cancelled is None:
            return self.call(handler, call)
        return self.call_with_deadline(handler, call)

    def call(self, handler: Any, call: Block) -> Any:
        """Call *handler* with the model's input, where it fits."""
        try:
            inspect.signature(handler).bind(**call["input"])
        except ValueError:
            pass  # Some callables of C have no signature to look at.
        except TypeError as error:
            raise ToolProblem(f"{call['name']} was not run: {error}. {self.usage_of(call['name'])}") from None
        return handler(**call["input"])

    def call_with_deadline(self, handler: Any, call: Block) -> Any:
        """Call *handler* in a thread of its own, and do not wait for ever."""
        outcome: dict[str, Any] = {}
        ready = threading.Event()

        def work() -> None:
            try:
                outcome["value"] = self.call(handler, call)
            except BaseException as error:
                outcome["error"] = error
            ready.set()

        began = time.monotonic()
        threading.Thread(target=work, daemon=True).start()
        while not ready.wait(0.01):
            if self.tool_timeout is not None and time.monotonic() - began > self.tool_timeout:
                break
            if self.cancelled is not None and self.cancelled():
                break
        return self.in_time(call, outcome, time.monotonic() - began)

    def in_time(self, call: Block, outcome: dict[str, Any], seconds: float) -> Any:
        """Return or raise the *outcome* of a call; one that is not there, or too late, is a problem."""
        late = self.tool_timeout is not None and seconds > self.tool_timeout
        if not outcome or late:
            limit = f"its deadline of {self.tool_timeout:g} s" if late else "the run was cancelled"
            raise ToolProblem(
                f"{call['name']} timed out: {limit}. It may still be running and may have an effect: "
                "look at the state of things before you call it again, or go on without it."
            )
        if "error" in outcome:
            raise outcome["error"]
        return outcome["value"]

    # --- what the model is told ------------------------------------------------------------------------

    def result(self, call: Block, content: Any) -> Block:
        """Return the answer to *call*."""
        return {"type": "tool_result", "tool_use_id": call["id"], "content": content}

    def error_result(self, call: Block, error: Exception) -> Block:
        """Return the answer to *call* that it failed, and why."""
        return {**self.result(call, self.explained(call, error)), "is_error": True}

    def explained(self, call: Block, error: Exception) -> str:
        """Say what failed, with what, and one thing to do next; no traceback, nothing secret."""
        if isinstance(error, ToolProblem):
            return str(error)
        lines = [line for line in str(error).splitlines() if line.strip()]
        if any(line.startswith("Traceback") for line in lines):
            lines = lines[-1:]
        reason = self.without_secrets("\n".join(lines) or "no reason given")
        given = self.without_secrets(json.dumps(call["input"]))
        return (
            f"{call['name']} failed with {type(error).__name__}: {reason}\nIt was called with {given}. "
            "Check that against what you know, then correct the call or take another way."
        )

    def without_secrets(self, text: str) -> str:
        """Blot out what looks like a key or a password."""
        return SECRET.sub("(hidden)", text)

    def unknown_tool(self, name: str) -> Exception:
        """Return the problem that there is no tool *name*, with those that there are."""
        names = [tool["name"] for tool in self.tools if "name" in tool]
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        return ToolProblem(
            f"There is no tool named {name}.{hint} The tools are: {', '.join(names)}. Use one of them."
        )

    def usage_of(self, name: str) -> str:
        """Return the arguments that the tool *name* takes."""
        tool = next((tool for tool in self.tools if tool.get("name") == name), {})
        takes = ", ".join(tool.get("input_schema", {}).get("properties", {})) or "no arguments"
        return f"It takes: {takes}. Correct the call."

    def content_of(self, value: Any) -> Any:
        """Return what a handler gave as the content of a result; nothing at all is said in words."""
        if isinstance(value, str):
            return value if value.strip() else "(no output)"
        if value is None:
            return "(no output)"
        if isinstance(value, list) and value and all(isinstance(b, dict) and "type" in b for b in value):
            return self.cleaned(value) or "(no output)"
        return json.dumps(value, ensure_ascii=False, default=str)

    def shortened(self, content: Any) -> Any:
        """Return *content* within ``max_result_chars``, with a notice where something is missing."""
        limit, text = self.max_result_chars, self.text_of(content)
        if limit is None or len(text) <= limit:
            return content
        notice = f"\n[cut: {len(text)} characters, only the beginning is shown; ask for a part of it]"
        return text[: max(0, limit - len(notice))] + notice

    # --- going in a circle -----------------------------------------------------------------------------

    def watch(self, calls: list[Block], results: list[Block]) -> None:
        """Tell the model of a call that it repeats; stop where it goes on with that."""
        keys = [self.key(call, result) for call, result in zip(calls, results, strict=True)]
        if any(key not in self.seen for key in keys):
            self.seen = dict.fromkeys(self.seen, 1)  # Something new: whoever comes back to a thing may.
        for key in dict.fromkeys(keys):
            self.seen[key] = self.seen.get(key, 0) + 1
        for place, key in enumerate(keys):
            if self.seen[key] >= self.PATIENCE:
                self.stuck(calls[place], self.seen[key])
            if self.seen[key] == 2:
                self.observed(results[place])

    def key(self, call: Block, result: Block) -> str:
        """Return what makes two calls the same: name, input in any order of its keys, and what came of it."""
        return json.dumps([call["name"], call["input"], result["content"]], sort_keys=True)

    def observed(self, result: Block) -> None:
        """Add to *result* that this was seen before: within it, since text beside results may be refused."""
        note = "[You made this very call before, and the result is the same. Take another way.]"
        content = result["content"]
        if isinstance(content, list):
            result["content"] = [*content, {"type": "text", "text": note}]
        else:
            result["content"] = f"{content}\n{note}"

    def stuck(self, call: Block, times: int) -> None:
        """Stop and name the call."""
        form = f"{call['name']}({json.dumps(call['input'])})"
        why = f"no progress: stuck on {form}, called {times} times with the same result"
        raise self.stopped(exits.NoProgress, why, call=form, times=times)

    # --- a loop as a tool ------------------------------------------------------------------------------

    def sub_loop(self, call: Block, settings: dict[str, Any]) -> Any:
        """Run a loop of its own on the task of *call*, within what is left, and return its report."""
        if self.depth < 1:
            raise ToolProblem("Not run: helpers may not be nested any deeper. Do this step yourself.")
        child = self.child(call["input"].get("task", ""), settings)
        try:
            child.run()
        except exits.LoopStopped as stop:
            raise ToolProblem(self.report(child, f"did not finish: {stop}")) from stop
        finally:
            self.charge(child)
        return self.report(child, "finished")

    def child(self, task: str, settings: dict[str, Any]) -> Any:
        """Return the sub-loop: fresh context, its own tools, a budget out of ours."""
        left = {name: limit - spent for name, limit, spent in self.limits() if limit is not None}
        left["max_iterations"] = min(left["max_iterations"], settings.get("max_iterations", 10))
        shared = {name: getattr(self, name) for name in SHARED}
        task_turn = [{"role": "user", "content": task}]
        return type(self)(
            self.client, task_turn, settings["tools"], self.handlers, **shared, **left, depth=self.depth - 1
        )

    def charge(self, child: Any) -> None:
        """Charge what *child* spent to this run."""
        self.requests += child.requests
        for name, amount in child.usage.items():
            self.usage[name] = self.usage.get(name, 0) + amount

    def report(self, child: Any, status: str) -> str:
        """Return what the parent's model learns: the answer, what was done, what was not."""
        turns = child.messages[child.first :]
        did = [f"{c['name']}({json.dumps(c['input'])})" for turn in turns for c in child.calls_of(turn)]
        answer = child.last.text if child.last else ""
        return json.dumps({"status": status, "answer": answer, "did": did}, ensure_ascii=False)
