"""A screenplay as the exchanges that play it: every request a loop would send and the answer it gets.

Rules of this file:

1. Every request is one that the API would take (``wire.rules``); a screenplay with another is refused.
2. Two exchanges that no replay could tell apart are refused, unless the first of them is an error (a 429,
   then the answer).
3. A branch starts from an answer that is written above it.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.recording.marked import Place
from simulator.recording.screenplay import Branch, Reference, Result, Screenplay, Turn
from simulator.recording.scripted import Take, answered
from simulator.wire.message import digest, of_type, parameters, text_of
from simulator.wire.message import results as results_in
from simulator.wire.rules import check_request

Body = dict[str, Any]
Messages = list[dict[str, Any]]


@dataclass(slots=True)
class Takes:
    """A screenplay made ready: ``all`` exchanges in order, the indices of ``main``, the ``branches``.

    ``examples`` holds for every branch the request it was written for. ``index`` and ``after`` give for each
    answer its exchange and the conversation up to and with it.
    """

    play: Screenplay
    all: list[Take] = field(default_factory=list)
    main: list[int] = field(default_factory=list)
    branches: list[dict[str, Any]] = field(default_factory=list)
    examples: dict[str, Body] = field(default_factory=dict)
    index: dict[Reference, int] = field(default_factory=dict)
    after: dict[Reference, Messages] = field(default_factory=dict)


def takes(play: Screenplay) -> Takes:
    """Return the exchanges of *play*. Raises ScreenplayError about the first place that cannot be played."""
    made = Takes(play)
    made.after[None, 0] = [{"role": "user", "content": play.task}]
    made.main = _line(made, None, play.turns, made.after[None, 0], {})
    for branch in play.branches:
        _branch(made, branch)
    return made


def metadata(made: Takes) -> dict[str, Any]:
    """Return the ``metadata.scenario`` block of the cassette."""
    play, extras = made.play, _extras(made)
    scenario = {
        **play.texts,
        "provenance": {
            "kind": "scripted",
            "model": play.model,
            "date": play.written,
            "origin": f"screenplays/{play.source.path.name}",
        },
        "main": made.main,
        "branches": made.branches,
        **({"handlers": extras} if extras else {}),
        **({"skin": {"words": play.skin}} if play.skin else {}),
    }
    # A copy, so that YAML writes no anchors for what happens to be shared.
    return {"scenario": copy.deepcopy(scenario)}


def _branch(made: Takes, branch: Branch) -> None:
    """Add *branch*: its takes (or the answer it shares), its entry in the metadata, its example."""
    play = made.play
    if branch.name in made.examples:
        raise play.source.error((*branch.place, "name"), "screenplay.branch_twice", name=branch.name)
    for key, reference in (("from", branch.start), ("answer", branch.answer)):
        if reference is not None and reference not in made.after:
            raise play.source.error((*branch.place, key), "screenplay.leads_nowhere", to=_spelt(reference))
    messages = made.after[branch.start] + _reply(made, branch)
    if branch.answer is not None:
        exchanges = [made.index[branch.answer]]
        made.examples[branch.name] = _request(made, branch.place, messages, branch.ask)
    else:
        exchanges = _line(made, branch.name, branch.turns, messages, branch.ask)
        made.examples[branch.name] = made.all[exchanges[0]].body
    start = made.index.get(branch.start, -1)
    when = branch.when if branch.unbound or branch.when is None else {"after": start, **branch.when}
    made.branches.append(
        {"name": branch.name, **branch.titles, "from": start, "exchanges": exchanges, "when": when}
    )


def _line(
    made: Takes, name: str | None, turns: Sequence[Turn], messages: Messages, ask: dict[str, Any]
) -> list[int]:
    """Add the takes of one line of *turns* that starts from *messages*; return their indices."""
    first = len(made.all)
    for number, turn in enumerate(turns, 1):
        body = _request(made, turn.place, messages, ask if number == 1 else {}, stream=turn.stream)
        take = answered(made.play, f"{name or 'main'}.{number}", turn, body, _said(messages))
        _refuse_double(made, turn.place, take)
        made.index[name, number] = len(made.all)
        made.all.append(take)
        if turn.error is None:
            messages = [*messages, {"role": "assistant", "content": take.answer["content"]}]
        made.after[name, number] = messages
        if number < len(turns):
            messages = messages + _user_turn(
                made, turn, take, [call.result for call in turn.calls], turn.says
            )
    return list(range(first, len(made.all)))


def _reply(made: Takes, branch: Branch) -> Messages:
    """Return the user turn that *branch* puts after the answer it starts from."""
    start = made.play.turn(branch.start)
    if start is None:
        return [{"role": "user", "content": branch.says}] if branch.says else []
    recorded = [call.result for call in start.calls]
    given = branch.results if branch.results is not None else [None] * len(recorded)
    if len(given) != len(recorded):
        raise made.play.source.error(
            (*branch.place, "results"), "screenplay.results_count", results=len(given), calls=len(recorded)
        )
    results = [mine or old for mine, old in zip(given, recorded, strict=True)]
    take = made.all[made.index[branch.start]]
    says = branch.says if branch.says is not None or branch.results is not None else start.says
    return _user_turn(made, start, take, results[::-1] if branch.swap else results, says, branch.place)


def _user_turn(
    made: Takes,
    turn: Turn,
    take: Take,
    results: Sequence[Result | None],
    says: str | None,
    place: Place | None = None,
) -> Messages:
    """Return what the user says after *turn*: the results of its calls first, then *says*; [] for neither."""
    content: list[dict[str, Any]] = []
    ids = [block["id"] for block in take.answer.get("content", []) if block["type"] == "tool_use"]
    for number, (tool_use_id, result) in enumerate(zip(ids, results, strict=True)):
        if result is None:
            where = place or (*turn.place, "calls", number)
            raise made.play.source.error(where, "screenplay.no_result", tool=turn.calls[number].tool)
        content.append(result.block(tool_use_id))
    if not content:
        return [{"role": "user", "content": says}] if says else []
    return [{"role": "user", "content": [*content, *([{"type": "text", "text": says}] if says else [])]}]


def _request(
    made: Takes, place: Place, messages: Messages, ask: dict[str, Any], *, stream: bool = False
) -> Body:
    """Return the request body for *messages*. Raises ScreenplayError when the API would refuse it."""
    play = made.play
    offered = play.tools
    if "tools" in ask:
        offered = [tool for tool in play.tools if tool["name"] in ask["tools"]]
    body: Body = {"model": play.model, "max_tokens": ask.get("max_tokens", play.max_tokens)}
    body |= {"system": play.system} if play.system else {}
    body |= {"tools": offered} if offered else {}
    body |= {"tool_choice": ask["tool_choice"]} if "tool_choice" in ask else {}
    body |= {"messages": messages}
    body |= {"stream": True} if stream else {}
    refusal = check_request(body)
    if refusal is not None:
        raise play.source.error(place, "screenplay.refused", message=refusal.message)
    return body


def _refuse_double(made: Takes, place: Place, take: Take) -> None:
    """Refuse *take* when an earlier one would always be given in its place."""
    key = (digest(take.body), parameters(take.body))
    for other in made.all:
        if other.status == 200 and (digest(other.body), parameters(other.body)) == key:
            raise made.play.source.error(place, "screenplay.same_request", other=other.label)


def _extras(made: Takes) -> list[dict[str, Any]]:
    """Return the results that the file gives and no request carries, as the metadata's ``handlers``."""
    carried = {block["tool_use_id"] for take in made.all for block in results_in(take.body["messages"])}
    extras = []
    for reference, index in made.index.items():
        turn = made.play.turn(reference)
        blocks = of_type(made.all[index].answer.get("content"), "tool_use")
        for call, block in zip(turn.calls if turn else (), blocks, strict=True):
            if call.result is not None and block["id"] not in carried:
                extra = {"name": block["name"], "input": block["input"]}
                extra["results"] = [call.result.block(block["id"])["content"]]
                extras.append({**extra, **({"is_error": True} if call.result.is_error else {})})
    return extras


def _said(messages: Messages) -> str:
    """Return the text of the last answer in *messages*."""
    answers = [message["content"] for message in messages if message["role"] == "assistant"]
    return text_of(answers[-1]) if answers else ""


def _spelt(reference: Reference) -> str:
    name, number = reference
    return str(number) if name is None else f"{name}.{number}"
