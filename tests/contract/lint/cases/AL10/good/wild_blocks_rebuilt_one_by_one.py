from types import SimpleNamespace


class Conversation:
    def __init__(self, client, bot, most):
        self.client, self.bot, self.most = client, bot, most
        self.messages, self.pending = [], []

    def _context(self):
        return list(self.messages)

    def resume(self, message, depth=0):
        if depth > self.most:
            raise RecursionError("too many rounds")
        self.messages.append(message)
        answer = self.client.messages.create(**(self.bot.request() | {"messages": self._context()}))
        blocks = []
        for block in answer.content:
            if block.type == "tool_use":
                asked = {"type": "tool_use", "id": block.id, "name": block.name, "input": block.input}
                self.pending.append(SimpleNamespace(**asked))
                blocks.append(asked)
            elif block.type == "text":
                blocks.append({"type": "text", "text": block.text})
        self.messages.append({"role": "assistant", "content": blocks})
        if not self.pending:
            return answer
        return self.resume(self._results(), depth + 1)

    def _results(self):
        results = []
        while self.pending:
            call = self.pending.pop(0)
            results.append({"type": "tool_result", "tool_use_id": call.id, "content": self.bot.call(call)})
        return {"role": "user", "content": results}
