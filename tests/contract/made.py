"""A contract and a loop made by hand, for tests of what is done with them."""

from dataclasses import replace
from typing import Any

from simulator.contract.model import (
    Action,
    Budget,
    Compaction,
    Contract,
    Handlers,
    Prices,
    Progress,
    Request,
    Results,
    Retries,
    Signal,
    Tracing,
    Verification,
)

RAISED = Action("raise")
SIGNALS: dict[Signal, Action] = {
    "tool_use": Action("run_tools"),
    "end_turn": Action("finish"),
    "stop_sequence": Action("finish"),
    "max_tokens": RAISED,
    "pause_turn": Action("resume", 5),
    "refusal": RAISED,
    "model_context_window_exceeded": RAISED,
    "otherwise": RAISED,
}

PLAIN = Contract(
    name="file-finder",
    description="Finds files.",
    request=Request("claude-sonnet-5-5", 4096, "You find files."),
    budget=Budget(iterations=20),
    signals=SIGNALS,
    results=Results(),
    handlers=Handlers("tell", "tell"),
    progress=Progress(2, 3),
    retries=Retries("client"),
    verification=None,
    compaction=None,
    tracing=Tracing("agent_loop"),
    digest="ab" * 32,
    defaults=frozenset({"/progress", "/request/max_tokens", "/retries"}),
)
"""As little as a contract can declare."""

PRICES = Prices("2026-11-30", 3, 15, 3.75, 0.3)
FULL = replace(
    PLAIN,
    budget=Budget(20, 200_000, 300, 2.5, PRICES),
    signals={**SIGNALS, "max_tokens": Action("ask_again", 2)},
    results=Results(20_000),
    handlers=Handlers("propagate", "raise", 30),
    retries=Retries("loop", 4, 1, 60),
    verification=Verification(2),
    compaction=Compaction(100_000, 0.6, 3),
)
"""All that a contract can declare."""


def asking(**parameters: Any) -> Contract:
    """Return the plain contract with other parameters of the request; ``system`` is one of them."""
    system = parameters.pop("system", PLAIN.request.system)
    return replace(PLAIN, request=replace(PLAIN.request, system=system, parameters=parameters))


LOOP = '''"""A loop."""


# Contract: /budget
class BudgetExceeded(Exception):
    """The budget is spent."""


class UnhandledStop(Exception):
    """A signal nobody named."""


# Contract: /signals /results
# Every call of an answer is run.
def run_agent_loop(client, messages, tools, handlers, max_iterations=20, *, on_event=print):
    for _ in range(max_iterations):
        response = client.ask(messages, tools)
        on_event(response)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason in ("end_turn", "stop_sequence"):
            return response
        if response.stop_reason == "pause_turn":
            continue
        if response.stop_reason != "tool_use":
            raise UnhandledStop(response.stop_reason)
        calls = [block for block in response.content if block.type == "tool_use"]
        messages.append({"role": "user", "content": [answered(call, handlers) for call in calls]})
    raise BudgetExceeded(max_iterations)


def answered(call, handlers):
    try:
        return {"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)}
    except Exception as error:
        return {"type": "tool_result", "tool_use_id": call.id, "content": str(error), "is_error": True}
'''
"""What :data:`PLAIN` could be compiled to."""
