"""Blocks become dictionaries; the request is made of a body."""


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit

    def body(self, turns):
        return {"model": "m", "max_tokens": 900, "messages": turns, "tools": self.tools}

    def run(self, turns):
        for _ in range(self.limit):
            response = self.client.messages.create(**self.body(turns))
            content = [block.model_dump() for block in response.content]
            turns = turns + [{"role": "assistant", "content": content}]
            calls = [block for block in content if block["type"] == "tool_use"]
            if not calls:
                return response
            results = [
                {"type": "tool_result", "tool_use_id": c["id"], "content": self.handlers[c["name"]](**c["input"])}
                for c in calls
            ]
            turns = turns + [{"role": "user", "content": results}]
        raise TimeoutError
