"""The player in a notebook: one widget that is given its trace once and shares one integer, the step.

Rules of this file:

1. All stepping happens in the browser; a busy or dead kernel does not stop it.
2. Where the widget cannot run (a notebook that is not trusted), a table stands in: the same steps, no script.
3. What is printed of a player is stable: no address, no model id.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from simulator.player import listing
from simulator.player.view import View, not_a_trace, one, to_text, two
from simulator.text import say
from simulator.text.visible import visible
from simulator.trace.document import Trace

if TYPE_CHECKING:
    from simulator.player.picker import Picker
    from simulator.recording.scenario import Scenario

HERE = Path(__file__).parent

Loop = Callable[..., Any]


class Player(anywidget.AnyWidget):
    """A trace, or two side by side, to be stepped through.

    ``step`` counts from 1, as on the screen, and can be set; of two traces it counts the aligned rows.
    """

    _esm = (HERE / "player.js").read_text(encoding="utf-8")
    _css = (HERE / "player.css").read_text(encoding="utf-8")
    view = traitlets.Unicode().tag(sync=True, echo_update=False)
    step = traitlets.Int(1).tag(sync=True, echo_update=False)

    def __init__(self, data: View, traces: tuple[Trace, ...]) -> None:
        super().__init__(view=to_text(data))
        self.data = data
        """What the page is given (see ``view.py``)."""
        self.traces = traces

    def __repr__(self) -> str:
        lang = self.data["lang"]
        if len(self.traces) == 2:
            left, right = (visible(self.data[side]["title"]) for side in ("left", "right"))
            return say("player.listing.repr_two", lang, left=left, right=right)
        (trace,) = self.traces
        name, reason = visible(trace.scenario["name"]), trace.exit.reason
        return say("player.listing.repr", lang, name=name, steps=len(trace.steps), reason=reason)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle
        data["text/plain"] = repr(self)
        data["text/html"] = "".join(listing.table(trace, self.data["lang"]) for trace in self.traces)
        return data, metadata


def show(
    shown: Trace | Loop | Scenario | Path | str | None = None,
    scenario: Any = None,
    *,
    lang: str | None = None,
    **arguments: Any,
) -> Player | Picker:
    """Return a player; as the last line of a cell it is on the screen.

    ``show(trace)`` shows a trace; ``show(loop, scenario, **arguments)`` runs the loop on the scenario (see
    ``observe``) and shows that run; ``show("list_then_read")``, or any scenario or cassette, shows a run of a
    loop that is in order; ``show()`` lets you choose. Raises TypeError for anything else, and what
    ``observe`` raises.
    """
    if shown is None:
        from simulator.player.picker import Picker

        return Picker(lang)
    trace = _trace_of(shown, scenario, arguments)
    return Player(one(trace, lang), (trace,))


def compare(
    left: Trace | Loop,
    right: Trace | Loop,
    scenario: Any = None,
    *,
    titles: tuple[str, str] | None = None,
    lang: str | None = None,
    **arguments: Any,
) -> Player:
    """Return a player of two traces side by side on one cursor, aligned step by step.

    Loops are run on *scenario* first, with *arguments*. *titles* stand above the two; else the loops' names.
    """
    traces = (_trace_of(left, scenario, arguments), _trace_of(right, scenario, arguments))
    names = titles or (_name(traces[0]), _name(traces[1]))
    return Player(two(*traces, names, lang), traces)


def _trace_of(shown: object, scenario: Any, arguments: dict[str, Any]) -> Trace:
    import simulator

    if isinstance(shown, Trace):
        return shown
    from simulator.player.examples import default
    from simulator.recording.scenario import Scenario

    if isinstance(shown, (str, Path)):
        shown = simulator.scenario(shown)
    if isinstance(shown, Scenario):
        return simulator.observe(default(shown), shown, **arguments)
    if not callable(shown):
        raise not_a_trace(shown)
    if scenario is None:
        raise TypeError(say("player.fault.no_scenario", names=", ".join(simulator.scenarios())))
    return simulator.observe(shown, scenario, **arguments)


def _name(trace: Trace) -> str:
    name = trace.loop["name"] if trace.loop else trace.scenario["name"]
    return str(name)
