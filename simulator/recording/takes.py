"""A screenplay as the exchanges that play it: every request a loop would send and the answer it gets.

Rules of this file:

1. Every request is one that the API would take (``wire.rules``); a screenplay with another is refused.
2. Two exchanges that no replay could tell apart are refused, unless the first of them is an error (a 429,
   then the answer) or a stream that breaks off: asked again, these give way to what comes after them.
3. A branch starts from an answer that is written above it.
4. In the conversation an answer stands as a loop may send it back: without its empty texts, and not at all
   where nothing else is in it.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.recording.extras import extras
from simulator.recording.marked import Place
from simulator.recording.screenplay import Branch, Reference, Result, Screenplay, Turn
from simulator.recording.scripted import Take, answered, broken_off
from simulator.wire.message import digest, parameters, text_of
from simulator.wire.rules import check_request

Body = dict[str, Any]
Messages = list[dict[str, Any]]


@dataclass(slots=True)
class Takes:
    """A screenplay made ready: ``all`` exchanges in order, the indices of ``main``, the ``branches``.

    ``examples`` holds for every branch the request it was written for. ``index`` and ``after`` give for each
    answer its exchange and the conversation up to and with it; ``first`` the first exchange with its request,
    ``seen`` the exchange of the last answer that this conversation shows, -1 for none.
    """

    play: Screenplay
    all: list[Take] = field(default_factory=list)
    main: list[int] = field(default_factory=list)
    branches: list[dict[str, Any]] = field(default_factory=list)
    examples: dict[str, Body] = field(default_factory=dict)
    index: dict[Reference, int] = field(default_factory=dict)
    first: dict[Reference, int] = field(default_factory=dict)
    seen: dict[Reference, int] = field(default_factory=dict)
    after: dict[Reference, Messages] = field(default_factory=dict)


def takes(play: Screenplay) -> Takes:
    """Return the exchanges of *play*. Raises ScreenplayError about the first place that cannot be played."""
    made = Takes(play)
    made.after[None, 0] = [{"role": "user", "content": play.task}]
    made.seen[None, 0] = -1
    made.main = _line(made, None, play.turns, (None, 0), made.after[None, 0], {})
    for branch in play.branches:
        _branch(made, branch)
    return made


def metadata(made: Takes) -> dict[str, Any]:
    """Return the ``metadata.scenario`` block of the cassette."""
    play, found = made.play, extras(made)
    scenario = {
        **play.texts,
        "provenance": {
            "kind": "scripted",
            "model": play.model,
            "date": play.written,
            "origin": f"screenplays/{play.source.path.name}",
        },
        "main": made.main,
        **_resume(made),
        "branches": made.branches,
        **({"handlers": found} if found else {}),
        **({"skin": {"words": play.skin}} if play.skin else {}),
    }
    # A copy, so that YAML writes no anchors for what happens to be shared.
    return {"scenario": copy.deepcopy(scenario)}


def _resume(made: Takes) -> dict[str, Any]:
    """Return what the metadata says of the conversation a loop is given, where that is not the task alone."""
    if made.play.resume is None:
        return {}
    after, answered = made.play.resume
    turn = made.play.turn((None, after))
    if turn is None or after == len(made.play.turns) or answered > len(turn.calls):
        raise made.play.source.error(("resume",), "screenplay.no_resume", after=after, answered=answered)
    return {"resume": {"exchange": made.index[None, after], "answered": answered}}


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
        exchanges = _answering(made, branch.answer)
        made.examples[branch.name] = _request(made, branch.place, messages, branch.ask)
    else:
        exchanges = _line(made, branch.name, branch.turns, branch.start, messages, branch.ask)
        made.examples[branch.name] = made.all[exchanges[0]].body
    start = made.index.get(branch.start, -1)
    when = branch.when
    if when is not None and not branch.unbound:
        when = {"after": made.seen[branch.start], **when}
    made.branches.append(
        {"name": branch.name, **branch.titles, "from": start, "exchanges": exchanges, "when": when}
    )


def _line(
    made: Takes,
    name: str | None,
    turns: Sequence[Turn],
    start: Reference,
    messages: Messages,
    ask: dict[str, Any],
) -> list[int]:
    """Add the takes of a line of *turns* that goes on from *start* with *messages*; return their indices."""
    first, seen = len(made.all), made.seen[start]
    for number, turn in enumerate(turns, 1):
        stream = turn.stream and turn.error is None
        body = _request(made, turn.place, messages, ask if number == 1 else {}, stream=stream)
        take = answered(made.play, f"{name or 'main'}.{number}", turn, body, _said(messages))
        made.first[name, number] = len(made.all)
        for each in (broken_off(made.play, turn, take), take):
            if each is not None:
                _refuse_double(made, turn.place, each)
                made.index[name, number] = len(made.all)
                made.all.append(each)
        content = _sent_back(take)
        if content:
            messages = [*messages, {"role": "assistant", "content": content}]
            seen = made.index[name, number]
        made.after[name, number], made.seen[name, number] = messages, seen
        if number < len(turns):
            messages = messages + _user_turn(
                made, turn, take, [call.result for call in turn.calls], turn.says
            )
    return list(range(first, len(made.all)))


def _sent_back(take: Take) -> Messages:
    """Return the content of an answer as the next request carries it (rule 4)."""
    content = take.answer.get("content", [])
    return [block for block in content if block["type"] != "text" or block["text"].strip()]


def _answering(made: Takes, reference: Reference) -> list[int]:
    """Return the exchanges that answer the request of *reference*, in order: errors, a broken stream, it."""
    first = made.first[reference]
    asked = _key(made.all[first].body)
    last = first
    while last + 1 < len(made.all) and _key(made.all[last + 1].body) == asked:
        last += 1
    return list(range(first, last + 1))


def _key(body: Body) -> tuple[str, dict[str, Any]]:
    """Return what a replay can tell of the request *body*."""
    return digest(body), parameters(body)


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
        if result.content is None:
            where = place or (*turn.place, "calls", number, "result")
            raise made.play.source.error(where, "screenplay.no_words", tool=turn.calls[number].tool)
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
    key = _key(take.body)
    for other in made.all:
        if other.status == 200 and other.events is None and _key(other.body) == key:
            raise made.play.source.error(place, "screenplay.same_request", other=other.label)


def _said(messages: Messages) -> str:
    """Return the text of the last answer in *messages*."""
    answers = [message["content"] for message in messages if message["role"] == "assistant"]
    return text_of(answers[-1]) if answers else ""


def _spelt(reference: Reference) -> str:
    name, number = reference
    return str(number) if name is None else f"{name}.{number}"
