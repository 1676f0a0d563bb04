"""Put a streamed answer together, event by event; a stranger's code, like the loop that uses it."""

from __future__ import annotations

import json
from typing import Any


class Assembly:
    """One answer while it arrives: ``feed`` it events as dictionaries, then ask whether it is ``whole``."""

    def __init__(self) -> None:
        self.message: dict[str, Any] = {}
        self.blocks: dict[int, dict[str, Any]] = {}
        self.fragments: dict[int, list[str]] = {}
        self.stop_reason: str | None = None
        self.ended = False

    def feed(self, event: dict[str, Any]) -> None:
        """Take one event; a kind that is not known is passed over."""
        match event.get("type"):
            case "message_start":
                self.started(event["message"])
            case "content_block_start":
                self.block_started(event["index"], event["content_block"])
            case "content_block_delta":
                self.grown(event["index"], event["delta"])
            case "content_block_stop":
                self.block_ended(event["index"])
            case "message_delta":
                self.told(event["delta"], event.get("usage") or {})
            case "message_stop":
                self.ended = True

    def started(self, message: dict[str, Any]) -> None:
        """Take the head of the message; its ``stop_reason`` is always null here."""
        self.message = dict(message)
        self.message["usage"] = dict(message.get("usage") or {})

    def block_started(self, index: int, block: dict[str, Any]) -> None:
        """Open the block *index*; several may be open at once."""
        self.blocks[index] = dict(block)
        self.fragments[index] = []

    def grown(self, index: int, delta: dict[str, Any]) -> None:
        """Add *delta* to the block *index*."""
        block = self.blocks[index]
        match delta.get("type"):
            case "text_delta":
                block["text"] = block.get("text", "") + delta["text"]
            case "thinking_delta":
                block["thinking"] = block.get("thinking", "") + delta["thinking"]
            case "signature_delta":
                block["signature"] = delta["signature"]
            case "citations_delta":
                block["citations"] = [*(block.get("citations") or []), delta["citation"]]
            case "input_json_delta":
                self.fragments[index].append(delta["partial_json"])

    def block_ended(self, index: int) -> None:
        """Close the block *index*: only now are the pieces of its input one JSON text."""
        if self.fragments[index]:
            self.blocks[index]["input"] = self.parsed("".join(self.fragments[index]))

    def parsed(self, text: str) -> Any:
        """Return the input whose JSON is *text*; no text is no arguments, and so is one that was cut."""
        try:
            return json.loads(text) if text else {}
        except ValueError:
            return {}

    def told(self, delta: dict[str, Any], usage: dict[str, Any]) -> None:
        """Take how the answer ended, and the usage, which counts from the beginning each time."""
        self.stop_reason = delta.get("stop_reason") or self.stop_reason
        self.message["usage"] |= {name: value for name, value in usage.items() if value is not None}

    def whole(self) -> bool:
        """True when the answer arrived to its end."""
        return self.ended and self.stop_reason is not None

    def answer(self) -> dict[str, Any]:
        """Return the message as the API would have sent it at once."""
        content = [self.blocks[index] for index in sorted(self.blocks)]
        return {**self.message, "content": content, "stop_reason": self.stop_reason}
