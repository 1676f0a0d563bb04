"""A client of the Model Context Protocol."""

from contextlib import AsyncExitStack

from anthropic import AsyncAnthropic
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


class MCPClient:
    def __init__(self, max_turns: int = 20):
        self.session: ClientSession | None = None
        self.exit_stack = AsyncExitStack()
        self.anthropic = AsyncAnthropic()
        self.max_turns = max_turns

    async def connect(self, command, args):
        transport = await self.exit_stack.enter_async_context(
            stdio_client(StdioServerParameters(command=command, args=args))
        )
        self.session = await self.exit_stack.enter_async_context(ClientSession(*transport))
        await self.session.initialize()

    async def process_query(self, query: str):
        messages = [{"role": "user", "content": query}]
        listed = await self.session.list_tools()
        available = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.inputSchema}
            for tool in listed.tools
        ]
        for _ in range(self.max_turns):
            response = await self.anthropic.messages.create(
                model="claude-sonnet-5-5", max_tokens=1000, messages=messages, tools=available
            )
            messages.append({"role": "assistant", "content": response.content})
            if response.stop_reason != "tool_use":
                return response
            tool_results = []
            for content in response.content:
                if content.type == "tool_use":
                    result = await self.session.call_tool(content.name, content.input)
                    tool_results.append(
                        {
                            "type": "tool_result",
                            "tool_use_id": content.id,
                            "content": [{"type": "text", "text": part.text} for part in result.content if part.type == "text"],
                            "is_error": result.isError,
                        }
                    )
            messages.append({"role": "user", "content": tool_results})
        raise RuntimeError("max_turns")

    async def chat_loop(self):
        while True:
            query = input("\nQuery: ").strip()
            if query.lower() == "quit":
                break
            try:
                response = await self.process_query(query)
                print("\n".join(b.text for b in response.content if b.type == "text"))
                print("stop:", response.stop_reason)
            except Exception as e:
                print(f"\nError: {e}")
