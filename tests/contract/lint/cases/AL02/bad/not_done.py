# finds: AL02 at line 14
"""An MCP client without a limit."""
from anthropic import AsyncAnthropic


class MCPClient:
    def __init__(self, session):
        self.session = session
        self.anthropic = AsyncAnthropic()

    async def process(self, query, tools):
        messages = [{"role": "user", "content": query}]
        done = False
        while not done:
            response = await self.anthropic.messages.create(model="m", max_tokens=1000, messages=messages, tools=tools)
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason == "tool_use":
                results = []
                for content in response.content:
                    if content.type == "tool_use":
                        result = await self.session.call_tool(content.name, content.input)
                        results.append({"type": "tool_result", "tool_use_id": content.id, "content": result.content, "is_error": result.isError})
                messages.append({"role": "user", "content": results})
            else:
                done = True
        return response
