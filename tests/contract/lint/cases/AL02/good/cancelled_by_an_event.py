"""Somebody else may cancel; every unanswered call is answered first."""

import threading


class Worker(threading.Thread):
    def __init__(self, client, messages, tools, handlers):
        super().__init__(daemon=True)
        self.client, self.messages, self.tools, self.handlers = client, messages, tools, handlers
        self.cancelled = threading.Event()
        self.result = None

    def run(self):
        while not self.cancelled.is_set():
            response = self.client.messages.create(
                model="m", max_tokens=1000, messages=self.messages, tools=self.tools
            )
            self.messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                self.result = response
                return
            self.messages.append({"role": "user", "content": [self.one(b) for b in response.content if b.type == "tool_use"]})

    def one(self, block):
        if self.cancelled.is_set():
            return {"type": "tool_result", "tool_use_id": block.id, "content": "cancelled", "is_error": True}
        return {"type": "tool_result", "tool_use_id": block.id, "content": self.handlers[block.name](**block.input)}
