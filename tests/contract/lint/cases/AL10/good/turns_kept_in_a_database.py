"""Each turn is a row of SQLite; a crash loses nothing."""

import json
import sqlite3


class Store:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("create table if not exists turn (run text, role text, content text)")

    def load(self, run):
        rows = self.db.execute("select role, content from turn where run = ? order by rowid", (run,))
        return [{"role": role, "content": json.loads(content)} for role, content in rows]

    def save(self, run, role, content):
        with self.db:
            self.db.execute("insert into turn values (?, ?, ?)", (run, role, json.dumps(content)))


def run(client, store, run_id, tools, handlers, max_turns=40):
    for _ in range(max_turns):
        response = client.messages.create(model="m", max_tokens=2000, messages=store.load(run_id), tools=tools)
        store.save(run_id, "assistant", [b.to_dict() for b in response.content])
        if response.stop_reason != "tool_use":
            return response
        results = []
        for block in response.content:
            if block.type == "tool_use":
                results.append({"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)})
        store.save(run_id, "user", results)
    raise RuntimeError("max_turns")
