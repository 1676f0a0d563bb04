"""What the page is given: the trace, a sentence for each step, and every word in the reader's language.

The view of one trace is ``{"trace", "sentences", "strings", "lang"}``; of two, ``{"left", "right", "strings",
"lang"}``, where each side is ``{"trace", "sentences", "title"}``. ``player.js`` reads nothing else.
"""

from __future__ import annotations

import json
from typing import Any

from simulator.player.sentences import sentences
from simulator.text import language, room, say
from simulator.trace.document import Trace

View = dict[str, Any]


def one(trace: Trace, lang: str | None = None) -> View:
    """Return the view of *trace*."""
    chosen = language(lang)
    return {**_side(trace, chosen), "strings": strings(chosen), "lang": chosen}


def two(left: Trace, right: Trace, titles: tuple[str, str], lang: str | None = None) -> View:
    """Return the view of two traces side by side under *titles*."""
    chosen = language(lang)
    first, second = (_side(trace, chosen) for trace in (left, right))
    first["title"], second["title"] = titles
    return {"left": first, "right": second, "strings": strings(chosen), "lang": chosen}


def strings(lang: str) -> View:
    """Return the words of the page in *lang*: ``{"step": …, "tip": {"step": …}, …}``."""
    words: View = {}
    for key, text in room("player", lang).items():
        _, table, *path = key.split(".")
        if table == "ui":
            inside = words if len(path) == 1 else words.setdefault(path[0], {})
            inside[path[-1]] = text
    return words


def to_text(view: View) -> str:
    """Return *view* as JSON in pure ASCII, safe in a message to the browser and inside a ``script`` element.

    Lone surrogates and control characters travel as escapes, and ``<`` does too, so that no text of a
    recording can end the element it stands in.
    """
    text = json.dumps(view, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c")


def not_a_trace(value: object) -> TypeError:
    """Return the error for something that is shown but is no trace."""
    return TypeError(say("player.fault.not_a_trace", seen=type(value).__name__))


def _side(trace: Trace, lang: str) -> View:
    document = trace.to_dict()
    # The page shows neither, and tool schemas can be the largest part of a short trace.
    del document["tools"], document["system"]
    return {"trace": document, "sentences": sentences(trace, lang)}
