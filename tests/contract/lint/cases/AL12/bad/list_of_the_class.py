# finds: AL12 at line 6
"""One list for all objects of the class."""


class Session:
    turns = []
    limit = 20

    def __init__(self, client, tools, handlers):
        self.client, self.tools, self.handlers = client, tools, handlers

    async def ask(self, question):
        self.turns.append({"role": "user", "content": question})
        for _ in range(self.limit):
            response = await self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=self.turns, tools=self.tools
            )
            self.turns.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    said = await self.handlers[block.name](**block.input)
                    results.append({"type": "tool_result", "tool_use_id": block.id, "content": said})
            self.turns.append({"role": "user", "content": results})
        raise RuntimeError("no answer")
