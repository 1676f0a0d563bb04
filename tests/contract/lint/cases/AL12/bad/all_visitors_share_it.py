# finds: AL12 at line 8
"""One history of the module for all who ask."""
from anthropic import AsyncAnthropic
from fastapi import FastAPI

app = FastAPI()
client = AsyncAnthropic()
conversation = []
MAX_TURNS = 8


@app.post("/chat")
async def chat(text: str):
    conversation.append({"role": "user", "content": text})
    for _ in range(MAX_TURNS):
        response = await client.messages.create(model="m", max_tokens=500, messages=conversation, tools=app.state.tools)
        conversation.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response.model_dump()
        conversation.append({"role": "user", "content": [app.state.run(b) for b in response.content if b.type == "tool_use"]})
    return {"error": "turns"}
