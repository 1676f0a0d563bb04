class Session:
    """A person can end it at any time: ``leave`` is called from the thread that reads the keyboard."""

    def __init__(self, client, tools):
        self.client, self.tools, self.messages = client, tools, []
        self.leaving = False

    def leave(self):
        self.leaving = True

    def turns(self):
        while True:
            reply = self.client.messages.create(
                model="m", max_tokens=2000, tools=self.tools, messages=self.messages
            )
            self.messages.append({"role": "assistant", "content": reply.content})
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return reply
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": self.tools[call.name](call.input)}
                for call in calls
            ]
            self.messages.append({"role": "user", "content": results})
            if self.leaving:
                return reply
