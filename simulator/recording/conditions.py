"""The conditions by which a recorded branch answers a request that nobody could have recorded word for word.

A condition is data, the ``when`` of a branch. All keys given must hold:

====================  ======================================================================================
``after: n``          the last assistant turn is the answer of exchange n; -1: there is no assistant turn yet
``answers: x``        which calls of that turn have a result after it: ``all``, ``any``, ``none``, or exactly
                      the tools of a list of names
``is_error: b``       true: one of those results at least is an error; false: none is
``text: {…}``         ``contains`` / ``lacks``: a text or a list of texts, all of which / none of which occur,
                      in any letter case; ``where``: in the ``last_turn`` (results included; the default), in
                      the ``results`` of the last turn, or ``anywhere`` (system prompt included)
``tools_offered: x``  true / false: tools are on offer or not; a list: exactly these
``tool_choice: t``    its type; ``auto`` where the request names none
``max_tokens: {…}``   ``at_least: n`` and ``below: n``
``size: {…}``         ``over: n`` and ``under: n`` characters of canonical JSON of ``messages``
``repeats: n``        this very conversation was sent at least n times before in this run
====================  ======================================================================================

Rules of this file:

1. An unknown key or a value of the wrong kind is a fault of the cassette (:func:`faults`), never ignored:
   a condition that is not understood must not hold.
2. An answer is recognised in a request where its blocks end the last assistant turn; where a loop dropped
   something of it, by its ``tool_use`` ids; without any, by its text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from simulator.wire.message import canonical_json, conversation, of_type, text_of, tool_names

WHERE = ("last_turn", "results", "anywhere")
"""Where a text can be looked for."""


@dataclass(frozen=True)
class Sent:
    """A request as conditions see it: its body, how often it was sent before, the recording's answers.

    ``answers`` holds the canonical content of the answer of each exchange, None for an error.
    """

    body: Mapping[str, Any]
    repeats: int
    answers: Sequence[list[Any] | None]

    @cached_property
    def conversation(self) -> dict[str, Any]:
        """The canonical conversation: ``messages`` (merged turns), ``system``, ``tools``."""
        return conversation(self.body)

    @cached_property
    def turns(self) -> list[dict[str, Any]]:
        """The merged turns."""
        return list(self.conversation["messages"])

    @cached_property
    def asked(self) -> list[Any] | None:
        """The blocks of the last assistant turn; None when there is none."""
        return next((turn["content"] for turn in reversed(self.turns) if turn["role"] == "assistant"), None)

    @cached_property
    def results(self) -> list[dict[str, Any]]:
        """The ``tool_result`` blocks after the last assistant turn."""
        last = max((n for n, turn in enumerate(self.turns) if turn["role"] == "assistant"), default=-1)
        return [block for turn in self.turns[last + 1 :] for block in of_type(turn["content"], "tool_result")]


def holds(when: Mapping[str, Any], sent: Sent) -> bool:
    """Return whether every key of *when* (one without :func:`faults`) holds for the request *sent*."""
    return all(_KEYS[key].holds(sent, value) for key, value in when.items())


def faults(when: object) -> Iterator[tuple[str, object]]:
    """Yield ``(path, value)`` of everything in *when* that is no condition; the path is dotted."""
    if not isinstance(when, Mapping) or not when:
        yield "when", when
        return
    for key, value in when.items():
        if key not in _KEYS or not _KEYS[key].understands(value):
            yield f"when.{key}", value


def _after(sent: Sent, index: int) -> bool:
    if index < 0 or sent.asked is None:
        return index < 0 and sent.asked is None
    answer = sent.answers[index] if index < len(sent.answers) else None
    return answer is not None and _ends_with(sent.asked, answer)


def _ends_with(asked: list[Any], answer: list[Any]) -> bool:
    """Return whether the turn *asked* is, or ends with, the answer (rule 2)."""
    if answer and asked[-len(answer) :] == answer:
        return True
    wanted = _ids(answer, "tool_use", "id")
    if wanted:
        return _ids(asked, "tool_use", "id")[-len(wanted) :] == wanted
    text = text_of(answer).strip()
    return bool(text) and not _ids(asked, "tool_use", "id") and text_of(asked).strip() == text


def _answers(sent: Sent, which: str | list[str]) -> bool:
    calls = of_type(sent.asked, "tool_use")
    given = set(_ids(sent.results, "tool_result", "tool_use_id"))
    answered = [call for call in calls if call.get("id") in given]
    match which:
        case "all":
            return len(answered) == len(calls)
        case "any":
            return bool(answered)
        case "none":
            return not answered
        case _:
            return {call.get("name") for call in answered} == set(which)


def _is_error(sent: Sent, wanted: bool) -> bool:
    return any(result.get("is_error") is True for result in sent.results) is wanted


def _text(sent: Sent, what: Mapping[str, Any]) -> bool:
    text = _searched(sent, what.get("where", WHERE[0])).casefold()
    return all(part.casefold() in text for part in _listed(what.get("contains", []))) and not any(
        part.casefold() in text for part in _listed(what.get("lacks", []))
    )


def _searched(sent: Sent, where: str) -> str:
    last = sent.turns[-1]["content"] if sent.turns else []
    match where:
        case "results":
            return _all_text(of_type(last, "tool_result"))
        case "anywhere":
            system: list[Any] = sent.conversation["system"]
            return _all_text([*system, *(block for turn in sent.turns for block in turn["content"])])
        case _:
            return _all_text(last)


def _all_text(blocks: Sequence[Any]) -> str:
    """Return the text of *blocks*, that of tool results included, one line each."""
    return "\n".join(
        text_of(block.get("content")) if block.get("type") == "tool_result" else text_of([block])
        for block in blocks
        if isinstance(block, dict)
    )


def _tools_offered(sent: Sent, which: bool | list[str]) -> bool:
    offered = set(tool_names(sent.body))
    return bool(offered) is which if isinstance(which, bool) else offered == set(which)


def _tool_choice(sent: Sent, wanted: str) -> bool:
    choice = sent.body.get("tool_choice")
    return (choice.get("type") if isinstance(choice, Mapping) else "auto") == wanted


def _max_tokens(sent: Sent, limits: Mapping[str, int]) -> bool:
    asked = sent.body.get("max_tokens")
    return isinstance(asked, int) and limits.get("at_least", asked) <= asked < limits.get("below", asked + 1)


def _size(sent: Sent, limits: Mapping[str, int]) -> bool:
    size = len(canonical_json(sent.turns))
    return limits.get("over", size - 1) < size < limits.get("under", size + 1)


def _ids(blocks: object, kind: str, key: str) -> list[Any]:
    return [block.get(key) for block in of_type(blocks, kind)]


def _listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


def _is_int(value: object, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_names(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)


def _is_limits(*keys: str) -> Callable[[Any], bool]:
    def understands(value: Any) -> bool:
        return _is_table(value, keys) and all(_is_int(limit) for limit in value.values())

    return understands


def _is_table(value: object, keys: Sequence[str]) -> bool:
    return isinstance(value, Mapping) and bool(value) and all(key in keys for key in value)


def _is_text(value: Any) -> bool:
    return (
        _is_table(value, ("contains", "lacks", "where"))
        and ("contains" in value or "lacks" in value)
        and value.get("where", WHERE[0]) in WHERE
        and all(
            bool(value[key]) and (isinstance(value[key], str) or _is_names(value[key]))
            for key in ("contains", "lacks")
            if key in value
        )
    )


@dataclass(frozen=True)
class _Key:
    """One word of the vocabulary: which values it understands, and when it holds."""

    understands: Callable[[Any], bool]
    holds: Callable[[Sent, Any], bool]


_KEYS = {
    "after": _Key(lambda value: _is_int(value, -1), _after),
    "answers": _Key(lambda value: value in ("all", "any", "none") or _is_names(value), _answers),
    "is_error": _Key(lambda value: isinstance(value, bool), _is_error),
    "text": _Key(_is_text, _text),
    "tools_offered": _Key(lambda value: isinstance(value, bool) or _is_names(value), _tools_offered),
    "tool_choice": _Key(lambda value: value in ("auto", "any", "tool", "none"), _tool_choice),
    "max_tokens": _Key(_is_limits("at_least", "below"), _max_tokens),
    "size": _Key(_is_limits("over", "under"), _size),
    "repeats": _Key(lambda value: _is_int(value, 1), lambda sent, least: sent.repeats >= least),
}

WORDS = tuple(_KEYS)
"""The whole vocabulary."""
