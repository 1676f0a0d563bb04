"""The conversation of the base loop: what is kept, what is sent of it, and how it stays lawful and small."""

from __future__ import annotations

import copy
import json
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from tests.gate.loops import exits

if TYPE_CHECKING:
    from tests.gate.loops.base import Answer

Turn = dict[str, Any]
Block = dict[str, Any]


class Context:
    """Methods about ``self.messages``; a part of ``Base``."""

    # --- taking over what the caller gave --------------------------------------------------------------

    def taken(self, messages: Any) -> list[Turn]:
        """Return the caller's messages as a start of our own: copied, clean, and every open call answered."""
        turns = [self.plain(message) for message in messages]
        turns = self.answered([{**turn, "content": self.cleaned(turn["content"])} for turn in turns])
        return [turn for turn in turns if turn["content"]] + self.go_on(turns)

    def plain(self, value: Any) -> Any:
        """Return a copy of *value* in which objects of the SDK are dictionaries."""
        if isinstance(value, dict):
            return {name: self.plain(item) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        return value.to_dict(warnings=False) if hasattr(value, "to_dict") else copy.deepcopy(value)

    def cleaned(self, content: Any) -> Any:
        """Return *content* without blank text blocks, which the API writes but does not take back."""
        if isinstance(content, str):
            return content
        return [b for b in content if b.get("type") != "text" or str(b.get("text", "")).strip()]

    def answered(self, turns: list[Turn]) -> list[Turn]:
        """Return *turns* with a result for each call that has none, in the calls' order, results first."""
        fixed: list[Turn] = []
        rest = list(turns)
        while rest:
            turn = rest.pop(0)
            fixed.append(turn)
            asked = self.calls_of(turn)
            after = list(takewhile(lambda each: each["role"] == "user", rest))
            said = [block for each in after for block in self.blocks(each)]
            given = {block["tool_use_id"]: block for block in said if block["type"] == "tool_result"}
            if all(call["id"] in given for call in asked):
                continue
            results = [given.get(call["id"]) or self.placeholder(call) for call in asked]
            others = [block for block in said if block["type"] != "tool_result"]
            rest = [{"role": "user", "content": [*results, *others]}, *rest[len(after) :]]
        return fixed

    def placeholder(self, call: Block) -> Block:
        """Return the answer to a call whose result nobody has."""
        return {
            "type": "tool_result",
            "tool_use_id": call["id"],
            "content": f"{call['name']} was interrupted and has no result. It may have had an effect: "
            "look at the state of things before you call it again.",
            "is_error": True,
        }

    def go_on(self, turns: list[Turn]) -> list[Turn]:
        """Return what has to follow *turns*: the model cannot be asked with its own words at the end."""
        last = turns[-1] if turns else None
        if last is None or last["role"] != "assistant" or self.is_paused(last):
            return []
        return [{"role": "user", "content": "Please go on."}]

    def is_paused(self, turn: Turn) -> bool:
        """True for an assistant turn that waits for a tool of the server."""
        blocks = self.blocks(turn)
        return bool(blocks) and blocks[-1]["type"] in ("server_tool_use", "web_search_tool_result")

    # --- adding to it ----------------------------------------------------------------------------------

    def said(self, answer: Answer) -> None:
        """Append the model's turn as it came, blank text aside; a turn without content is none."""
        content = self.cleaned(answer.content)
        if content:
            self.messages.append({"role": "assistant", "content": content})

    def kept_without_calls(self, answer: Answer) -> None:
        """Append the model's turn at the end of a run, without calls that will not be run."""
        content = [block for block in self.cleaned(answer.content) if block["type"] != "tool_use"]
        if content:
            self.messages.append({"role": "assistant", "content": content})

    def tell(self, text: str) -> None:
        """Append words of the loop, a user turn of their own."""
        self.messages.append({"role": "user", "content": text})

    def append_results(self, results: list[Block]) -> None:
        """Append the results of one answer, all in one user turn."""
        self.messages.append({"role": "user", "content": results})

    # --- what of it is sent ----------------------------------------------------------------------------

    def view(self) -> list[Turn]:
        """Return what is sent: everything, or the opening, the findings, and the turns from the cut on."""
        if not self.cut:
            return copy.deepcopy(self.messages)
        opening = self.messages[0]
        notes = [{"type": "text", "text": note} for note in (self.task(), self.findings()) if note]
        head = {"role": "user", "content": [*self.blocks(opening), *notes]}
        return copy.deepcopy([head, *self.messages[self.cut :]])

    def task(self) -> str:
        """Return what the caller asked last, where that is not the first turn."""
        asked = [turn for turn in self.messages[: self.first] if turn["role"] == "user" and self.words(turn)]
        return f"The task: {self.words(asked[-1])}" if asked and asked[-1] is not self.messages[0] else ""

    def findings(self) -> str:
        """Return what the turns before the cut brought, in a line for each call."""
        told = self.messages[1 : self.cut]
        given = {b["tool_use_id"]: b for turn in told for b in self.blocks(turn) if "tool_use_id" in b}
        lines = ["What was done before (those turns are not shown any more):"]
        for turn in told:
            if turn["role"] == "assistant" and self.words(turn):
                lines.append(f"- you said: {self.words(turn)[:160]}")
            for call in self.calls_of(turn):
                result = self.text_of(given.get(call["id"], {}).get("content"))
                lines.append(f"- {call['name']}({json.dumps(call['input'])}): {result[:160]}")
        return "\n".join(lines)

    def fit(self) -> None:
        """Compact where the conversation has grown over its share; stop where it does not fit at all."""
        if self.context_tokens is None:
            return
        if self.size() > self.SHARE * self.context_tokens:
            self.shorten()
        if self.size() > self.context_tokens:
            why = f"the context is full: about {self.size()} of {self.context_tokens} tokens"
            raise self.stopped(exits.ContextFull, why)

    def size(self) -> int:
        """Return about how many tokens the next request has."""
        return len(json.dumps([self.view(), self.tools, self.instructions()])) // 4

    def shorten(self) -> bool:
        """Move the cut; True where that made the conversation smaller."""
        before, was = self.size(), self.cut
        for place in self.places():
            self.cut = place
            if self.context_tokens is None or self.size() <= self.SHARE * self.context_tokens:
                break
        if self.size() >= before:
            self.cut = was
            return False
        dropped = [
            call["name"] for turn in self.messages[was or 1 : self.cut] for call in self.calls_of(turn)
        ]
        self.record("compacted", before=before, after=self.size(), dropped=dropped)
        return True

    def places(self) -> list[int]:
        """Return where it may be cut, the gentlest first: in front of an assistant turn, never in a pair."""
        steps = [
            place
            for place in range(max(self.first, 1), len(self.messages))
            if self.messages[place]["role"] == "assistant" and self.messages[place - 1]["role"] == "user"
        ]
        return [place for place in steps[-self.KEEP :] if place > self.cut]

    # --- looking at it ---------------------------------------------------------------------------------

    def blocks(self, turn: Turn) -> list[Block]:
        """Return the content of *turn* as blocks."""
        content = turn["content"]
        return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)

    def words(self, turn: Turn) -> str:
        """Return the text of *turn*, results aside."""
        return "\n".join(block["text"] for block in self.blocks(turn) if block["type"] == "text")

    def calls_of(self, turn: Turn) -> list[Block]:
        """Return the calls of an assistant *turn* that are ours to answer."""
        found = [block for block in self.blocks(turn) if block["type"] == "tool_use"]
        return found if turn["role"] == "assistant" else []

    def text_of(self, content: Any) -> str:
        """Return the text of a result."""
        if isinstance(content, list):
            return "\n".join(str(block.get("text", "")) for block in content)
        return content or ""
