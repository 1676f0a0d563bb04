"""Rules about what a model cannot do. Only models that the table in ``models.py`` knows are judged."""

from __future__ import annotations

from simulator.wire.rules.models import has
from simulator.wire.rules.request import block_type
from simulator.wire.rules.table import Fault, Place, Rule, when


def _forced_tool(place: Place) -> Fault | None:
    return when(has(place.request.model, "no_forced_tool") and place.request.forced_tool(), "tool_choice")


def _budgets(place: Place) -> Fault | None:
    enabled = place.request.thinking() == "enabled"
    return when(enabled and has(place.request.model, "no_budgets"), "thinking.type")


def _sampling(place: Place) -> Fault | None:
    if not has(place.request.model, "no_sampling"):
        return None
    # Defaults are let pass, so a value that changes nothing is no fault.
    turned = {
        "temperature": place.value.get("temperature", 1) != 1,
        "top_p": place.value.get("top_p", 1) < 0.99,
        "top_k": place.value.get("top_k") is not None,
    }
    return next((Fault(name, {"name": name}) for name, changed in turned.items() if changed), None)


def _both_sampling(place: Place) -> Fault | None:
    model = place.request.model
    one = has(model, "one_sampling") and not has(model, "no_sampling")
    return when(one and "temperature" in place.value and "top_p" in place.value, "temperature")


def _prefill(place: Place) -> Fault | None:
    """The last turn is the assistant's and ends in text.

    One that holds blocks of server tools is a paused turn (pause_turn) sent back to be continued, and an
    empty one is accepted.
    """
    turns = place.request.turns
    if not turns or turns[-1]["role"] != "assistant" or not has(place.request.model, "no_prefill"):
        return None
    kinds = [block_type(block) for block in turns[-1]["content"]]
    paused = any(kind.endswith(("_tool_use", "_tool_result")) for kind in kinds)
    return when(kinds[-1:] == ["text"] and not paused, f"messages.{len(turns) - 1}")


CAPABILITY = (
    Rule(
        "model.forced_tool", 'tool_choice: type "tool" and "any" are not supported for this model.', (74,),
        "L", "request", _forced_tool, "model.forced_tool",
    ),
    Rule(
        "model.thinking_enabled",
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
        '"output_config.effort" to control thinking behavior.',
        (85,), "L", "request", _budgets, "model.thinking_enabled",
    ),
    Rule(
        "model.sampling", "`{name}` is deprecated for this model.", (95,), "L", "request", _sampling,
        "model.sampling", note="the row shows temperature; top_p and top_k answer alike, defaults pass",
    ),
    Rule(
        "model.both_sampling",
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        (94,), "L", "request", _both_sampling, "model.sampling",
    ),
    Rule(
        "model.prefill",
        "This model does not support assistant message prefill. The conversation must end with a user "
        "message.",
        (45,), "L", "request", _prefill, "model.prefill",
    ),
)  # fmt: skip
