"""An ordinary ten-line loop on every real recording: how far does it come?"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic
import pytest

from simulator.recording.handlers import ToolFailed
from simulator.recording.replay import OffScript, RecordingEnds
from simulator.recording.scenario import Session, scenario

pytestmark = [
    pytest.mark.corpus,
    # Old recordings ask for models that the SDK warns about.
    pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Using Claude with .* and 'thinking.type=enabled':UserWarning"),
]

OWN_WORDS = {
    "anthropic_parallel_native_tool_calling_test_crew": "their loop left the text out of the turn",
    "anthropic_image_tool": "their loop put a text of its own beside the result",
    "anthropic_to_google_deferred_capability_history_replay": "their loop loaded a tool by itself",
    "anthropic-claude-sonnet-4-5-openai-responses-gpt-5.4": "their loop loaded a tool by itself",
}
"""Recordings of loops that put something of their own into the conversation, as no plain loop does."""


def run(session: Session, beta: bool) -> None:
    """Run a plain loop to its end. ``timeout`` only tells the SDK that a long answer need not be streamed."""
    messages = session.messages
    first = session.scenario.request
    given = {key: first[key] for key in ("system", "tools", "tool_choice", "thinking") if key in first}
    ask = session.client.beta.messages if beta else session.client.messages
    while True:
        response: Any = ask.create(
            model=session.model, max_tokens=session.max_tokens, messages=messages, timeout=60, **given
        )
        messages.append({"role": "assistant", "content": response.content})
        results = [_result(session, block) for block in response.content if block.type == "tool_use"]
        if not results:
            return
        messages.append({"role": "user", "content": results})


def _result(session: Session, block: Any) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": block.id}
    try:
        return result | {"content": session.handlers[block.name](**block.input)}
    except ToolFailed as failure:
        return result | {"content": str(failure), "is_error": True}


@dataclass(frozen=True)
class Played:
    path: Path
    ending: str
    detail: str = ""


def play(path: Path) -> Played:
    session = scenario(path).start()
    exchanges = session.scenario.recording.exchanges
    try:
        run(session, exchanges[0].beta)
    except RecordingEnds as stop:
        return Played(path, "last recorded call", str(stop))
    except anthropic.APIStatusError as error:
        recorded = [(each.status, each.error) for each in exchanges if each.error is not None]
        seen = (error.status_code, error.body["error"] if isinstance(error.body, dict) else None)
        return Played(path, "recorded error" if seen in recorded else "refused", str(error))
    except OffScript as stop:
        return Played(path, "off script", str(stop))
    return Played(path, "whole")


def test_a_plain_loop_plays_real_recordings_to_their_own_end(corpus):
    played = [play(path) for path in sorted((corpus / "cassettes").rglob("*.yaml"))]
    counted = Counter(each.ending for each in played)
    print("\nA plain loop on the recordings of others:", dict(counted))
    others = [each for each in played if each.ending in ("off script", "refused")]
    for each in others:
        print(f"  {each.ending}: {each.path.name}\n    {each.detail}")

    assert sum(counted.values()) == 72
    assert counted["whole"] >= 47
    assert counted["last recorded call"] >= 12
    assert counted["recorded error"] >= 6
    assert len(played) - len(others) >= 65
    for each in others:
        assert any(each.path.stem.endswith(name) for name in OWN_WORDS), each


@pytest.mark.parametrize("status", [401, 404])
def test_recorded_errors_replay_as_recorded(corpus, status):
    found = 0
    for path in sorted((corpus / "cassettes").rglob("*.yaml")):
        made = scenario(path)
        for exchange in made.recording.exchanges:
            if exchange.status != status:
                continue
            found += 1
            with pytest.raises(anthropic.APIStatusError) as caught:
                ask_again(made.start(), exchange.request, exchange.beta)
            response = caught.value.response
            assert response.status_code == status
            assert response.content == exchange.raw
            assert response.headers["x-should-retry"] == "false"
            assert caught.value.body["error"] == exchange.error
            if "request-id" in exchange.headers:
                assert caught.value.request_id == exchange.headers["request-id"]
    assert found


def ask_again(session: Session, body: dict[str, Any], beta: bool) -> None:
    ask = session.client.beta.messages if beta else session.client.messages
    # As it was sent: some of its parameters are no longer arguments of the SDK.
    answer = ask.create(
        model=session.model,
        max_tokens=session.max_tokens,
        messages=body["messages"],
        stream=body.get("stream") is True,
        extra_body=body,
    )
    list(answer)
