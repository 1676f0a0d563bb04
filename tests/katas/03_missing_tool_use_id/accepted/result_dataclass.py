"""A dataclass that knows its call and can write itself down."""

from dataclasses import dataclass

MODEL = "claude-sonnet-5-5"


@dataclass(frozen=True)
class Result:
    call_id: str
    text: str
    failed: bool = False

    @classmethod
    def of(cls, call, handlers):
        try:
            return cls(call["id"], handlers[call["name"]](**call["input"]))
        except Exception as error:
            return cls(call["id"], f"{type(error).__name__}: {error}", failed=True)

    def block(self):
        content = [{"type": "text", "text": self.text}]
        return {"type": "tool_result", "tool_use_id": self.call_id, "content": content, "is_error": self.failed}


def run_agent_loop(client, messages, tools, handlers):
    while True:
        turn = client.messages.create(model=MODEL, max_tokens=1024, messages=messages, tools=tools).to_dict()
        calls = [block for block in turn["content"] if block["type"] == "tool_use"]
        if turn["stop_reason"] != "tool_use":
            return turn
        messages.append({"role": "assistant", "content": turn["content"]})
        messages.append({"role": "user", "content": [Result.of(call, handlers).block() for call in calls]})
