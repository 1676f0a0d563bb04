"""A failing tool ends the run, and is written down first."""

import logging


class Agent:
    limit = 12

    def __init__(self, client, tools, handlers):
        self.client, self.tools, self.handlers = client, tools, handlers

    async def run(self, messages):
        for _ in range(self.limit):
            response = await self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=self.tools
            )
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [await self.use(b) for b in response.content if b.type == "tool_use"]
            messages.append({"role": "user", "content": results})
        raise RuntimeError("no answer")

    async def use(self, block):
        try:
            output = await self.handlers[block.name](**block.input)
        except Exception:
            logging.exception("%s failed", block.name)
            raise
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
