"""Does the run get anywhere? The loop's own signal, since the model only knows what is still in its context.

Rules of this file:

1. A call is its tool's name and its input; the order of keys is free. What it brought is its result.
2. A call with a result never seen before is news: knowledge or the world has changed, so polling is progress
   as long as what it returns changes. News wipes the slate of repetitions.
3. The same call with the same result once more is a ``repeat``: the model is told. ``patience.repeats`` of
   them without news in between are ``stuck``, so A, B, A, B, A is stuck and A(1), A(2), A(3) is not.
4. ``patience.quiet`` steps in a row without news are stuck too, whatever they called.
5. A poll that never ends has a cap of its own, ``patience.polls``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from simulator.wire.message import sha256


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a run may go without progress. Raises ValueError for less than the numbers mean."""

    repeats: int = 3
    """The n-th identical call with the identical result ends the run; at least 2."""
    quiet: int = 5
    """So many steps in a row without anything new end it; at least 1."""
    polls: int = 100
    """A single call may be made so often, even if its results change."""

    def __post_init__(self) -> None:
        if self.repeats < 2 or self.quiet < 1 or self.polls < 1:
            raise ValueError(f"{self} leaves no room for a first call: repeats >= 2, quiet >= 1, polls >= 1")


@dataclass(frozen=True, slots=True)
class Seen:
    """One call of a step with what it brought."""

    name: str
    input: object
    result: object

    @property
    def key(self) -> str:
        """The call, by hash."""
        return sha256([self.name, self.input])

    def pair(self, key: str) -> str:
        """Return the call of this *key* and its result, by hash."""
        return sha256([key, self.result])


Word = Literal["ok", "repeat", "repeated", "quiet", "polled"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """On one call: ``ok``, ``repeat`` (the model is told), or one of the three ways to be stuck."""

    word: Word
    times: int = 1

    @property
    def stuck(self) -> bool:
        """Whether the run ends here."""
        return self.word in ("repeated", "quiet", "polled")


@dataclass(frozen=True, slots=True)
class Progress:
    """What the run has seen. ``after`` returns the next one; this one does not change."""

    known: frozenset[str] = frozenset()
    """Pairs of call and result that have occurred."""
    stale: Mapping[str, int] = field(default_factory=dict)
    """How often a known pair came again since the last news."""
    made: Mapping[str, int] = field(default_factory=dict)
    """How often each call was made."""
    quiet: int = 0
    """Steps in a row without news."""

    def after(self, step: Iterable[Seen], patience: Patience) -> tuple[Progress, list[Verdict]]:
        """Return what is known after one step, and a verdict on each of its calls, in order.

        Twin calls within one step are one: they were asked for at once.
        """
        calls = list(step)
        keys = [call.key for call in calls]
        pairs = [call.pair(key) for call, key in zip(calls, keys, strict=True)]
        news = set(pairs) - self.known
        stale = {} if news else dict(self.stale)
        for pair in set(pairs) - news:
            stale[pair] = stale.get(pair, 0) + 1
        made = dict(self.made)
        for key in set(keys):
            made[key] = made.get(key, 0) + 1
        now = Progress(self.known | news, stale, made, 0 if news or not calls else self.quiet + 1)
        return now, [now._verdict(key, pair, patience) for key, pair in zip(keys, pairs, strict=True)]

    def _verdict(self, key: str, pair: str, patience: Patience) -> Verdict:
        times = self.stale.get(pair, 0) + 1
        if times >= patience.repeats:
            return Verdict("repeated", times)
        if self.quiet >= patience.quiet:
            return Verdict("quiet", self.quiet)
        if self.made[key] >= patience.polls:
            return Verdict("polled", self.made[key])
        return Verdict("repeat", times) if times > 1 else Verdict("ok")
