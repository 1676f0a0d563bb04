"""The ways through a request: which places a stage looks at, in the order the API does."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.wire.rules.request import Request, block_type
from simulator.wire.rules.table import Place


def sent(request: Request) -> Iterator[Place]:
    """Yield what was sent, an object or not."""
    yield Place("request", request.sent, "", request)


def whole(request: Request) -> Iterator[Place]:
    """Yield the request itself."""
    yield Place("request", request.body, "", request)


def each_tool(request: Request) -> Iterator[Place]:
    """Yield the request, then every entry of ``tools``."""
    yield Place("request", request.body, "", request)
    tools = request.body.get("tools")
    for index, tool in enumerate(tools if isinstance(tools, list) else []):
        yield Place("tool", tool, f"tools.{index}", request, index)


def each_message(request: Request) -> Iterator[Place]:
    """Yield the request, then every entry of ``messages`` as sent, its blocks, and the blocks of its results.

    After the blocks of an entry comes its "message_end", where the API reports keys it does not know.
    """
    yield Place("request", request.body, "", request)
    for index, entry in enumerate(request.messages):
        path = f"messages.{index}"
        yield Place("message", entry, path, request, index)
        content = entry.get("content") if isinstance(entry, dict) else None
        for at, block in enumerate(content if isinstance(content, list) else []):
            yield from _block(request, block, f"{path}.content.{at}")
        yield Place("message_end", entry, path, request, index)


def each_entry(request: Request) -> Iterator[Place]:
    """Yield every entry of ``messages`` as sent, then the request."""
    for index, entry in enumerate(request.messages):
        yield Place("entry", entry, f"messages.{index}", request, index)
    yield Place("request", request.body, "", request)


def each_turn(request: Request) -> Iterator[Place]:
    """Yield the request, then every merged turn; its value is the turn's live content.

    Nothing for a request that continues a thread held by the server, whose earlier turns are not here.
    """
    if request.body.get("thread") is not None:
        return
    yield Place("request", request.body, "", request)
    for index, content in enumerate(request.live):
        yield Place("turn", content, f"messages.{index}", request, index)


def _block(request: Request, block: object, path: str) -> Iterator[Place]:
    yield Place("block", block, path, request)
    if not isinstance(block, dict) or block_type(block) != "tool_result":
        return
    inner = block.get("content")
    for at, item in enumerate(inner if isinstance(inner, list) else []):
        yield Place("result_block", item, f"{path}.tool_result.content.{at}", request)
