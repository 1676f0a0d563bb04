"""Rules about ``thinking`` and about what the conversation must hold while it is enabled."""

from __future__ import annotations

from simulator.wire.rules.request import Request, block_type
from simulator.wire.rules.table import Fault, Place, Rule, when


def _not_object(place: Place) -> Fault | None:
    return when(not isinstance(place.value.get("thinking", {}), dict), "thinking")


def _forced_while_thinking(place: Place) -> Fault | None:
    return when(place.request.thinking() == "enabled" and place.request.forced_tool(), "tool_choice")


def _budget_over_max(place: Place) -> Fault | None:
    if place.request.thinking() != "enabled":
        return None
    budget, maximum = place.value["thinking"].get("budget_tokens"), place.value.get("max_tokens")
    if not isinstance(budget, int | float) or not isinstance(maximum, int | float):
        return None
    # max_tokens 0 generates nothing at all; that the budget exceeds it is not known to matter.
    return when(0 < maximum <= budget, "max_tokens")


def _thinks_first(content: list[object]) -> bool:
    return bool(content) and block_type(content[0]) in ("thinking", "redacted_thinking")


def _open_calls(request: Request) -> list[int]:
    """Return the assistant turns of the tool loop that is under way, last first.

    It is under way while the last turn brings tool_results; it began after the last user turn without any.
    """
    turns: list[int] = []
    answer = len(request.turns)
    while (last := request.beside(answer, -1)) is not None:
        results = any(block_type(block) == "tool_result" for block in request.live[last])
        call = request.beside(last, -1)
        if request.turns[last]["role"] != "user" or not results or call is None:
            break
        turns.append(call)
        answer = call
    return turns


def _thought_dropped(place: Place) -> Fault | None:
    """Thinking is enabled and the loop under way holds no thinking at all.

    A model without interleaved thinking thinks only before its first call, so one thinking turn is enough.
    """
    calls = _open_calls(place.request) if place.request.thinking() == "enabled" else []
    contents = [place.request.live[index] for index in calls]
    if not contents or any(_thinks_first(content) for content in contents):
        return None
    found = block_type(contents[0][0]) if contents[0] else ""
    return when(bool(found), f"messages.{calls[0]}.content.0.type", found=found)


THINKING = (
    Rule(
        "thinking.not_object", "thinking: Input should be an object", (50,), "M", "request", _not_object,
        "shape.wrong_type", note="by the wording of row 50; null is not absence here either",
    ),
    Rule(
        "thinking.forced_tool", "Thinking may not be enabled when tool_choice forces tool use.", (73,), "L",
        "request", _forced_while_thinking, "thinking.forced_tool",
    ),
)  # fmt: skip

BUDGET = (
    Rule(
        "thinking.budget", "`max_tokens` must be greater than `thinking.budget_tokens`.", (83,), "L",
        "request", _budget_over_max, "thinking.budget",
        note="the header interleaved-thinking-2025-05-14, which no body shows, lifts this on models of 2025",
    ),
)  # fmt: skip

THOUGHTS = (
    Rule(
        "thinking.dropped",
        "{path}: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is "
        "enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set "
        "of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous "
        "turns. To avoid this requirement, disable `thinking`. Please consult our documentation at "
        "https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking",
        (75,), "L", "request", _thought_dropped, "thinking.dropped",
        note="adaptive thinking does not ask for it; the address at the end is also seen at docs.claude.com",
    ),
)  # fmt: skip
