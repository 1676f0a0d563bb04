"""Family v: what the API runs itself is its own; the loop answers for its own calls alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.gate.judgements.echo import as_sent, turn_with
from simulator.gate.judgements.reading import Exchange, call_form, clip, exchanges, result_text, steps_from
from simulator.gate.probe import Probe, probe
from simulator.gate.verdict import Verdict, broken, holds, unknown
from simulator.wire import message as wire

if TYPE_CHECKING:
    from simulator.trace.document import Trace


def answers_only_its_own(trace: Trace) -> Verdict:
    """The calls of server tools are neither run nor answered here; beside an open one, only results are sent.

    Findings: ``answered`` (a result was sent for it), ``beside`` (something else than results in the reply to
    a turn with an open one), ``went_on`` (a turn with nothing to answer was answered), ``tools_gone`` (the
    reply offers other tools).
    """
    judged = False
    seen = exchanges(trace)
    for place, one in enumerate(seen):
        served = wire.of_type(one.content, "server_tool_use")
        if not served:
            continue
        judged = True
        after = seen[place + 1] if place + 1 < len(seen) else None
        found = _replied(one, served, after) if after else None
        if found is not None:
            return found
    return holds() if judged and (len(seen) > 1 or trace.exit.reason == "returned") else unknown()


def echoes_server_blocks(trace: Trace) -> Verdict:
    """Blocks of server tools go back with the turn they came in, as they came.

    Findings: ``dropped``, ``altered``, ``moved``.
    """
    judged = False
    for before, after in steps_from(trace):
        sent = turn_with(before.asked, after) if any(map(_of_server, before.content)) else None
        if sent is None:
            continue
        judged = True
        wrong = _echoed(as_sent(before), sent)
        if wrong is not None:
            finding, facts = wrong
            return broken(f"server_tools.{finding}", after.turn, before=before.turn, **facts)
    return holds() if judged else unknown()


def _replied(one: Exchange, served: list[wire.Block], after: Exchange) -> Verdict | None:
    """Judge the request after *one*, an answer with the calls *served* in it."""
    facts = {"before": one.turn, "call": _form(served[0])}
    if not one.asked:
        paused = one.signal == "pause_turn"
        return None if paused else broken("server_tools.went_on", after.turn, **facts, signal=one.signal)
    ids = {block.get("id"): block for block in served}
    for result in wire.results(after.messages):
        block = ids.get(result.get("tool_use_id"))
        if block is not None:
            facts |= {"call": _form(block), "sent": clip(result_text(result.get("content")), 50)}
            return broken("server_tools.answered", after.turn, **facts)
    others = [block for block in _reply(after) if block.get("type") != "tool_result"]
    if others and _open(one.content):
        text = wire.text_of(others) or str(others[0].get("type"))
        return broken("server_tools.beside", after.turn, **facts, text=clip(text, 60))
    names = after.request.parameters.get("tools")
    if names is None:
        return None
    return broken("server_tools.tools_gone", after.turn, **facts, tools=", ".join(map(str, names)) or "-")


def _reply(after: Exchange) -> list[wire.Block]:
    """Return the last turn of a request where that is the user's: what came after the answer before."""
    turns = wire.conversation({"messages": after.messages})["messages"]
    return list(turns[-1]["content"]) if turns and turns[-1]["role"] == "user" else []


def _open(content: list[Any]) -> bool:
    """True when a call of a server tool in *content* has no result there."""
    done = {block.get("tool_use_id") for block in content if isinstance(block, dict)}
    return any(block.get("id") not in done for block in wire.of_type(content, "server_tool_use"))


def _echoed(had: list[Any], sent: list[Any]) -> tuple[str, dict[str, object]] | None:
    """Return what is wrong with the turn *had* as it was *sent* back, or None."""
    for block in filter(_of_server, had):
        if block not in sent:
            there = any(_key(block) == _key(other) for other in sent)
            return "altered" if there else "dropped", {"block": _shown(block)}
    if _kinds(had) != _kinds(sent):
        return "moved", {"was": ", ".join(_kinds(had)), "now": ", ".join(_kinds(sent))}
    return None


def _of_server(block: Any) -> bool:
    """True for a call of a server tool, and for its result."""
    kind = str(block.get("type")) if isinstance(block, dict) else ""
    return kind == "server_tool_use" or kind.endswith("_tool_result")


def _kinds(content: list[Any]) -> list[str]:
    return [block["type"] for block in content if _of_server(block) or block.get("type") == "tool_use"]


def _key(block: wire.Block) -> tuple[object, object]:
    return block.get("type"), block.get("id") or block.get("tool_use_id")


def _form(block: wire.Block) -> str:
    return call_form(block.get("name"), block.get("input"))


def _shown(block: wire.Block) -> str:
    return _form(block) if block.get("name") else f"{block.get('type')} {block.get('tool_use_id')}"


PROBES: tuple[Probe, ...] = (
    probe(answers_only_its_own, "v", "asks_the_web_too", "web_answer_alone", katas=("27",)),
    probe(echoes_server_blocks, "v", "asks_the_web_too", katas=("27",)),
)
