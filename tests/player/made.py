"""Traces that no run needs to make: small, exact, and hostile where a test wants that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.trace.build import Builder
from simulator.trace.document import Trace
from simulator.trace.events import Append, Branch, Event, Exit, Request, Response, ToolCall, ToolResult
from simulator.wire.message import digest, sha256

QUESTION = {"role": "user", "content": "Which files are here?"}
SOURCE = """def my_loop(client, messages, tools, handlers, max_turns=20):
    for _ in range(max_turns):
        response = client.messages.create(messages=messages, tools=tools)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        messages.append({"role": "user", "content": run(response, handlers)})
"""


class Made:
    """A trace in the making: events as a run would bring them, and the list of messages beside them."""

    def __init__(self, **about: Any) -> None:
        self.builder = Builder()
        self.messages: list[Any] = []
        self.turn = 0
        self.about = {
            "scenario": {
                "name": "made",
                "title": "Made for a test",
                "provenance": {"kind": "scripted", "model": None, "date": None, "origin": None},
                "seed": None,
            },
            "loop": {"name": "my_loop", "arguments": {"max_turns": 20}},
            "source": {"file": "loop.py", "sha256": "0" * 64, "text": SOURCE, "first_line": 1},
            "system": None,
            "tools": [],
            **about,
        }

    def add(self, event: Event) -> Made:
        self.builder.add(event, self.builder.refs(self.messages))
        return self

    def request(self, *new: Any, repeats: int | None = None) -> Made:
        self.turn += 1
        self.messages += new
        key = digest({"messages": self.messages})
        return self.add(Request(self.turn, 3, key, sha256(self.messages), {}, repeats))

    def answer(self, *blocks: Any, stop: str = "end_turn", **fields: Any) -> Made:
        message = {"role": "assistant", "content": list(blocks)}
        usage = {"input_tokens": 100 * self.turn, "output_tokens": 10}
        values: dict[str, Any] = {"status": 200, "by": "recording", **fields}
        return self.add(Response(self.turn, 3, message=message, stop_reason=stop, usage=usage, **values))

    def refusal(self, status: int, kind: str, message: str, **more: str) -> Made:
        error = {"type": kind, "message": message, **more}
        return self.add(Response(self.turn, 3, status, "rule", error=error))

    def branch(self, signal: str | None, test: str | None = None, value: bool | None = None) -> Made:
        return self.add(Branch(self.turn, 5, signal, test, value))

    def guard(self, test: str, value: bool) -> Made:
        return self.add(Branch(self.turn, 2, None, test, value, guard=True))

    def append(self, *messages: Any) -> Made:
        self.messages += messages
        return self.add(Append(self.turn, 4))

    def becomes(self, messages: Sequence[Any]) -> Made:
        self.messages = list(messages)
        return self.add(Append(self.turn, 4))

    def call(self, name: str, given: dict[str, Any], block: str | None) -> Made:
        return self.add(ToolCall(self.turn, 7, name, given, block))

    def result(self, name: str, content: Any, block: str | None, **fields: Any) -> Made:
        return self.add(ToolResult(self.turn, 7, name, content, block, **fields))

    def end(self, reason: Any = "returned", **fields: Any) -> Trace:
        self.add(Exit(self.turn, 6, reason, **fields))
        return Trace.build(self.builder, **self.about)


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def tool_use(name: str, block: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": block, "name": name, "input": given}


def tool_result(block: str | None, content: Any) -> dict[str, Any]:
    named = {} if block is None else {"tool_use_id": block}
    return {"type": "tool_result", **named, "content": content}


def turn(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def whole() -> Trace:
    """Return a run of two requests in which everything is in order."""
    use = tool_use("list_dir", "toolu_1", path=".")
    made = Made().request(QUESTION).answer(text("I'll look."), use, stop="tool_use")
    made.append(turn("assistant", text("I'll look."), use))
    made.branch("tool_use", 'response.stop_reason != "tool_use"', False)
    made.call("list_dir", {"path": "."}, "toolu_1").result("list_dir", "a.py\nb.py", "toolu_1")
    made.append(turn("user", tool_result("toolu_1", "a.py\nb.py")))
    made.guard("for _ in range(max_turns)", True).request()
    made.answer(text("a.py and b.py.")).append(turn("assistant", text("a.py and b.py.")))
    made.branch("end_turn", 'response.stop_reason != "tool_use"', True)
    return made.end(value={"type": "message", "stop_reason": "end_turn", "text": "a.py and b.py."})


def forgotten() -> Trace:
    """Return a run whose loop keeps nothing: the same request three times, then it gives up."""
    use = tool_use("list_dir", "toolu_1", path=".")
    made = Made()
    for n in (1, 2, 3):
        made.request(*([QUESTION] if n == 1 else []), repeats=None if n == 1 else 1)
        made.answer(text("I'll look."), use, stop="tool_use").branch("tool_use", "asked(response)", True)
        made.call("list_dir", {"path": "."}, "toolu_1").result("list_dir", "a.py\nb.py", "toolu_1")
    made.guard("for _ in range(max_turns)", False)
    return made.end("raised", error_type="RuntimeError", message="no answer")


def unnamed() -> Trace:
    """Return a run whose result does not say which call it answers: the API refuses it."""
    use = tool_use("list_dir", "toolu_1", path=".")
    made = Made().request(QUESTION).answer(use, stop="tool_use").append(turn("assistant", use))
    made.branch("tool_use", 'response.stop_reason != "tool_use"', False)
    made.call("list_dir", {"path": "."}, "toolu_1").result("list_dir", "a.py", "toolu_1")
    made.append(turn("user", tool_result(None, "a.py"))).request()
    place = "messages.2.content.0.tool_result.tool_use_id"
    made.refusal(400, "invalid_request_error", f"{place}: Field required", rule="id_missing", path=place)
    return made.end("raised", error_type="BadRequestError", message="Error code: 400")


def compacted() -> Trace:
    """Return a run whose loop changes one turn, drops another and rebuilds its list."""
    said = [turn("assistant", text("One."), text("Two.")), {"role": "user", "content": "Go on."}]
    made = Made().request(QUESTION, *said).answer(text("Three."))
    made.becomes([QUESTION, turn("assistant", text("One."), text("2.")), said[1]])
    made.becomes([QUESTION, said[1]])
    made.becomes([{"role": "user", "content": "In short: go on."}, turn("assistant", text("Yes.")), said[1]])
    return made.end()


HOSTILE = (
    "<script>window.hacked = 1</script></script><img src=x onerror='window.hacked = 2'>"
    "<a href='javascript:window.hacked=3'>x</a>${window.hacked = 4}{{7*7}}]]>--><!-- "
    "\u202eright to left\u202c \u2066isolate\u2069 esc\x1b[31m nul\x00 bell\x07"
    " line\u2028para\u2029 zero\u200b bom\ufeff"
    " lone\ud800 low\udc00 tag\U000e0041 rtl \u05d0\u05d1 http://example.invalid/x.png " + "x" * 3000
)
"""Markup, script, links, templates, control and bidi characters, lone surrogates, a very long word."""

TOKENS = ("⟨U+202E⟩", "⟨U+001B⟩", "⟨U+0000⟩", "⟨U+2028⟩", "⟨U+D800⟩", "⟨U+DC00⟩", "⟨U+200B⟩", "⟨U+E0041⟩")
"""What a reader must see of it."""


def hostile() -> Trace:
    """Return a run in which every text that a recording or a loop can bring is :data:`HOSTILE`."""
    evil = HOSTILE
    about = {
        "scenario": {
            "name": evil,
            "title": evil,
            "provenance": {"kind": "recorded", "model": evil, "date": evil, "origin": evil},
            "seed": None,
        },
        "loop": {"name": evil, "arguments": {"max_turns": 3, evil: evil}},
        "source": {"file": evil, "sha256": "0" * 64, "text": f"{evil}\n\t{evil}\n" * 4, "first_line": 1},
        "system": evil,
        "tools": [{"name": evil}],
    }
    use = {"type": "tool_use", "id": evil, "name": evil, "input": {evil: [evil, {evil: None}]}}
    odd = [{"type": evil, evil: evil}, evil, None, 7, {"type": "tool_use", "id": {"a": evil}, "name": None}]
    made = Made(**about)
    made.request({"role": "user", "content": evil, evil: evil}, {"role": "constructor", "content": odd}, evil)
    made.answer(text(evil), use, *odd, stop=evil, by="branch", branch=evil, when={evil: evil}, model=evil)
    made.append(
        turn("assistant", text(evil), use), {"role": "__proto__", "content": {"a": evil}}, None, [evil]
    )
    made.branch(evil, evil, True).branch("constructor", None, None).guard(evil, False)
    made.call(evil, {evil: evil}, evil).result(evil, evil, evil, is_error=True, error_type=evil)
    made.result(evil, [{"type": "text", "text": evil}, {evil: evil}], None)
    made.append(turn("user", tool_result(evil, evil), tool_result(None, [evil]))).request()
    made.answer(stop="constructor").request().refusal(400, evil, evil, rule=evil, path=evil)
    traceback = [{"line": 1, "text": evil, "function": evil}]
    return made.end("raised", value={evil: evil}, error_type=evil, message=evil, traceback=traceback)
