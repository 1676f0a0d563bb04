"""LangChain: ``create_agent`` on ``ChatAnthropic``, which runs on LangGraph."""

from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool


def loop(client, messages, tools, handlers, model, max_tokens, max_iterations=None):
    """Run the agent and return its last answer; its limit is ``ModelCallLimitMiddleware``."""
    chat = ChatAnthropic(model=model, max_tokens=max_tokens, api_key="offline")
    # The model makes its client when it is first used and keeps it in the instance.
    chat.__dict__["_client"] = client
    limits = [] if max_iterations is None else [ModelCallLimitMiddleware(run_limit=max_iterations)]
    agent = create_agent(
        chat,
        tools=[tool_of(tool, handlers[tool["name"]]) if own(tool) else tool for tool in tools],
        middleware=limits,
    )
    # LangGraph's own limit counts graph steps: two for each round.
    result = agent.invoke({"messages": list(messages)}, {"recursion_limit": 100})
    last = next(message for message in reversed(result["messages"]) if isinstance(message, AIMessage))
    return {"text": last.text, "stop_reason": last.response_metadata.get("stop_reason")}


def own(tool):
    """Say whether a handler of ours serves the tool."""
    return tool.get("type") in (None, "custom")


def tool_of(tool, handler):
    """Return the tool as the agent takes it."""
    return StructuredTool.from_function(
        func=lambda **given: handler(**given),
        name=tool["name"],
        description=tool.get("description", ""),
        args_schema=tool["input_schema"],
    )
