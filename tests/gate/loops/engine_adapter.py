"""The project's own engine behind the full signature, so that the gate judges it like anybody's loop.

It hands back the engine's ``Run`` as it is. Interrupted from the keyboard, the engine ends by name, too, and
keeps what was done; whoever called it this way gets the interrupt.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from simulator.loop import Budget, Compaction, Interrupted, Policy, Results, Run, SubLoop, run


def run_agent_loop(
    client: Any,
    messages: Any,
    tools: Any,
    handlers: Any,
    *,
    model: str = "claude-sonnet-5-5",
    max_tokens: int = 4096,
    system: Any = None,
    max_iterations: int = 20,
    max_total_tokens: int | None = None,
    max_seconds: float | None = None,
    max_cost: float | None = None,
    check: Any = None,
    tool_timeout: float | None = None,
    context_tokens: int | None = None,
    pinned: Any = (),
    max_result_chars: int | None = None,
    tool_choice: Any = None,
    subloops: Any = None,
    stream: bool = False,
    cancelled: Any = None,
    on_event: Any = None,
) -> Run:
    """Run the engine with a policy made of the options."""
    money = None if max_cost is None else Decimal(str(max_cost))
    settings: dict[str, Any] = {
        "budget": Budget(max_iterations, max_total_tokens, max_seconds, money),
        "tool_seconds": tool_timeout,
        "parameters": {} if tool_choice is None else {"tool_choice": tool_choice},
        "check": check,
        "on_move": on_event.append if isinstance(on_event, list) else on_event,
        "on_stream": _nobody if stream else None,
    }
    if context_tokens is not None or pinned:
        settings["compaction"] = Compaction(context_tokens or 200_000, pinned=tuple(pinned))
    if max_result_chars is not None:
        settings["results"] = Results(limit=max_result_chars)
    if cancelled is not None:
        settings["cancelled"] = cancelled
    policy = Policy(model, max_tokens, system, **settings)
    helpers = {name: _helper(client, plan, handlers, policy) for name, plan in (subloops or {}).items()}
    result = run(client, messages, tools, {**handlers, **helpers}, policy)
    if isinstance(result.exit, Interrupted) and result.exit.by == "keyboard":
        raise KeyboardInterrupt(result.sentence())
    return result


def _helper(client: Any, plan: dict[str, Any], handlers: Any, parent: Policy) -> SubLoop:
    """Return the loop that answers the calls of one tool; its budget is what it may take of its parent's."""
    settings = Policy(
        parent.model,
        parent.max_tokens,
        budget=Budget(steps=plan.get("max_iterations")),
        tool_seconds=parent.tool_seconds,
        results=parent.results,
        on_stream=parent.on_stream,
    )
    return SubLoop(client, plan["tools"], handlers, settings)


def _nobody(event: dict[str, Any]) -> None:
    """Watch a stream without showing it to anybody."""
