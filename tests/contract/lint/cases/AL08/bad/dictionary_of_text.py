# finds: AL08 at line 18
"""A web handler that answers with whatever text there is."""
from anthropic import AsyncAnthropic
from fastapi import FastAPI

app = FastAPI()
client = AsyncAnthropic()
MAX_TURNS = 8


@app.post("/ask")
async def ask(question: str):
    messages = [{"role": "user", "content": question}]
    for _ in range(MAX_TURNS):
        response = await client.messages.create(model="m", max_tokens=500, messages=messages, tools=TOOLS)
        tool_uses = [b for b in response.content if b.type == "tool_use"]
        if not tool_uses:
            return {"answer": response.content[0].text}
        messages.append({"role": "assistant", "content": response.content})
        messages.append({"role": "user", "content": [run_tool(b) for b in tool_uses]})
    return {"error": "too many turns"}


TOOLS = []


def run_tool(block):
    return {"type": "tool_result", "tool_use_id": block.id, "content": "ok"}
