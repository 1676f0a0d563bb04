"""``show()``: choose a recorded conversation and a loop, and step through what happens.

Rules of this file:

1. Each choice is a run of its own; nothing is kept between two of them.
2. A mistake (a loop that cannot be called) is one sentence in the picker, not a traceback under it.
3. A player that has been replaced is closed, or every choice would stay in the saved notebook.
"""

from __future__ import annotations

import html
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets  # type: ignore[import-untyped]  # it ships none

import simulator
from simulator.player.examples import LOOPS
from simulator.player.view import one
from simulator.player.widget import Player
from simulator.text import language, say
from simulator.text.visible import visible
from simulator.trace.document import Trace
from simulator.trace.events import SIGNALS, UNHEARD_OF
from simulator.trace.source import signature_of

Choice = tuple[str, Any]

FIRST = "list_then_read"
"""The scenario to begin with."""

NEEDED = frozenset({"client", "messages"})
"""A function with these parameters is taken for a loop."""


class Picker(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """Menus and a player. Own loops are found in *names*; by default, in what the notebook defined."""

    def __init__(self, lang: str | None = None, names: Mapping[str, Any] | None = None) -> None:
        self.lang = language(lang)
        self._names = names
        self.scenario = self._menu("scenario", simulator.scenarios(), value=FIRST)
        self.loop = self._menu("loop", self.loops())
        self.ending = self._menu("branch", self.endings())
        self.signal = self._menu("signal", self.signals())
        self.turn = self._menu("turn", self.turns())
        self.run = ipywidgets.Button(description=self._say("run"), tooltip=self._say("run_tip"))
        self.run.layout.width = "auto"
        self.notice = ipywidgets.HTML()
        menus = (self.scenario, self.loop, self.ending, self.turn, self.signal)
        for menu in menus:
            menu.observe(self._changed, names="value")
        self.run.on_click(self._refresh)
        bar = ipywidgets.HBox([*menus, self.run])
        bar.layout.flex_flow = "row wrap"
        self._shown: list[Player] = []
        self._fixed: tuple[Any, ...] = (ipywidgets.HTML(_markup(self._say("intro"))), bar, self.notice)
        super().__init__(children=self._fixed)
        self._dim()
        self.play()

    def loops(self) -> list[Choice]:
        """Return the loops to choose from: ours, then the user's own."""
        shipped: list[Choice] = [(self._say(name), loop) for name, loop in LOOPS.items()]
        own = [(self._say("yours", name=name), loop) for name, loop in _own(self._names).items()]
        return shipped + own

    def endings(self) -> list[Choice]:
        """Return what can be shown: the run of the loop, the recording alone, each recorded branch."""
        found = simulator.scenario(self.scenario.value)
        branches = [(visible(branch.title), ("branch", branch.name)) for branch in found.branches]
        return [(self._say("main_line"), ("loop", None)), (self._say("alone"), ("branch", None)), *branches]

    def signals(self) -> list[Choice]:
        """Return how an answer can end: as recorded, with each signal, with one that nobody knows."""
        known = [(self._say("ends_with", signal=signal), signal) for signal in SIGNALS]
        return [(self._say("as_recorded"), None), *known, (self._say("ends_unknown"), UNHEARD_OF)]

    def turns(self) -> list[Choice]:
        """Return the requests whose answer can end otherwise: those of the main line."""
        count = len(simulator.scenario(self.scenario.value).about.main)
        return [(self._say("request", turn=turn), turn) for turn in range(1, count + 1)]

    def play(self) -> None:
        """Run what is chosen and show it."""
        self._tell(self._say("running"))
        old, self._shown = self._shown, []
        try:
            trace = self._trace()
        except (TypeError, ValueError, LookupError) as error:
            self._tell(str(error))
        else:
            self._tell("")
            self._shown = [Player(one(trace, self.lang), (trace,))]
        self.children = (*self._fixed, *self._shown)
        for player in old:
            player.close()

    def _tell(self, text: str) -> None:
        """Show *text* between the menus and the player; nothing takes no room."""
        self.notice.value = _markup(text)
        self.notice.layout.display = None if text else "none"

    def _menu(self, name: str, options: Any, **more: Any) -> Any:
        """Return a menu as wide as the bar lets it be, whose label stands close to it."""
        menu = ipywidgets.Dropdown(options=options, description=self._say(name), **more)
        menu.style.description_width = "initial"
        menu.layout.flex, menu.layout.width, menu.layout.min_width = "1 1 17em", "auto", "0"
        menu.layout.margin = "2px 12px 2px 0"
        return menu

    def _trace(self) -> Trace:
        what, branch = self.ending.value
        if what == "loop":
            what_if = {self.turn.value: self.signal.value} if self.signal.value else None
            return simulator.observe(self.loop.value, self.scenario.value, what_if=what_if)
        return Trace.from_cassette(simulator.scenario(self.scenario.value).recording.path, branch=branch)

    def _changed(self, change: Mapping[str, Any]) -> None:
        if change["owner"] is self.scenario:
            for menu, options in ((self.ending, self.endings()), (self.turn, self.turns())):
                menu.unobserve(self._changed, names="value")
                menu.options = options
                menu.observe(self._changed, names="value")
        self._dim()
        self.play()

    def _dim(self) -> None:
        """Switch off what has no say in what is shown."""
        recorded = self.ending.value[0] != "loop"
        self.loop.disabled = self.signal.disabled = recorded
        self.turn.disabled = recorded or self.signal.value is None

    def _refresh(self, _: object) -> None:
        """Look again for the user's own loops, which may have changed, and run."""
        chosen = self.loop.index
        self.loop.unobserve_all()
        self.loop.options = self.loops()
        self.loop.index = min(chosen, len(self.loop.options) - 1)
        self.loop.observe(self._changed, names="value")
        self.play()

    def _say(self, what: str, **values: object) -> str:
        return say(f"player.picker.{what}", self.lang, **values)


def _markup(text: str) -> str:
    """Return *text* as HTML that shows it and wraps; ipywidgets' own label would cut it off."""
    return f'<div style="line-height: 1.4; margin: 2px 0 6px">{html.escape(visible(text))}</div>'


def _own(names: Mapping[str, Any] | None) -> dict[str, Callable[..., Any]]:
    """Return the loops that the notebook (or *names*) has defined, by name."""
    if names is None:
        from IPython import get_ipython

        shell = get_ipython()
        names = shell.user_ns if shell is not None else {}
    return {
        name: value
        for name, value in names.items()
        if inspect.isfunction(value) and not name.startswith("_") and _parameters(value) >= NEEDED
    }


def _parameters(function: Callable[..., Any]) -> set[str]:
    return set(signature_of(function).parameters)
