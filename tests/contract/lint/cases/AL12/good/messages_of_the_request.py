"""Server-sent events out of the loop."""

import json

from anthropic import AsyncAnthropic
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

app = FastAPI()
client = AsyncAnthropic()
ROUNDS = 6


def sse(kind, **data):
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


@app.post("/chat")
async def chat(request: Request):
    body = await request.json()
    messages = body["messages"]
    tools = request.app.state.tools
    registry = request.app.state.registry

    async def produce():
        for _ in range(ROUNDS):
            async with client.messages.stream(model="m", max_tokens=2000, messages=messages, tools=tools) as stream:
                async for text in stream.text_stream:
                    yield sse("token", text=text)
                message = await stream.get_final_message()
            messages.append({"role": "assistant", "content": message.content})
            if message.stop_reason != "tool_use":
                yield sse("done", stop_reason=message.stop_reason)
                return
            results = []
            for block in message.content:
                if block.type == "tool_use":
                    yield sse("tool", name=block.name)
                    results.append(await registry.result(block))
            messages.append({"role": "user", "content": results})
        yield sse("done", stop_reason="rounds")

    return StreamingResponse(produce(), media_type="text/event-stream")
