"""A Slack bot in a thread; errors of the API are told to the channel."""

import anthropic
from slack_bolt import App

app = App()
client = anthropic.Anthropic()
MAX_STEPS = 10


@app.event("app_mention")
def mentioned(event, say, logger):
    messages = [{"role": "user", "content": event["text"]}]
    steps = 0
    try:
        while steps < MAX_STEPS:
            steps += 1
            response = client.messages.create(model="m", max_tokens=1000, tools=TOOLS, messages=messages)
            if response.stop_reason == "tool_use":
                messages += [
                    {"role": "assistant", "content": response.content},
                    {"role": "user", "content": [execute(b) for b in response.content if b.type == "tool_use"]},
                ]
                continue
            text = "\n".join(b.text for b in response.content if b.type == "text")
            if response.stop_reason != "end_turn":
                text += f"\n_(stopped early: {response.stop_reason})_"
            say(text=text, thread_ts=event["ts"])
            return
        say(text="Too many steps.", thread_ts=event["ts"])
    except anthropic.APIError as error:
        logger.exception("api")
        say(text=f"Sorry, the API failed: {error}", thread_ts=event["ts"])


TOOLS = []


def execute(block):
    return {"type": "tool_result", "tool_use_id": block.id, "content": "ok"}
