"""Ways to be right that keep or send the conversation in another form, or report in another way."""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.gate.loops.base import Base


class KeepsObjects(Base):
    """The model's turns are kept as the SDK gave them."""

    def said(self, answer):
        response = answer.response
        if isinstance(response, dict):
            return super().said(answer)
        content = [b for b in response.content if b.type != "text" or b.text.strip()]
        if content:
            self.messages.append({"role": "assistant", "content": content})
        return None

    def blocks(self, turn):
        return [self.plain(block) for block in super().blocks(turn)]

    def size(self):
        return len(json.dumps(self.plain([self.view(), self.tools]))) // 4


class ResultsAreBlocks(Base):
    """Results are lists of blocks."""

    def result(self, call, content):
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return super().result(call, blocks)


class ResultsAreWrapped(Base):
    """Results are JSON with a word on how it went."""

    def content_of(self, value):
        content = super().content_of(value)
        if isinstance(content, list):
            return content
        return json.dumps({"status": "ok", "result": content}, ensure_ascii=False)


class SaysThatAllIsWell(Base):
    """A result that is none of an error says so."""

    def result(self, call, content):
        return {**super().result(call, content), "is_error": False}


class TextAfterResults(Base):
    """A word of the loop stands after the results, where no tool of the server is at work."""

    def append_results(self, results):
        mixed = any(b["type"].startswith("server_") for b in self.blocks(self.messages[-1]))
        word = [] if mixed else [{"type": "text", "text": f"Step {self.requests} is done."}]
        super().append_results([*results, *word])


class MarksTheCache(Base):
    """What can be cached is marked."""

    def body(self):
        body = super().body()
        last = body["messages"][-1]
        content = self.blocks(last)
        if last["role"] == "user" and content:
            content[-1] = {**content[-1], "cache_control": {"type": "ephemeral"}}
            body["messages"][-1] = {**last, "content": content}
        return body


class AllAtOnce(Base):
    """The calls of one answer run at the same time."""

    def run_calls(self, calls):
        if self.tool_timeout is not None or self.cancelled is not None or self.subloops:
            return super().run_calls(calls)
        with ThreadPoolExecutor(max_workers=4) as pool:
            return list(pool.map(self.run_one, calls))


class LastFirst(Base):
    """Calls of one answer are independent, so their order is free."""

    def run_calls(self, calls):
        return super().run_calls(calls[::-1])

    def watch(self, calls, results):
        super().watch(calls[::-1], results)


class FactsInTheFirstTurn(Base):
    """Pinned facts stand beside the task."""

    def instructions(self):
        return self.system

    def view(self):
        first, *rest = super().view()
        facts = [{"type": "text", "text": f"Remember: {fact}"} for fact in self.pinned or ()]
        return [{**first, "content": [*self.blocks(first), *facts]} if facts else first, *rest]


class ClearsOldResults(Base):
    """What grows too large loses its older results, not its turns."""

    def view(self):
        turns = super().view()
        if not self.cleared:
            return turns
        old = turns[: -2 * self.KEEP]
        for turn in old:
            turn["content"] = [self.emptied(block) for block in self.blocks(turn)]
        return [*old, *turns[-2 * self.KEEP :]]

    cleared = False

    def emptied(self, block):
        return {**block, "content": "[cleared to save room]"} if block["type"] == "tool_result" else block

    def shorten(self):
        before, self.cleared = self.size(), True
        self.record("compacted", before=before, after=self.size(), dropped=["older tool results"])
        return self.size() < before


class SlidingWindow(Base):
    """What grows too large loses its older steps, and the model is told that there were some."""

    def findings(self):
        gone = [call["name"] for turn in self.messages[1 : self.cut] for call in self.calls_of(turn)]
        return f"({len(gone)} earlier calls are left out here: {', '.join(gone)})"


class AsksForASummary(Base):
    """The model itself sums up what is left out, in a request of its own, without tools."""

    summary = ""

    def shorten(self):
        was = self.cut or 1
        if not super().shorten():
            return False
        gone = json.dumps(self.messages[was : self.cut])
        prompt = f"Add to this summary, in a few lines, what these turns brought.\n{self.summary}\n{gone}"
        body = {"model": self.model, "max_tokens": 800, "messages": [{"role": "user", "content": prompt}]}
        answer = self.received(self.client.messages.create(**body))
        self.requests += 1
        self.count(answer)
        self.summary = answer.text
        return True

    def findings(self):
        return f"Summary of earlier turns: {self.summary}" if self.summary else super().findings()


class NudgesInTheSameTurn(Base):
    """What the loop has to say after results joins their turn."""

    def tell(self, text):
        last = self.messages[-1]
        if last["role"] != "user":
            return super().tell(text)
        last["content"] = [*self.blocks(last), {"type": "text", "text": text}]
        return None


# --- loops below, records ------------------------------------------------------------------------------


class TellsHelpersWhatToSay(Base):
    """A loop below is told what its report has to hold."""

    def child(self, task, settings):
        words = "When you are done, report what you found, what you did, and what you could not do."
        return super().child(f"{task}\n\n{words}", settings)


class GivesHelpersARole(Base):
    """A loop below has a system prompt of its own."""

    def child(self, task, settings):
        below = super().child(task, settings)
        below.system = "You are a careful helper. You do one step of a larger work."
        return below


class HandsUpEverything(Base):
    """A loop below hands up all that the model said in it, and what its tools brought."""

    def report(self, child, status):
        turns = child.messages[child.first :]
        lines = [self.words(turn) for turn in turns if turn["role"] == "assistant"]
        lines += [self.text_of(b.get("content")) for turn in turns for b in self.blocks(turn)]
        return "\n".join([status, *filter(None, lines), child.last.text if child.last else ""])


class HandsUpTheWords(Base):
    """A loop below hands up its last words."""

    def report(self, child: Any, status: str) -> str:
        text = child.last.text if child.last else ""
        return text if status == "finished" else f"{status}\n{text}"


class Logs(Base):
    """Transitions go to the log of the program."""

    def record(self, event, **facts):
        super().record(event, **facts)
        logging.getLogger("agent").info("%s %s", event, facts, extra={"iteration": self.requests})


class EventsAreObjects(Base):
    """A record is an object."""

    @dataclass
    class Moved:
        step: int
        kind: str
        detail: dict

    def record(self, event, **facts):
        if self.on_event is not None:
            take = getattr(self.on_event, "append", self.on_event)
            take(self.Moved(self.requests, event, facts))


VARIANTS = {
    name: kind
    for name, kind in list(vars().items())
    if isinstance(kind, type) and issubclass(kind, Base) and kind is not Base
}
for _name, _kind in VARIANTS.items():
    vars()[f"run_{_name}"] = _kind.as_function()
