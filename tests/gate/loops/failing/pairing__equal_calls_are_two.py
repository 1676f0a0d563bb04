# expects: pairing.copied
"""Does not run the same call twice in one turn: the second gets what came of the first."""

import json

from tests.gate.loops.base import Base


class Broken(Base):
    def run_calls(self, calls):
        keys = [json.dumps([call["name"], call["input"]], sort_keys=True) for call in calls]
        first = dict(reversed(list(zip(keys, calls, strict=True))))
        ran = dict(zip(first, super().run_calls(list(first.values())), strict=True))
        return [{**ran[key], "tool_use_id": call["id"]} for key, call in zip(keys, calls, strict=True)]


run_agent_loop = Broken.as_function()
