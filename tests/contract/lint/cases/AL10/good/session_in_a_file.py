"""Every turn is written to a file; a run can be taken up again."""

import json
from pathlib import Path


class Session:
    def __init__(self, path: Path):
        self.path = path
        self.messages = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []

    def add(self, role, content):
        self.messages.append({"role": role, "content": content})
        self.path.write_text(json.dumps(self.messages), encoding="utf-8")


def resume(client, session: Session, tools, handlers, max_turns=50):
    last = session.messages[-1]
    if last["role"] == "assistant":
        answer_calls(session, last["content"], handlers)
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=2048, tools=tools, messages=session.messages)
        content = response.to_dict()["content"]
        session.add("assistant", content)
        if response.stop_reason != "tool_use":
            return response.stop_reason, content
        answer_calls(session, content, handlers)
    return "max_turns", None


def answer_calls(session, content, handlers):
    results = []
    for block in content:
        if block["type"] == "tool_use":
            results.append(
                {"type": "tool_result", "tool_use_id": block["id"], "content": str(handlers[block["name"]](**block["input"]))}
            )
    if results:
        session.add("user", results)
