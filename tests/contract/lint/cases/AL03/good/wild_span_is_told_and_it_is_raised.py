import logging

log = logging.getLogger(__name__)


class Runner:
    def __init__(self, client, tools, span):
        self.client, self.tools, self.span = client, tools, span

    def run(self, messages, limit):
        try:
            for _ in range(limit):
                response = self.client.beta.messages.create(
                    model="m", max_tokens=500, tools=list(self.tools), messages=messages
                )
                messages.append({"role": "assistant", "content": response.content})
                if response.stop_reason != "tool_use":
                    return response
                results = [self.call(block) for block in response.content if block.type == "tool_use"]
                messages.append({"role": "user", "content": results})
        except BaseException as err:
            self.span.status(err)
            raise
        finally:
            self.span.end()
        raise TimeoutError(limit)

    def call(self, block):
        try:
            return {"type": "tool_result", "tool_use_id": block.id, "content": self.tools[block.name](block.input)}
        except Exception as exc:
            log.exception("the tool %s failed", block.name, exc_info=exc)
            return {"type": "tool_result", "tool_use_id": block.id, "content": repr(exc), "is_error": True}
