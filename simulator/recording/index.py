"""What a recording can answer, looked up fast: its exchanges by digest, its branches by condition.

Rules of this file:

1. An index is made once for a recording and shared by its runs. It holds no counter: what depends on how
   often something was asked belongs to the run (``recording.replay``).
2. Of several exchanges with one digest, those answer whose parameters are the ones asked for
   (:func:`matching`); which of these, and when, is the run's matter again.
3. A stream that broke off answers only who asks for a stream, where there is also a whole answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from simulator.recording.digests import Digests
from simulator.recording.responses import body as response_body
from simulator.recording.responses import message_of
from simulator.recording.story import Branch, Story, read_story
from simulator.wire.message import conversation, first_difference, parameters, tool_names

if TYPE_CHECKING:
    from simulator.recording.cassette import Exchange, Recording


class Index:
    """A recording prepared for answering."""

    def __init__(self, recording: Recording, story: Story | None = None) -> None:
        self.recording = recording
        self.story = story if story is not None else read_story(recording)
        self.branches: tuple[Branch, ...] = tuple(b for b in self.story.branches if b.when is not None)
        """The branches that answer by a condition, in the scenario's order."""
        self.digests = Digests()
        self._by_digest: dict[str, tuple[Exchange, ...]] = {}
        self._first: dict[str, tuple[Exchange, ...]] = {}
        self._bodies: dict[tuple[int, bool], tuple[int, str, bytes]] = {}
        for exchange in recording.exchanges:
            key = self.digests.of(exchange.request)
            self._by_digest[key] = (*self._by_digest.get(key, ()), exchange)

    def recorded(self, digest: str) -> tuple[Exchange, ...]:
        """Return the exchanges that were recorded for *digest*, in recorded order."""
        return self._by_digest.get(digest, ())

    def body(self, exchange: Exchange, stream: bool) -> tuple[int, str, bytes]:
        """Return ``(status, content type, body)`` of an exchange; rendered once."""
        key = exchange.index, stream
        if key not in self._bodies:
            self._bodies[key] = response_body(exchange, stream)
        return self._bodies[key]

    def of_branch(self, branch: Branch) -> tuple[Exchange, ...]:
        """Return the exchanges that answer a request for which *branch* is the answer, in recorded order.

        Its first one, and those after it that were recorded for the same conversation with the same
        parameters: an error, then the answer.
        """
        if branch.name not in self._first:
            given = [self.recording.exchanges[index] for index in branch.exchanges]
            asked = self._key(given[0])
            self._first[branch.name] = tuple(takewhile(lambda each: self._key(each) == asked, given))
        return self._first[branch.name]

    def _key(self, exchange: Exchange) -> tuple[str, dict[str, Any]]:
        return self.digests.of(exchange.request), parameters(exchange.request)

    @cached_property
    def prompted(self) -> bool:
        """Whether any recorded request has a system prompt; the recorded answers then depend on it."""
        return any(exchange.request.get("system") for exchange in self.recording.exchanges)

    @cached_property
    def tools(self) -> frozenset[str]:
        """The names of all tools that recorded requests offer."""
        return frozenset(name for each in self.recording.exchanges for name in tool_names(each.request))

    @cached_property
    def answers(self) -> tuple[list[Any] | None, ...]:
        """The canonical content of each exchange's answer; None where that is no message."""
        return tuple(_content(message_of(exchange)) for exchange in self.recording.exchanges)

    def nearest(self, sent: dict[str, Any]) -> tuple[int, tuple[str, object, object]]:
        """Return the index of the recorded request nearest to *sent*, and the first difference.

        *sent* is a ``wire.message.conversation``, and not one that was recorded. Nearest is which
        shares the longest run of blocks from the start; then by length; then the earliest.
        """
        blocks = _blocks(sent)
        recorded = [conversation(exchange.request) for exchange in self.recording.exchanges]
        flat = [_blocks(each) for each in recorded]
        order = [(-_shared(each, blocks), abs(len(each) - len(blocks))) for each in flat]
        index = order.index(min(order))
        return index, first_difference(recorded[index], sent) or ("", recorded[index], sent)


def matching(candidates: tuple[Exchange, ...], asked: dict[str, Any]) -> tuple[Exchange, ...]:
    """Return those of *candidates* (all of one digest) that answer a request with the parameters *asked*.

    Those with exactly these parameters; else those with the most of them. Where these differ in
    ``max_tokens``: the answers that were whole and fit into what is asked for, else those that were cut; and
    of them those that were asked with the nearest limit, from below if there is one.
    """
    exact = tuple(each for each in candidates if parameters(each.request) == asked)
    if exact or len(candidates) == 1:
        return exact or candidates
    scores = [_agreement(parameters(each.request), asked) for each in candidates]
    best = tuple(each for each, score in zip(candidates, scores, strict=True) if score == max(scores))
    limit = asked.get("max_tokens")
    groups = (
        [each for each in best if each.request.get("max_tokens") == limit],
        [each for each in best if not _cut(each) and _fits(each, limit)],
        [each for each in best if _cut(each)],
    )
    return _nearest_limit(next((group for group in groups if group), list(best)), limit)


def servable(group: tuple[Exchange, ...], *, stream: bool) -> tuple[Exchange, ...]:
    """Return those of *group* that answer a request for a *stream*, or one that asks for none (rule 3)."""
    return group if stream else tuple(each for each in group if each.complete) or group


def _agreement(recorded: dict[str, Any], asked: dict[str, Any]) -> int:
    """Return minus the number of parameters in which the two differ, ``max_tokens`` left aside."""
    names = (recorded.keys() | asked.keys()) - {"max_tokens"}
    return -len([name for name in names if recorded.get(name) != asked.get(name)])


def _nearest_limit(group: list[Exchange], limit: object) -> tuple[Exchange, ...]:
    limits = [asked for each in group if isinstance(asked := each.request.get("max_tokens"), int)]
    if not isinstance(limit, int) or not limits:
        return tuple(group)
    nearest = max((each for each in limits if each <= limit), default=min(limits))
    return tuple(each for each in group if each.request.get("max_tokens") == nearest)


def _cut(exchange: Exchange) -> bool:
    return exchange.message is not None and exchange.message.get("stop_reason") == "max_tokens"


def _fits(exchange: Exchange, limit: object) -> bool:
    usage = (exchange.message or {}).get("usage")
    spent = usage.get("output_tokens") if isinstance(usage, dict) else None
    return not isinstance(spent, int) or not isinstance(limit, int) or spent <= limit


def _content(message: dict[str, Any] | None) -> list[Any] | None:
    if message is None:
        return None
    turns = conversation({"messages": [{"role": "assistant", "content": message.get("content")}]})["messages"]
    # The API takes no empty text back, so no request holds one.
    return [block for block in turns[0]["content"] if not _empty(block)]


def _empty(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and not str(block.get("text", "")).strip()


def _blocks(sent: dict[str, Any]) -> list[tuple[object, object]]:
    return [(turn["role"], block) for turn in sent["messages"] for block in turn["content"]]


def _shared(left: Sequence[object], right: Sequence[object]) -> int:
    pairs = zip(left, right, strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))
