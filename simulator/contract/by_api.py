"""What the API itself would refuse in the request that a contract declares.

Rules of this file:

1. The API's rules are those of ``simulator.wire.rules``, asked with a small made-up request.
2. The API tells one error at a time; here what it names is taken away and it is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.contract.policy import Fault, Policy
from simulator.text.visible import visible
from simulator.wire.rules import check_request, explain

_RANK = 9000
"""After all else: what the schema refuses is told in the schema's words."""

_NEEDED = ("model", "max_tokens", "messages", "tools")
"""What cannot be taken away."""


def faults(policy: Policy, request: Mapping[str, Any]) -> Iterator[Fault]:
    """Yield what the API refuses in *request*, which the schema allows."""
    choice = request.get("tool_choice", {})
    tool = {"name": choice.get("name", "look"), "input_schema": {"type": "object", "properties": {}}}
    said = [{"role": "user", "content": "Look."}]
    body: dict[str, Any] = {**request, "messages": said, "tools": [tool]}
    rule = policy.words("request.refused")
    while (refusal := check_request(body)) is not None:
        place = (refusal.path or "").split(".")
        words = {"said": visible(refusal.message), "fix": explain(refusal)}
        known = place if place[0] in request else []
        yield Fault(rule, ("request", *known), _RANK, "value", words)
        if place[0] in _NEEDED or body.pop(place[0], None) is None:
            return
