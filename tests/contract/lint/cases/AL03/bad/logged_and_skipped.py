# finds: AL03 at line 33
"""The log knows; the model waits for a result that never comes."""

import logging

logger = logging.getLogger(__name__)


class Assistant:
    def __init__(self, client, registry, schema, *, turns):
        self.client, self.registry, self.schema, self.turns = client, registry, schema, turns
        self.history = []

    def reply(self, question):
        self.history.append({"role": "user", "content": question})
        for _ in range(self.turns):
            answer = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=4096, messages=self.history, tools=self.schema
            )
            self.history.append({"role": "assistant", "content": answer.content})
            if answer.stop_reason != "tool_use":
                return answer
            self.history.append({"role": "user", "content": self.outcomes(answer)})
        raise TimeoutError(f"{self.turns} turns and no answer")

    def outcomes(self, answer):
        collected = []
        for part in answer.content:
            if part.type != "tool_use":
                continue
            try:
                said = self.registry[part.name](**part.input)
            except Exception as problem:
                logger.exception("tool %s failed: %s", part.name, problem)
                continue
            collected.append({"type": "tool_result", "tool_use_id": part.id, "content": str(said)})
        return collected
