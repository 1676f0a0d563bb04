# expects: subloops.payload_lost
"""It tells the model above that the loop below is done and which tools it used, but not what it found."""

import json

from tests.gate.loops.base import Base


class Broken(Base):
    def report(self, child, status):
        did = [call["name"] for turn in child.messages for call in child.calls_of(turn)]
        return json.dumps({"status": status, "did": did})


run_agent_loop = Broken.as_function()
