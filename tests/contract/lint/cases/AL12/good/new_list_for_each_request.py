"""One request of the web is one bounded run."""

from anthropic import AsyncAnthropic
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
from pydantic_settings import BaseSettings


class Settings(BaseSettings):
    max_turns: int = 8
    model: str = "claude-sonnet-5-5"


class Question(BaseModel):
    text: str


app = FastAPI()
settings = Settings()
client = AsyncAnthropic()
TOOLS: list[dict] = []
HANDLERS: dict = {}


@app.post("/ask")
async def ask(question: Question):
    messages = [{"role": "user", "content": question.text}]
    for _ in range(settings.max_turns):
        response = await client.messages.create(
            model=settings.model, max_tokens=1024, tools=TOOLS, messages=messages
        )
        if response.stop_reason == "tool_use":
            messages.append({"role": "assistant", "content": response.content})
            messages.append(
                {"role": "user", "content": [await run_tool(b) for b in response.content if b.type == "tool_use"]}
            )
        elif response.stop_reason == "end_turn":
            return {"answer": "".join(b.text for b in response.content if b.type == "text")}
        else:
            raise HTTPException(502, detail=f"model stopped: {response.stop_reason}")
    raise HTTPException(504, detail="too many turns")


async def run_tool(block):
    try:
        content = await HANDLERS[block.name](**block.input)
    except Exception as e:
        return {"type": "tool_result", "tool_use_id": block.id, "is_error": True, "content": str(e)}
    return {"type": "tool_result", "tool_use_id": block.id, "content": content}
