# expects: progress.false_alarm
"""Knows a call by its name and input alone: what it brings makes no difference."""

import json

from tests.gate.loops.base import Base


class Broken(Base):
    def key(self, call, result):
        return json.dumps([call["name"], call["input"]], sort_keys=True)


run_agent_loop = Broken.as_function()
