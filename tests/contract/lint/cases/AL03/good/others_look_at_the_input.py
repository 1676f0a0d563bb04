"""A page is told of each call, and may fail; an input that is no valid one is told to the model."""

import logging

log = logging.getLogger(__name__)


class Agent:
    def __init__(self, client, tools, handlers, schemas, on_tool, limit):
        self.client, self.tools, self.handlers, self.schemas = client, tools, handlers, schemas
        self.on_tool, self.limit = on_tool, limit

    def run(self, messages):
        for _ in range(self.limit):
            response = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=self.tools
            )
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [self.use(block) for block in response.content if block.type == "tool_use"]
            messages.append({"role": "user", "content": results})
        raise RuntimeError("no answer")

    def use(self, block):
        try:
            self.on_tool(block.name, block.input)
        except Exception:
            log.exception("the page is gone")
        size = None
        try:
            size = self.schemas[block.name].validate(block.input).size
        except Exception:
            pass
        log.info("input of %s parts", size)
        output = self.handlers[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
