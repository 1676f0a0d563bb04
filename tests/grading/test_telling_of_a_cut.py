"""Kata 04 says which forms count as telling the caller: each is tried here, and some that are none."""

import pytest

from simulator.gate.handed import structured
from simulator.gate.runner import Runner
from simulator.grading import catalogue
from simulator.grading.checks import first_failure, grade

KATA = catalogue.load().find("04")

LOOP = """
import enum, types
from dataclasses import dataclass

class Status(enum.Enum):
    COMPLETE = "complete"
    TRUNCATED = "truncated"

class Plain:
    def __init__(self, **values):
        self.__dict__.update(values)

class Slotted:
    __slots__ = ("text", "is_complete")
    def __init__(self, text, is_complete):
        self.text, self.is_complete = text, is_complete

class Text(str):
    truncated = False

class OutputTruncated(Exception):
    pass

class Failure(Exception):
    def __init__(self, text, reason):
        self.partial_answer, self.reason = text, reason

def run_agent_loop(client, messages, tools, handlers, max_tokens=1024):
    while True:
        response = client.messages.create(model="m", max_tokens=max_tokens, messages=messages, tools=tools)
        text = "".join(block.text for block in response.content if block.type == "text")
        cut = response.stop_reason == "max_tokens"
        if response.stop_reason != "tool_use":
            {ending}
        results = [
            {"type": "tool_result", "tool_use_id": b.id, "content": handlers[b.name](**b.input)}
            for b in response.content if b.type == "tool_use"
        ]
        messages += [{"role": "assistant", "content": response.content}, {"role": "user", "content": results}]
"""

TELLING = {
    "a dictionary of the response": "return response.model_dump()",
    "the response in a pair": "return text, response",
    "a flag in a dictionary": 'return {"text": text, "truncated": cut}',
    "a flag that is false": 'return {"text": text, "complete": not cut}',
    "an enum": "return text, Status.TRUNCATED if cut else Status.COMPLETE",
    "an object": "return Plain(text=text, incomplete=cut)",
    "an object with slots": "return Slotted(text, not cut)",
    "a namespace": "return types.SimpleNamespace(text=text, stop_reason=response.stop_reason)",
    "a set of marks": 'return [text, {"max_tokens"} if cut else set()]',
    "a text that knows more": "t = Text(text); t.truncated = cut; return t",
    "a notice in Spanish": 'return text + (" [respuesta incompleta]" if cut else "")',
    "an exception with a message": "if cut: raise OutputTruncated(text)\n            return text",
    "an exception with attributes": 'if cut: raise Failure(text, "max_tokens")\n            return text',
    "an exception's arguments": 'if cut: raise ValueError("truncated", text)\n            return text',
}

NOT_TELLING = {
    "a bare flag": "return text, cut",
    "a limit": 'return {"text": text, "max_tokens": max_tokens}',
    "a count": "return text, response.usage.output_tokens",
    "an exception about something else": "if cut: raise ValueError(text)\n            return text",
}


@pytest.fixture(scope="module")
def runner():
    with Runner() as one:
        yield one


def _grade(ending, runner, folder):
    loop = folder / "loop.py"
    loop.write_text(LOOP.replace("{ending}", ending), encoding="utf-8")
    return first_failure(grade(KATA, loop, 3, runner))


@pytest.mark.parametrize("form", TELLING)
def test_a_caller_can_be_told_in_any_of_these_forms(form, runner, tmp_path):
    assert _grade(TELLING[form], runner, tmp_path) is None


@pytest.mark.parametrize("form", NOT_TELLING)
def test_what_names_nothing_tells_nothing(form, runner, tmp_path):
    assert _grade(NOT_TELLING[form], runner, tmp_path).message in ("K04-E1", "K04-E13")


def test_a_value_that_goes_round_in_circles_or_resists_is_told_as_far_as_it_goes():
    circle = {}
    circle["again"] = circle

    class Resists:
        def __getattribute__(self, name):
            raise RuntimeError(name)

    assert "…" in str(structured(circle))
    assert isinstance(structured({"a": Resists(), "b": float("nan")}), dict)
    assert len(structured("x" * 1_000_000)) < 300_000
