"""What a request states besides its messages, as its event keeps it.

Rule of this file: the head of a document has the system prompt and the tools of the first request; an event
has them only where its request states others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.wire.message import parameters, tool_names


def stated_by(body: Mapping[str, Any], first: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of *body*, and ``system`` and ``tools`` (names) where *first* has others."""
    stated = parameters(body) | ({"stream": body["stream"]} if "stream" in body else {})
    if body.get("system") != first.get("system"):
        stated["system"] = body.get("system")
    if tool_names(body) != tool_names(first):
        stated["tools"] = tool_names(body)
    return stated
