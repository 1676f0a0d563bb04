# finds: AL13 at line 17
"""The pieces of a text that should be JSON in the end."""

import json


class Agent:
    def __init__(self, client, tools, handlers, limit):
        self.client, self.tools, self.handlers, self.limit = client, tools, handlers, limit

    def run(self, messages, show):
        for _ in range(self.limit):
            with self.client.messages.stream(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=self.tools
            ) as stream:
                for piece in stream.text_stream:
                    show(json.loads(piece))
                response = stream.get_final_message()
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            results = [self.use(b) for b in response.content if b.type == "tool_use"]
            messages.append({"role": "user", "content": results})
        raise RuntimeError("no answer")

    def use(self, block):
        output = self.handlers[block.name](**block.input)
        return {"type": "tool_result", "tool_use_id": block.id, "content": output}
