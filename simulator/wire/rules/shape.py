"""Rules about the conversation that the API checks after all fields: empty turns, system turns, blank texts.

Positions of "system" are those of the entries as sent; an empty turn is a merged one.
"""

from __future__ import annotations

from simulator.wire.rules.models import lacks
from simulator.wire.rules.request import block_type, served_id, string_at
from simulator.wire.rules.table import Check, Fault, Place, Rule, when

_DIRECTIVE = "; the directive-only form (content: [] with output_config) is accepted at any position"


def _role(place: Place, step: int = 0) -> object:
    """Return the role of the entry *step* away from *place*, or None beyond either end."""
    at = place.index + step
    entries = place.request.messages
    return entries[at].get("role") if 0 <= at < len(entries) else None


def _speaks(place: Place) -> bool:
    """Say whether *place* is a system entry that is more than a directive (content [] with output_config)."""
    directive = place.value.get("content") == [] and "output_config" in place.value
    return _role(place) == "system" and not directive


def _system_first(place: Place) -> Fault | None:
    old = lacks(place.request.model, "system_turns")
    return when(_speaks(place) and place.index == 0 and not old, place.path)


def _system_unsupported(place: Place) -> Fault | None:
    return when(_speaks(place) and lacks(place.request.model, "system_turns"), place.path)


def _system_follows_wrong(place: Place) -> Fault | None:
    return when(
        _speaks(place) and _role(place, -1) == "assistant" and not _ends_served(place, -1), place.path
    )


def _ends_served(place: Place, step: int) -> bool:
    content = place.request.messages[place.index + step].get("content")
    return isinstance(content, list) and bool(content) and served_id(content[-1]) != ""


def _system_precedes_wrong(place: Place) -> Fault | None:
    return when(_speaks(place) and _role(place, 1) == "user", place.path)


def _empty_user(place: Place) -> Fault | None:
    empty = (
        i for i, turn in enumerate(place.request.turns) if turn["role"] == "user" and not turn["content"]
    )
    return next((Fault(f"messages.{index}") for index in empty), None)


def _last_text(blank: bool) -> Check:
    """Return a check for an empty, or else *blank*, text block in a user turn that ends the conversation.

    Only there: the same block further up is answered 200 on current models.
    """

    def check(place: Place) -> Fault | None:
        turns = place.request.turns
        if not turns or turns[-1]["role"] != "user":
            return None
        for at, block in enumerate(turns[-1]["content"]):
            text = string_at(block, "text")
            if block_type(block) == "text" and not text.strip() and (text != "") == blank:
                return Fault(f"messages.{len(turns) - 1}.content.{at}")
        return None

    return check


SHAPE = (
    Rule(
        "system.unsupported",
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not '
        '"system" as an input message role.',
        (34,), "L", "entry", _system_unsupported, "system.first",
        note="models before opus 4.8 and the 5 families; also seen in 2026: "
        "\"role 'system' is not supported on this model\"",
    ),
    Rule(
        "system.first",
        "{path}: use the top-level 'system' parameter for the initial system prompt" + _DIRECTIVE,
        (37,), "M", "entry", _system_first, "system.first",
    ),
    Rule(
        "system.follows_wrong",
        "{path}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server "
        "tool result" + _DIRECTIVE,
        (38,), "M", "entry", _system_follows_wrong, "system.place",
        note="the other half of row 38, measured in the same kind of public log (October 2026)",
    ),
    Rule(
        "system.precedes_wrong",
        "{path}: role 'system' must precede an 'assistant' message or end the array" + _DIRECTIVE,
        (38,), "M", "entry", _system_precedes_wrong, "system.place",
    ),
    Rule(
        "turn.empty_user", "{path}: user messages must have non-empty content", (41,), "L", "request",
        _empty_user, "turn.empty_user",
        older=(
            "{path}: all messages must have non-empty content except for the optional final assistant "
            "message",
        ),
    ),
    Rule(
        "text.empty", "messages: text content blocks must be non-empty", (42,), "L", "request",
        _last_text(blank=False), "text.empty",
        note="a user turn that ends the conversation; elsewhere the block is lawful on current models",
    ),
    Rule(
        "text.blank", "messages: text content blocks must contain non-whitespace text", (43,), "L", "request",
        _last_text(blank=True), "text.empty",
    ),
)  # fmt: skip
