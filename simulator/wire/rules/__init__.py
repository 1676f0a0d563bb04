"""What the Messages API refuses, as a table of small rules.

Rules of this package:

1. ``RULES`` is the table, in the order in which the API checks: ``model``, ``tool_choice``, ``tools``,
   ``messages``, ``system``, ``thinking``, ``cache_control``, ``max_tokens``, ``temperature``, ``top_p``,
   unknown keys, then the conversation as a whole, then what the model cannot do. One error per request.
2. Never refuse what the API accepts: what is not known for sure is let pass, and ``ACCEPTED`` says what is
   let pass on purpose. ``UNJUDGED`` lists the refusals that a body cannot foretell.
3. The facts and their evidence are the rows of ``reference/api-errors.md``; every rule names its own.
4. Each file holds the rules of one part of a request; ``table.py`` says what a rule is.
"""

from __future__ import annotations

from simulator.text import say
from simulator.wire.rules import (
    blocks,
    capability,
    entries,
    pairing,
    parameters,
    shape,
    thinking,
    tools,
    walks,
)
from simulator.wire.rules.accepted import ACCEPTED, UNJUDGED
from simulator.wire.rules.broken_json import JSON_RULES, parse
from simulator.wire.rules.request import Request
from simulator.wire.rules.table import Accepted, ApiError, Rule, Stage, Unjudged

__all__ = [
    "ACCEPTED",
    "JSON_RULES",
    "RULES",
    "STAGES",
    "UNJUDGED",
    "Accepted",
    "ApiError",
    "Rule",
    "Stage",
    "Unjudged",
    "check_json",
    "check_request",
    "explain",
]

STAGES = (
    Stage("body", walks.sent, parameters.BODY),
    Stage("model", walks.whole, parameters.MODEL),
    Stage("tool_choice", walks.whole, tools.TOOL_CHOICE),
    Stage("tools", walks.each_tool, tools.TOOLS),
    Stage("tools together", walks.whole, tools.TOOLS_TOGETHER),
    Stage(
        "messages",
        walks.each_message,
        (*entries.REQUEST, *entries.ENTRY, *blocks.BLOCK, *blocks.RESULT_BLOCK, *entries.ENTRY_END),
    ),
    Stage("system", walks.whole, parameters.SYSTEM),
    Stage("thinking", walks.whole, thinking.THINKING),
    Stage("cache_control", walks.whole, parameters.CACHE_CONTROL),
    Stage("max_tokens", walks.whole, (*parameters.MAX_TOKENS, *thinking.BUDGET)),
    Stage("temperature", walks.whole, parameters.TEMPERATURE),
    Stage("top_p", walks.whole, parameters.TOP_P),
    Stage("unknown keys", walks.whole, parameters.UNKNOWN_KEYS),
    Stage("shape of the conversation", walks.each_entry, shape.SHAPE),
    Stage("pairing", walks.each_turn, pairing.PAIRING),
    Stage("thoughts", walks.whole, thinking.THOUGHTS),
    Stage("model's abilities", walks.whole, capability.CAPABILITY),
)
"""The order of checks: each stage walks the request once and asks all its rules at each place."""

RULES: tuple[Rule, ...] = tuple(rule for stage in STAGES for rule in stage.rules)

_AT = [(stage.walk, {kind: [r for r in stage.rules if r.at == kind] for kind in {r.at for r in stage.rules}})
       for stage in STAGES]  # fmt: skip
_LESSONS = {rule.id: rule.lesson for rule in (*JSON_RULES, *RULES)}


def check_request(body: object) -> ApiError | None:
    """Return the API's refusal of the request *body* (parsed JSON, any value), or None if it is lawful.

    Total: no value makes it raise. Linear in the size of *body*.
    """
    request = Request.of(body)
    for walk, rules in _AT:
        for place in walk(request):
            for rule in rules.get(place.kind, ()):
                error = rule.refuse(place)
                if error is not None:
                    return error
    return None


def check_json(raw: bytes) -> ApiError | None:
    """Return the API's refusal of the request body *raw* as it came over the wire, or None."""
    body, error = parse(raw)
    return error or check_request(body)


def explain(error: ApiError, lang: str | None = None) -> str:
    """Return one plain sentence on the rule *error* comes from and its remedy.

    *lang* as in :func:`simulator.text.say`. Raises KeyError for an error of no rule of this table, such as
    a recorded one.
    """
    return say(f"rules.{_LESSONS[error.rule]}", lang)
