# finds: AL14 at line 11
"""APIStatusError without a look at the status; tenacity."""
import anthropic
from tenacity import retry, retry_if_exception_type, stop_after_attempt, wait_fixed


class Agent:
    def __init__(self, client, tools, handlers, max_turns):
        self.client, self.tools, self.handlers, self.max_turns = client, tools, handlers, max_turns

    @retry(retry=retry_if_exception_type(anthropic.APIStatusError), stop=stop_after_attempt(4), wait=wait_fixed(2))
    def _ask(self, messages):
        return self.client.messages.create(model="m", max_tokens=1000, messages=messages, tools=self.tools)

    def run(self, messages):
        for _ in range(self.max_turns):
            response = self._ask(messages)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            messages.append({"role": "user", "content": [self.handlers(b) for b in response.content if b.type == "tool_use"]})
        raise TimeoutError
