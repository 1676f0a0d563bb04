"""A budget of tokens, turns and money."""

import time


class BudgetExceeded(Exception):
    pass


class Budget:
    def __init__(self, tokens, seconds):
        self.tokens = tokens
        self.deadline = time.monotonic() + seconds

    def check(self):
        if self.tokens <= 0:
            raise BudgetExceeded("tokens")
        if time.monotonic() > self.deadline:
            raise BudgetExceeded("time")

    def charge(self, usage):
        self.tokens -= usage.input_tokens + usage.output_tokens


def run(client, messages, tools, handlers, budget: Budget):
    while True:
        budget.check()
        response = client.messages.create(model="m", max_tokens=1024, tools=tools, messages=messages)
        budget.charge(response.usage)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason == "tool_use":
            results = []
            for call in (b for b in response.content if b.type == "tool_use"):
                results.append({"type": "tool_result", "tool_use_id": call.id, "content": handlers[call.name](**call.input)})
            messages.append({"role": "user", "content": results})
        else:
            return response
