# finds: AL05 at line 22
"""A slice that keeps one of the calls."""


class Runner:
    def __init__(self, client, tools, handlers):
        self.client, self.tools, self.handlers = client, tools, handlers

    def result(self, call):
        output = self.handlers[call.name](**call.input)
        return {"type": "tool_result", "tool_use_id": call.id, "content": output}

    def run(self, messages, steps):
        for _ in range(steps):
            response = self.client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=self.tools
            )
            messages.append({"role": "assistant", "content": response.content})
            calls = [block for block in response.content if block.type == "tool_use"]
            if not calls:
                return response
            results = [self.result(call) for call in calls[:1]]
            messages.append({"role": "user", "content": results})
        raise RuntimeError("no answer")
