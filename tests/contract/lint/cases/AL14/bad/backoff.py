# finds: AL14 at line 12
"""backoff on whatever the API says."""

import anthropic
import backoff


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit

    @backoff.on_exception(backoff.expo, anthropic.APIError, max_tries=6)
    async def ask(self, messages):
        return await self.client.messages.create(
            model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=self.tools
        )

    async def run(self, messages):
        for _ in range(self.limit):
            response = await self.ask(messages)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    said = await self.handlers[block.name](**block.input)
                    results.append({"type": "tool_result", "tool_use_id": block.id, "content": said})
            messages.append({"role": "user", "content": results})
        raise RuntimeError("no answer")
