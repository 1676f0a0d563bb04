"""Ways to be right that differ from the base loop in one thing each: another policy, form, or words."""

from __future__ import annotations

import time
from dataclasses import dataclass

import anthropic

from tests.gate.loops import exits
from tests.gate.loops.base import Base

TOP = Base.depth
"""Depth of the loop that the caller called; what it comes back with is for the caller."""


# --- what comes back -----------------------------------------------------------------------------------


class ReturnsText(Base):
    """A good end is the text alone."""

    def finish(self, answer):
        super().finish(answer)
        return answer.text


class ReturnsTuple(Base):
    """A good end is the text and the conversation."""

    def finish(self, answer):
        super().finish(answer)
        self.said(answer)
        return answer.text, self.messages


class ReturnsEverything(Base):
    """Nothing is raised for an end that is not good: a dictionary says what it was."""

    def run(self):
        if self.depth < TOP:
            return super().run()
        try:
            response = super().run()
        except exits.LoopStopped as stop:
            return {"ok": False, "reason": str(stop), **vars(stop)}
        return {"ok": True, "response": response, "usage": self.usage}


@dataclass(frozen=True)
class Cut:
    text: str
    complete: bool = False


class ReturnsCutAnswers(Base):
    """A cut answer comes back as one: its text, and a flag."""

    def truncated(self, answer):
        return Cut(answer.text) if self.depth == TOP else super().truncated(answer)


class ReturnsLastResponse(Base):
    """Whatever the model's last word was, the response is handed back, with its stop_reason to read."""

    def truncated(self, answer):
        return answer.response if self.depth == TOP else super().truncated(answer)

    def refused(self, answer):
        return answer.response if self.depth == TOP else super().refused(answer)

    def window_exceeded(self, answer):
        return answer.response if self.depth == TOP else super().window_exceeded(answer)


class SpeaksSpanish(Base):
    """The same ends, told in Spanish."""

    WORDS = (
        ("truncated: the answer was cut off at", "La respuesta está cortada (incompleta) en"),
        ("and is incomplete", "y no está completa"),
        ("budget exceeded:", "presupuesto agotado: se alcanzó el límite"),
        ("no progress: stuck on", "sin progreso: el modelo repite"),
        ("unverified: the check still fails", "sin verificar: la comprobación sigue fallando"),
        ("refusal: the model refused to answer.", "El modelo rechazó responder."),
        ("cancelled by the caller", "cancelado por quien llamó"),
        ("the model ended its turn with an empty answer", "el modelo terminó con una respuesta vacía"),
    )

    def stopped(self, kind, why, **facts):
        for english, spanish in self.WORDS:
            why = why.replace(english, spanish)
        return super().stopped(kind, why, **facts)


# --- policies ------------------------------------------------------------------------------------------


class AsksWithMoreRoom(Base):
    """A cut answer is asked for again with more room, twice."""

    larger = 1

    def room(self):
        return self.max_tokens * self.larger

    def truncated(self, answer):
        if self.larger == 4:
            return super().truncated(answer)
        self.larger *= 2
        return None


class GoesOnFromTheCut(Base):
    """A cut text is gone on with, three times, and the pieces are put together."""

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.pieces = []

    def truncated(self, answer):
        if answer.calls or len(self.pieces) == 3:
            return super().truncated(answer)
        self.pieces.append(answer.text)
        self.said(answer)
        self.tell("Continue.")
        return None

    def finish(self, answer):
        super().finish(answer)
        return {"stop_reason": answer.stop_reason, "text": "".join([*self.pieces, answer.text])}

    def stopped(self, kind, why, **facts):
        return super().stopped(kind, why, pieces=list(self.pieces), **facts)


class Propagates(Base):
    """A handler's exception is the caller's; only calls of tools that do not exist are answered."""

    def error_result(self, call, error):
        if call["name"] in self.handlers and call["name"] not in (self.subloops or {}):
            raise error
        return super().error_result(call, error)


class EndsInterruptedByName(Base):
    """Ctrl-C ends the run by name, with all that was done."""

    def run(self):
        try:
            return super().run()
        except KeyboardInterrupt:
            raise self.stopped(exits.Cancelled, "interrupted from the keyboard") from None


class RetriesByItself(Base):
    """Its own retries, none of the SDK's."""

    def send(self, body):
        client, self.client = self.client, self.client.with_options(max_retries=0)
        try:
            return self.tried(body)
        finally:
            self.client = client

    def tried(self, body):
        for attempt in range(5):
            try:
                return super().send(body)
            except anthropic.APIConnectionError:
                wait = 2.0**attempt
            except anthropic.APIStatusError as error:
                if error.status_code not in (408, 409, 429) and error.status_code < 500:
                    raise
                wait = float(error.response.headers.get("retry-after", 2.0**attempt))
            time.sleep(wait)
        return super().send(body)


class RetriesLonger(Base):
    """The SDK's retries, eight of them."""

    def send(self, body):
        client, self.client = self.client, self.client.with_options(max_retries=8)
        try:
            return super().send(body)
        finally:
            self.client = client


class LessPatient(Base):
    """The first repetition of a call, with nothing new since, is the last."""

    def watch(self, calls, results):
        keys = [self.key(call, result) for call, result in zip(calls, results, strict=True)]
        if all(key in self.since for key in keys):
            self.stuck(calls[0], 2)
        new = any(key not in self.seen for key in keys)
        self.seen |= dict.fromkeys(keys, 1)
        self.since = keys if new else [*self.since, *keys]

    since = ()


class MorePatient(Base):
    """A call may be repeated a few times, and the model is told each time."""

    PATIENCE = 5

    def watch(self, calls, results):
        super().watch(calls, results)
        for call, result in zip(calls, results, strict=True):
            if any(
                call["input"] in block.values()
                for turn in self.messages[:-2]
                for block in self.calls_of(turn)
            ):
                result["content"] = f"{result['content']}\n(You have asked this before.)"


class ClosesWithoutTools(Base):
    """Of the steps it has, the last is for an answer: tools cannot be called in it."""

    def choice(self):
        return {"type": "none"} if self.is_closing() else super().choice()

    def is_closing(self):
        return self.requests == self.max_iterations and self.requests > 1 and bool(self.tools)

    def finish(self, answer):
        response = super().finish(answer)
        if not self.is_closing() or self.depth < TOP:
            return response
        return {"text": answer.text, "steps_used_up": self.max_iterations, "stopped_by": "max_iterations"}


class ChecksOnce(Base):
    """What the check finds goes back once."""

    ROUNDS = 1


class ChecksOften(Base):
    """What the check finds goes back five times."""

    ROUNDS = 5


class ReturnsUnverified(Base):
    """An answer that the check does not accept comes back with what it found."""

    def checked(self, answer):
        try:
            return super().checked(answer)
        except exits.Unverified as stop:
            return {"verified": False, "answer": answer.text, "problem": stop.problem}


class ResumesLonger(Base):
    """A paused turn is taken up again many times."""

    PAUSES = 12


class DoesNotNudge(Base):
    """An empty answer is an end with a name."""

    NUDGES = 0


class RunsWhatWasLeft(Base):
    """A call that an earlier run left open is run now."""

    def answered(self, turns):
        if turns and self.calls_of(turns[-1]):
            results = [self.run_one(call) for call in self.calls_of(turns[-1])]
            turns = [*turns, {"role": "user", "content": results}]
        return super().answered(turns)


class CountsEachTry(Base):
    """A try that failed costs a step like any other."""

    def send(self, body):
        client, self.client = self.client, self.client.with_options(max_retries=0)
        try:
            for attempt in range(4):
                try:
                    return super().send(body)
                except anthropic.APIStatusError as error:
                    if (error.status_code < 500 and error.status_code != 429) or attempt == 3:
                        raise
                    time.sleep(float(error.response.headers.get("retry-after", 2**attempt)))
                    self.requests += 1
                    self.guard()
            raise AssertionError("the last try raises or returns")
        finally:
            self.client = client


class RefusalIsAValue(Base):
    """A refusal is an answer like any other, and says what it is."""

    def refused(self, answer):
        return {"refused": True, "text": answer.text} if self.depth == TOP else super().refused(answer)


VARIANTS = {
    name: kind
    for name, kind in list(vars().items())
    if isinstance(kind, type) and issubclass(kind, Base) and kind is not Base
}
for _name, _kind in VARIANTS.items():
    vars()[f"run_{_name}"] = _kind.as_function()
