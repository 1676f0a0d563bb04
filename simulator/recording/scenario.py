"""A scenario: a cassette, and what a loop needs to run on it.

Rules of this file:

1. Any cassette is a scenario: what it does not say about itself is read from its exchanges.
2. A scenario never changes. What changes during a run (the list of messages, the counts of the handlers, the
   replay) belongs to a :class:`Session`, and every ``start`` makes a new one.
"""

from __future__ import annotations

import copy
import difflib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator import paths
from simulator.recording.cassette import Recording, read
from simulator.recording.handlers import Handler, Results, ToolFailed, make_handlers, recorded_results
from simulator.recording.index import Index
from simulator.recording.replay import MAX_REQUESTS, Listener, Replay
from simulator.recording.skin import reskin
from simulator.recording.story import Branch, Provenance, Story, read_story
from simulator.text import say
from simulator.text.visible import visible
from simulator.wire.message import of_type

if TYPE_CHECKING:
    import anthropic

__all__ = [
    "Branch",
    "Provenance",
    "Scenario",
    "Session",
    "ToolFailed",
    "UnknownScenario",
    "scenario",
    "scenarios",
]


class UnknownScenario(LookupError):  # noqa: N818  # named for what it tells
    """No scenario has this name; ``close`` are the names most like it."""

    def __init__(self, name: str) -> None:
        names = scenarios()
        self.name = name
        begun = [each for each in names if name and each.startswith(name)]
        alike = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        self.close = tuple(dict.fromkeys([*begun, *alike]))[:3]
        what = "scenario.unknown.close" if self.close else "scenario.unknown.far"
        values = {"name": visible(name), "close": ", ".join(self.close), "names": ", ".join(names)}
        super().__init__(say(what, **values))


@dataclass(frozen=True)
class Scenario:
    """A cassette with its story. ``start()`` begins a run on it."""

    name: str
    recording: Recording
    about: Story
    """What the cassette says about itself, or what is true without that."""

    @classmethod
    def of(cls, recording: Recording) -> Scenario:
        """Return the scenario of *recording*. Raises CassetteError when its metadata is wrong."""
        return cls(recording.path.stem, recording, read_story(recording))

    @property
    def title(self) -> str:
        """A few words, in the language of the run; the file's name where nobody gave it a title."""
        return self.about.title

    @property
    def story(self) -> str:
        """One or two sentences on what happens; empty where nobody wrote any."""
        return self.about.text

    @property
    def provenance(self) -> Provenance:
        """Whether it was scripted or recorded, from which model, when."""
        return self.about.provenance

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The recorded branches besides the main line."""
        return self.about.branches

    @property
    def request(self) -> dict[str, Any]:
        """The body of the first request of the main line. It is the recording's own: do not change it."""
        return self.recording.exchanges[self.about.main[0]].request

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What a loop is given: the first messages of the main line, or what an earlier run left of it.

        A new copy each time.
        """
        if self.about.resume is None:
            return copy.deepcopy(self.request.get("messages") or [])
        return copy.deepcopy(self._left(*self.about.resume))

    def _left(self, ended: int, answered: int) -> list[dict[str, Any]]:
        """Return the conversation that ends with the answer of exchange *ended* and its first results.

        An answer without calls was the end of the earlier run; what the user says after it follows.
        """
        exchange = self.recording.exchanges[ended]
        content = (exchange.message or {}).get("content")
        after = next((index for index in self.about.main if index > ended), ended)
        said = self.recording.exchanges[after].request["messages"][-1]
        replies = of_type(said["content"], "tool_result")[:answered]
        follows = {"role": "user", "content": replies} if of_type(content, "tool_use") else said
        given = [follows] if follows["content"] else []
        return [*exchange.request["messages"], {"role": "assistant", "content": content}, *given]

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools on offer, as sent; a new copy each time."""
        return copy.deepcopy(self.request.get("tools") or [])

    @property
    def system(self) -> str | list[dict[str, Any]] | None:
        """The system prompt, as sent; a new copy each time."""
        return copy.deepcopy(self.request.get("system"))

    @property
    def model(self) -> str:
        """The model that was asked."""
        return str(self.request.get("model", ""))

    @property
    def max_tokens(self) -> int:
        """``max_tokens`` of the first request; 1024 where it states none."""
        asked = self.request.get("max_tokens")
        return asked if isinstance(asked, int) else 1024

    @cached_property
    def index(self) -> Index:
        """The recording, prepared for answering; shared by all runs."""
        return Index(self.recording, self.about)

    @cached_property
    def results(self) -> Results:
        """The recorded results of its tools; shared by all runs."""
        return recorded_results(self.recording, self.about)

    def skinned(self, seed: int) -> Scenario:
        """Return this scenario with ids and words exchanged by *seed*. Raises CassetteError."""
        recording = reskin(self.recording, self.about, seed)
        return Scenario(self.name, recording, read_story(recording))

    def start(
        self,
        *,
        seed: int | None = None,
        max_requests: int = MAX_REQUESTS,
        listener: Listener | None = None,
        retries: int = 0,
        what_if: Mapping[int, str] | None = None,
    ) -> Session:
        """Return a new run: as recorded, or re-skinned from *seed*. *retries*: the SDK's own.

        *what_if*: the number of a request (from 1) -> the signal with which its answer ends instead. Raises
        ValueError where it is something else.
        """
        dressed = self if seed is None else self.skinned(seed)
        replay = Replay(
            dressed.recording,
            max_requests=max_requests,
            listener=listener,
            index=dressed.index,
            what_if=what_if,
        )
        return Session(dressed, replay, seed, retries, what_if or {})


class Session:
    """One run on a scenario: a client on its replay, and its own copies of what a loop is given.

    ``messages`` are the first messages, ``handlers`` the tools by name, ``replay`` the run itself.
    """

    def __init__(
        self,
        scenario: Scenario,
        replay: Replay,
        seed: int | None,
        retries: int = 0,
        what_if: Mapping[int, str] | None = None,
    ) -> None:
        self.scenario, self.replay, self.seed, self.retries = scenario, replay, seed, retries
        self.what_if = dict(what_if or {})
        self.messages = scenario.messages
        self.tools = scenario.tools
        self.system = scenario.system
        self.model = scenario.model
        self.max_tokens = scenario.max_tokens
        self._over = threading.Event()
        self.handlers: dict[str, Handler] = make_handlers(scenario.results, replay.stop, self._over)

    def close(self) -> None:
        """Say that the run is over: handlers that still hang are let go. May be called again."""
        self._over.set()

    @cached_property
    def client(self) -> anthropic.Anthropic:
        """A real SDK client that is answered from the recording."""
        from simulator.recording.client import client

        return client(self.replay, max_retries=self.retries)

    @cached_property
    def async_client(self) -> anthropic.AsyncAnthropic:
        """Its asynchronous twin, on the same run."""
        from simulator.recording.client import async_client

        return async_client(self.replay, max_retries=self.retries)


def scenario(name_or_path: str | Path) -> Scenario:
    """Return the shipped scenario of that name, or the scenario of the cassette at that path.

    A ``Path``, and a text with a folder or a file ending in it, is a path. Raises UnknownScenario, or
    CassetteError for a file that cannot be read, and TypeError for what is neither a text nor a path.
    """
    if not isinstance(name_or_path, (str, Path)):
        raise TypeError(say("scenario.not_a_name", seen=type(name_or_path).__name__))
    path = Path(name_or_path)
    if isinstance(name_or_path, str) and path.name == name_or_path and not path.suffix:
        if name_or_path not in scenarios():
            raise UnknownScenario(name_or_path)
        path = paths.cassettes() / f"{name_or_path}.yaml"
    return Scenario.of(read(path))


BEGIN_WITH = (
    "list_then_read",
    "count_python_files",
    "parallel_reads",
    "todo_list",
    "not_done_yet",
    "truncated_report",
    "truncated_call",
    "truncated_again",
)
"""The scenarios to meet first; most of the others are about something that goes wrong."""


def scenarios() -> tuple[str, ...]:
    """Return the names of the shipped scenarios: those to begin with, then the others by name."""
    names = {path.stem for path in paths.cassettes().glob("*.yaml")}
    first = [name for name in BEGIN_WITH if name in names]
    return (*first, *sorted(names - set(first)))
