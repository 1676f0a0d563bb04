# finds: AL07 at line 11
"""A while that counts to a number, in a method."""


class Agent:
    def __init__(self, client, tools, handlers):
        self.client, self.tools, self.handlers = client, tools, handlers

    async def run(self, messages: list, *, model: str = "m"):
        turns = 0
        while turns < 15:
            turns += 1
            response = await self.client.messages.create(
                model=model, max_tokens=1000, messages=messages, tools=self.tools
            )
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = []
            for block in response.content:
                if block.type == "tool_use":
                    output = await self.handlers[block.name](**block.input)
                    results.append({"type": "tool_result", "tool_use_id": block.id, "content": output})
            messages.append({"role": "user", "content": results})
        raise TimeoutError(turns)
