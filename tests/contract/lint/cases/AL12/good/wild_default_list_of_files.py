class Conversation:
    def __init__(self, client, tools, most):
        self.client, self.tools, self.most, self.messages = client, tools, most, []

    def ask(self, text, with_files=[]):
        parts = [{"type": "text", "text": text}, *({"type": "text", "text": each} for each in with_files)]
        self.messages.append({"role": "user", "content": parts})
        for _ in range(self.most):
            answer = self.client.messages.create(
                model="m", max_tokens=1000, tools=list(self.tools), messages=self.messages
            )
            self.messages.append({"role": "assistant", "content": answer.content})
            if answer.stop_reason != "tool_use":
                return answer
            self.messages.append(
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": call.id, "content": self.tools[call.name](call.input)}
                        for call in answer.content
                        if call.type == "tool_use"
                    ],
                }
            )
        raise TimeoutError
