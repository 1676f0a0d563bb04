"""A history object with two verbs."""

from dataclasses import dataclass


MODEL = "claude-sonnet-5-5"


def run_tool(block, handlers):
    return {
        "type": "tool_result",
        "tool_use_id": block.id,
        "content": handlers[block.name](**block.input),
    }


@dataclass
class History:
    turns: list

    def said(self, response):
        self.turns.append({"role": "assistant", "content": [b.model_dump(exclude_none=True) for b in response.content]})
        return response

    def answered(self, results):
        self.turns.append({"role": "user", "content": list(results)})


def run_agent_loop(client, messages, tools, handlers):
    history = History(list(messages))
    while True:
        response = history.said(
            client.messages.create(model=MODEL, max_tokens=4096, messages=history.turns, tools=tools)
        )
        match response.stop_reason:
            case "tool_use":
                calls = filter(lambda block: block.type == "tool_use", response.content)
                history.answered(run_tool(call, handlers) for call in calls)
            case _:
                return response
