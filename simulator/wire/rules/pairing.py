"""Rules about calls and their results: every tool_use answered exactly once, in the next turn, first in it.

Indices count merged turns. Turn by turn, the assistant's is judged before the user's that follows: where an
id was changed on the way, both sides are at fault and the unanswered call is reported.
"""

from __future__ import annotations

from itertools import takewhile

from simulator.wire.rules.models import lacks
from simulator.wire.rules.request import Request, block_type, string_at
from simulator.wire.rules.table import Fault, Place, Rule, when

_RESULT_NAMES = {
    "tool_search_tool_regex": "tool_search_tool_result",
    "tool_search_tool_bm25": "tool_search_tool_result",
}
"""Server tools whose result block is not called ``<tool>_tool_result``."""


def call_ids(content: list[object]) -> list[str]:
    """Return the ids of the tool_use blocks of *content*, in order."""
    return [string_at(block, "id") for block in content if block_type(block) == "tool_use"]


def answered_first(content: list[object]) -> list[str]:
    """Return the ids answered by the unbroken run of tool_results with which *content* begins."""
    results = takewhile(lambda block: block_type(block) == "tool_result", content)
    return [string_at(block, "tool_use_id") for block in results]


def _role(place: Place) -> object:
    return place.request.turns[place.index]["role"]


def _by_number(request: Request) -> bool:
    """Say whether the model is of the time when results were counted, not matched."""
    return lacks(request.model, "matched_ids")


def _content(request: Request, index: int | None) -> list[object]:
    return [] if index is None else request.live[index]


def _second(place: Place, role: str, kind: str, key: str) -> Fault | None:
    """Return the first block of *kind* in a turn of *role* whose *key* another before it has."""
    seen: set[str] = set()
    for at, block in enumerate(place.value if _role(place) == role else []):
        name = string_at(block, key)
        if block_type(block) == kind and name in seen:
            return Fault(f"{place.path}.content.{at}", {"id": name})
        if block_type(block) == kind:
            seen.add(name)
    return None


def _duplicate_call(place: Place) -> Fault | None:
    return _second(place, "assistant", "tool_use", "id")


def _result_from_assistant(place: Place) -> Fault | None:
    misplaced = _role(place) == "assistant" and any(block_type(b) == "tool_result" for b in place.value)
    return when(misplaced, place.path)


def _call_from_user(place: Place) -> Fault | None:
    return when(_role(place) == "user" and bool(call_ids(place.value)), place.path)


def _server_call_unserved(place: Place) -> Fault | None:
    """A server tool's call whose result never comes, though the conversation went on.

    Not while the turn is the last one (a pause_turn sent back), nor while only tool_results follow (the
    server goes on with its call when the client's calls beside it are answered).
    """
    after = _content(place.request, place.request.beside(place.index, +1))
    if _role(place) != "assistant" or all(block_type(block) == "tool_result" for block in after):
        return None
    for block in place.value:
        call, name = string_at(block, "id"), string_at(block, "name")
        if block_type(block) == "server_tool_use" and call not in place.request.served:
            result = _RESULT_NAMES.get(name, f"{name}_tool_result")
            return Fault(place.path, {"name": name, "id": call, "result": result})
    return None


def _result_missing(place: Place) -> Fault | None:
    if _role(place) != "assistant":
        return None
    calls = call_ids(place.value)
    answered = answered_first(_content(place.request, place.request.beside(place.index, +1)))
    if _by_number(place.request) and len(answered) >= len(calls):
        return None
    found = frozenset(answered)
    missing = [call for call in calls if call not in found]
    return when(bool(missing), place.path, ids=", ".join(missing))


def _result_twice(place: Place) -> Fault | None:
    by_number = _by_number(place.request)
    return None if by_number else _second(place, "user", "tool_result", "tool_use_id")


def _result_unexpected(place: Place) -> Fault | None:
    if _role(place) != "user" or _by_number(place.request):
        return None
    calls = set(call_ids(_content(place.request, place.request.beside(place.index, -1))))
    for at, block in enumerate(place.value):
        answered = string_at(block, "tool_use_id")
        if block_type(block) == "tool_result" and answered not in calls:
            return Fault(f"{place.path}.content.{at}", {"id": answered})
    return None


PAIRING = (
    Rule(
        "pairing.duplicate_call", "{path}: `tool_use` ids must be unique", (9,), "L", "turn",
        _duplicate_call, "pairing.duplicate_call",
        note="within one merged turn: an id used in two turns is answered 200",
    ),
    Rule(
        "pairing.result_from_assistant", "{path}: `tool_result` blocks can only be in `user` messages", (10,),
        "M", "turn", _result_from_assistant, "pairing.result_from_assistant",
    ),
    Rule(
        "pairing.call_from_user", "{path}: `tool_use` blocks can only be in `assistant` messages", (11,), "S",
        "turn", _call_from_user, "pairing.call_from_user",
    ),
    Rule(
        "pairing.server_result_missing",
        "{path}: `{name}` tool use with id `{id}` was found without a corresponding `{result}` block",
        (27,), "L", "turn", _server_call_unserved, "pairing.server_result_missing",
    ),
    Rule(
        "pairing.result_missing",
        "{path}: `tool_use` ids were found without `tool_result` blocks immediately after: {ids}. Each "
        "`tool_use` block must have a corresponding `tool_result` block in the next message.",
        (1, 2), "L", "turn", _result_missing, "pairing.result_missing",
        older=(
            "{path}: Did not find 1 `tool_result` block(s) at the beginning of this message. Messages "
            "following `tool_use` blocks must begin with a matching number of `tool_result` blocks. (row 3)",
        ),
    ),
    Rule(
        "pairing.result_twice",
        "{path}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
        (8,), "L", "turn", _result_twice, "pairing.result_twice",
    ),
    Rule(
        "pairing.result_unexpected",
        "{path}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must "
        "have a corresponding `tool_use` block in the previous message.",
        (5, 6, 7), "R", "turn", _result_unexpected, "pairing.result_unexpected",
    ),
)  # fmt: skip
