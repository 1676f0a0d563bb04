"""Large results: kept outside the conversation, with a beginning and a reference in it.

Rules of this file:

1. A result over ``Results.limit`` characters never enters the context whole. What enters says so, first.
2. With a store, the whole text is kept and the model can fetch any part of it again with the tool
   ``read_result``, which is offered from the first request on: tools do not change in the middle of a run.
3. Without one it is cut, and says how much is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from simulator.loop.answers import shortened
from simulator.loop.failures import InvalidCall
from simulator.loop.outcome import Outcome
from simulator.text import say
from simulator.wire.message import text_of

TOOL = "read_result"


class Store(Protocol):
    """Where whole results are kept."""

    def keep(self, text: str) -> str:
        """Keep *text* and return its reference: the same one for the same text, or a repeated call looks
        new.
        """
        ...

    def text(self, reference: str) -> str | None:
        """Return the text of *reference*, or None where there is none."""
        ...

    def references(self) -> list[str]:
        """Return every reference there is."""
        ...


@dataclass
class Memory:
    """A store that lasts as long as the object: ``result_1``, ``result_2`` …"""

    texts: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def keep(self, text: str) -> str:
        """Keep *text* and return its reference."""
        reference = self.names.setdefault(text, f"result_{len(self.names) + 1}")
        self.texts[reference] = text
        return reference

    def text(self, reference: str) -> str | None:
        """Return the text of *reference*, or None where there is none."""
        return self.texts.get(reference)

    def references(self) -> list[str]:
        """Return every reference there is."""
        return list(self.texts)


@dataclass(frozen=True)
class Results:
    """How large a result may be in the conversation, and where the rest goes."""

    limit: int = 50_000
    """Characters; about four are a token."""
    excerpt: int = 2_000
    """Characters of its beginning that enter the conversation where the whole is in the store."""
    store: Store | None = None

    def fit(self, content: Any) -> Any:
        """Return the *content* of a result as it may enter the conversation."""
        text = content if isinstance(content, str) else text_of(content)
        if len(text) <= self.limit:
            return content
        if self.store is None:
            return shortened(content, self.limit, say("loop.model.cut", size=len(text), shown=self.limit))
        shown = min(self.excerpt, self.limit)
        reference = self.store.keep(text)
        note = say("loop.model.kept", size=len(text), reference=reference, shown=shown)
        return shortened(content, shown, note)

    def fitted(self, outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
        """Return *outcomes* with each content as it may enter the conversation."""
        return tuple(self._fitted(outcome, self.fit(outcome.content)) for outcome in outcomes)

    def _fitted(self, outcome: Outcome, content: Any) -> Outcome:
        return outcome if content is outcome.content else replace(outcome, content=content)

    def tool(self) -> dict[str, Any] | None:
        """Return the definition of ``read_result``, or None where there is no store."""
        if self.store is None:
            return None
        return {
            "name": TOOL,
            "description": say("loop.model.read_result", limit=self.limit),
            "input_schema": {
                "type": "object",
                "properties": {
                    "reference": {"type": "string"},
                    "start": {"type": "integer", "minimum": 0},
                    "length": {"type": "integer", "minimum": 1},
                },
                "required": ["reference"],
            },
        }

    def read(self, reference: str, start: int = 0, length: int | None = None) -> str:
        """Return a part of a kept result: the handler of ``read_result``. Raises InvalidCall."""
        assert self.store is not None, "the tool is offered only where there is a store"
        text = self.store.text(reference)
        if text is None:
            there = self.store.references()
            raise InvalidCall(say("loop.model.no_reference", reference=reference), reference, there)
        begin = max(0, start)
        # One part never grows over the limit, or it would be kept outside again.
        end = begin + min(self.limit, self.limit if length is None else max(1, length))
        return text[begin:end] or say("loop.model.past_end", reference=reference, size=len(text))

    def handlers(self) -> Mapping[str, Any]:
        """Return the handler of ``read_result`` by its name; none where there is no store."""
        return {} if self.store is None else {TOOL: self.read}
