"""Every real recording loads, and holds what its bytes say."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import pytest
import yaml
from vcr.serializers.yamlserializer import _CassetteLoader

from simulator.recording.cassette import Exchange, Recording, read, write
from simulator.recording.safe_yaml import load
from simulator.wire.stream import to_events, to_sse
from tests.recording.cassette_files import URL

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning"),
]


DROPPED = {"set-cookie", "content-encoding", "anthropic-organization-id"}
REASONS = {"end_turn", "tool_use", "max_tokens", "stop_sequence"}


@pytest.fixture(scope="module")
def files(corpus: Path) -> list[Path]:
    return sorted((corpus / "cassettes").glob("*/*.yaml"))


@pytest.fixture(scope="module")
def recordings(files: list[Path]) -> list[Recording]:
    return [read(path) for path in files]


def test_all_72_load_with_every_exchange_counted(recordings):
    assert len(recordings) == 72
    exchanges = [exchange for recording in recordings for exchange in recording.exchanges]
    assert len(exchanges) == 113
    assert Counter(exchange.status for exchange in exchanges) == {200: 106, 401: 4, 404: 2, 400: 1}
    assert sum(exchange.streamed for exchange in exchanges) == 37
    assert sum(recording.others for recording in recordings) == 16


def test_status_message_and_error_agree_in_every_exchange(recordings):
    for recording in recordings:
        for place, exchange in enumerate(recording.exchanges):
            assert exchange.index == place
            assert isinstance(exchange.request["messages"], list)
            assert exchange.complete
            assert (exchange.message is not None) == (exchange.status == 200)
            assert (exchange.error is not None) == (exchange.status != 200)
            assert exchange.raw[:2] != b"\x1f\x8b"
            assert (
                not {"set-cookie", "content-encoding", "anthropic-organization-id"} & exchange.headers.keys()
            )
            if exchange.message is not None:
                assert exchange.message["stop_reason"] in {
                    "end_turn",
                    "tool_use",
                    "max_tokens",
                    "stop_sequence",
                }
                assert exchange.message["usage"]["output_tokens"] >= 0
            else:
                assert set(exchange.error or {}) >= {"type", "message"}


def test_our_yaml_reader_reads_what_vcrpys_own_reads(files):
    refused = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        try:
            theirs = yaml.load(text, Loader=_CassetteLoader)
        except yaml.constructor.ConstructorError:
            refused.append("multidict" in text)
        else:
            assert load(text).data == theirs
    assert refused == [True]


def sdk_final(exchange: Exchange, raw: bytes) -> dict[str, Any]:
    """The message that the SDK's own accumulator makes of the stream *raw*."""

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=raw)

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    with anthropic.Anthropic(api_key="offline", max_retries=0, http_client=http) as client:
        messages: Any = client.beta.messages if exchange.beta else client.messages
        with messages.stream(model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}]) as stream:
            return json.loads(stream.get_final_message().to_json())


def without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def test_every_recorded_stream_is_the_message_that_the_sdk_makes_of_it(recordings):
    compared = 0
    for recording in recordings:
        for exchange in recording.exchanges:
            if not exchange.streamed:
                continue
            ours, theirs = without_nulls(exchange.message), without_nulls(sdk_final(exchange, exchange.raw))
            # The SDK drops what its snapshot has no field for; what it keeps has to be ours.
            assert theirs["content"] == ours["content"], recording.path
            for key in ("id", "model", "role", "stop_reason", "stop_sequence"):
                assert theirs.get(key) == ours.get(key), recording.path
            assert theirs["usage"].items() <= ours["usage"].items(), recording.path
            compared += 1
    assert compared == 37


def test_every_recorded_message_survives_our_own_streaming(recordings):
    for recording in recordings:
        for exchange in recording.exchanges:
            if exchange.message is None:
                continue
            raw = to_sse(to_events(exchange.message))
            assert (
                without_nulls(sdk_final(exchange, raw))["content"]
                == without_nulls(exchange.message)["content"]
            )


def test_every_recording_can_be_written_scrubbed_and_read_again(recordings, tmp_path):
    for recording in recordings:
        interactions = [
            (
                {"method": "POST", "uri": URL, "headers": {}, "body": json.dumps(each.request)},
                {"status": {"code": each.status}, "headers": each.headers, "body": {"string": each.raw}},
            )
            for each in recording.exchanges
        ]
        write(tmp_path / "again.yaml", interactions, {})
        again = read(tmp_path / "again.yaml").exchanges
        assert [each.request for each in again] == [each.request for each in recording.exchanges]
        assert [each.status for each in again] == [each.status for each in recording.exchanges]


def test_the_largest_recording_loads_in_a_blink(files):
    largest = max(files, key=lambda path: path.stat().st_size)
    best = min(timed(largest) for _ in range(5))
    assert best < 0.5, f"{best:.3f} s for {largest.stat().st_size:,} bytes"


def timed(path: Path) -> float:
    began = time.perf_counter()
    read(path)
    return time.perf_counter() - began
