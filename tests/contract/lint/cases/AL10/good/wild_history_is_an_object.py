class History:
    def __init__(self):
        self.messages = []

    async def add_message(self, role, content, usage=None):
        self.messages.append({"role": role, "content": content})

    def format_for_api(self):
        return [dict(each) for each in self.messages]


class Agent:
    def __init__(self, client, tools, max_iterations=10):
        self.client, self.tools, self.max_iterations = client, tools, max_iterations
        self.message_history = History()

    def _params(self):
        params = {"model": "m", "max_tokens": 1000, "tools": list(self.tools)}
        params["messages"] = self.message_history.format_for_api()
        return params

    async def run(self, question):
        await self.message_history.add_message("user", question)
        iteration = 0
        while iteration < self.max_iterations:
            params = self._params()
            response = self.client.messages.create(**params)
            await self.message_history.add_message("assistant", response.content, usage=response.usage)
            calls = [block for block in response.content if block.type == "tool_use"]
            if not calls:
                return response
            for call in calls:
                result = {"type": "tool_result", "tool_use_id": call.id, "content": await self.tools[call.name](call.input)}
                await self.message_history.add_message("user", [result])
            iteration += 1
        return response
