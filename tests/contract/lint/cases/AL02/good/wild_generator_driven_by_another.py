class Runner:
    def __init__(self, client, tools, limit=None):
        self.client, self.tools, self.limit = client, tools, limit
        self.asked = 0

    def run(self, messages):
        steps = self._steps(messages)
        try:
            while True:
                try:
                    item = next(steps)
                except StopIteration:
                    break
                yield item
        finally:
            steps.close()

    def _spent(self):
        return self.limit is not None and self.asked >= self.limit

    def _steps(self, messages):
        while not self._spent():
            answer = self.client.messages.create(model="m", max_tokens=800, tools=self.tools, messages=messages)
            self.asked += 1
            yield answer
            messages.append({"role": "assistant", "content": answer.content})
            if answer.stop_reason != "tool_use":
                break
            calls = [block for block in answer.content if block.type == "tool_use"]
            messages.append({"role": "user", "content": [self._result(call) for call in calls]})

    def _result(self, call):
        return {"type": "tool_result", "tool_use_id": call.id, "content": self.tools[call.name](**call.input)}
