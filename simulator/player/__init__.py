"""Show a trace: in a notebook, in one offline HTML file, in a terminal.

Jupyter is imported when a player is first shown, not here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.player.export import export
    from simulator.player.widget import Player, compare, show

_ROOMS = {"Player": "widget", "compare": "widget", "export": "export", "show": "widget"}

__all__ = ["Player", "compare", "export", "show"]


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module 'simulator.player' has no attribute {name!r}")
    # `export` is also the name of its module, which an import binds here: the function must win.
    value = getattr(import_module(f"simulator.player.{_ROOMS[name]}"), name)
    globals()[name] = value
    return value
