import asyncio
import json
import os
import subprocess
import sys

import anthropic
import pytest

from simulator.recording.client import async_client, client
from simulator.recording.replay import OffScript, Replay, RunawayLoop
from tests.recording.made import (
    ANSWERED,
    ASKED,
    DONE,
    TASK,
    broken,
    exchange,
    failed,
    list_dir,
    raw,
    recording,
    request,
    told,
)


async def _async_create(made, **body):
    return await async_client(made).messages.create(**body)


async def _async_stream(made, **body):
    async with async_client(made).messages.stream(**body) as stream:
        return await stream.get_final_message()


async def _async_events(made, **body):
    return [event async for event in await async_client(made).messages.create(stream=True, **body)]


async def _async_beta(made, **body):
    return await async_client(made).beta.messages.create(**body)


async def _async_beta_stream(made, **body):
    async with async_client(made).beta.messages.stream(**body) as stream:
        return await stream.get_final_message()


async def _async_raw(made, **body):
    response = await async_client(made).messages.with_raw_response.create(**body)
    return await response.parse()


async def _async_streaming(made, **body):
    async with async_client(made).messages.with_streaming_response.create(**body) as response:
        return await response.parse()


def _stream(made, **body):
    with client(made).messages.stream(**body) as stream:
        return stream.get_final_message()


def _beta_stream(made, **body):
    with client(made).beta.messages.stream(**body) as stream:
        return stream.get_final_message()


def _streaming(made, **body):
    with client(made).messages.with_streaming_response.create(**body) as response:
        return response.parse()


def _run(function):
    return lambda made, **body: asyncio.run(function(made, **body))


CALLS = {
    "create": lambda made, **body: client(made).messages.create(**body),
    "stream": _stream,
    "stream=True": lambda made, **body: list(client(made).messages.create(stream=True, **body)),
    "beta.create": lambda made, **body: client(made).beta.messages.create(**body),
    "beta.stream": _beta_stream,
    "with_raw_response": lambda made, **body: client(made).messages.with_raw_response.create(**body).parse(),
    "with_streaming_response": _streaming,
    "async create": _run(_async_create),
    "async stream": _run(_async_stream),
    "async stream=True": _run(_async_events),
    "async beta.create": _run(_async_beta),
    "async beta.stream": _run(_async_beta_stream),
    "async with_raw_response": _run(_async_raw),
    "async with_streaming_response": _run(_async_streaming),
}

every_call = pytest.mark.parametrize("ask", CALLS.values(), ids=CALLS)
either_kind = pytest.mark.parametrize("streamed", [False, True], ids=["plain", "streamed"])


def _answer_of(got):
    """The text and stop reason of a message, or of the events of one."""
    if not isinstance(got, list):
        return "".join(block.text for block in got.content if block.type == "text"), got.stop_reason
    text = "".join(event.delta.text for event in got if event.type == "content_block_delta")
    return text, next(event.delta.stop_reason for event in got if event.type == "message_delta")


@every_call
@either_kind
def test_every_way_of_asking_is_answered_from_either_kind_of_recording(ask, streamed):
    made = recording(exchange(0, request(TASK), DONE, streamed=streamed))
    assert _answer_of(ask(Replay(made), **request(TASK))) == ("There are two files.", "end_turn")


@every_call
def test_off_script_comes_out_of_the_sdk_as_itself(ask):
    replay = Replay(list_dir())
    with pytest.raises(OffScript) as caught:
        ask(replay, **request(told("Hello?")))
    assert caught.value is replay.stopped


@every_call
def test_a_runaway_loop_is_stopped_through_the_sdk_as_itself(ask):
    with pytest.raises(RunawayLoop):
        ask(Replay(list_dir(), max_requests=0), **request(TASK))


@every_call
def test_a_broken_rule_is_the_error_class_of_the_sdk(ask):
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(Replay(list_dir()), **request(TASK, ASKED))
    assert caught.value.status_code == 400
    assert caught.value.type == "invalid_request_error"
    assert caught.value.request_id == caught.value.body["request_id"]
    assert caught.value.response.headers["x-should-retry"] == "false"


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (401, "authentication_error", anthropic.AuthenticationError),
        (404, "not_found_error", anthropic.NotFoundError),
        (429, "rate_limit_error", anthropic.RateLimitError),
        (529, "overloaded_error", anthropic.InternalServerError),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_recorded_error_is_the_error_class_of_the_sdk_with_its_headers(status, kind, error, stream):
    made = recording(failed(0, request(TASK), status, kind, "No.", retry_after="7"))
    with pytest.raises(error) as caught:
        client(Replay(made)).messages.create(stream=stream, **request(TASK))
    headers = caught.value.response.headers
    assert headers["retry-after"] == "7"
    assert headers["x-should-retry"] == ("true" if status in (429, 529) else "false")
    assert headers["request-id"].startswith("req_")


def test_recorded_headers_win_over_made_ones_and_those_of_the_wire_are_dropped():
    made = recording(
        failed(
            0,
            request(TASK),
            429,
            "rate_limit_error",
            "No.",
            request_id="req_recorded",
            x_should_retry="false",
            content_encoding="gzip",
            content_length="3",
            set_cookie="_cfuvid=1",
        )
    )
    answer = Replay(made).answer(raw(request(TASK)))
    assert answer.headers == {
        "content-type": "application/json",
        "request-id": "req_recorded",
        "x-should-retry": "false",
    }


def test_the_same_request_has_the_same_request_id_in_every_run():
    ids = [client(Replay(list_dir())).messages.create(**request(TASK))._request_id for _ in range(2)]
    assert ids[0] == ids[1]
    assert ids[0].startswith("req_")


def test_one_call_is_one_request_even_when_it_is_answered_with_a_429():
    made = recording(
        failed(0, request(TASK), 429, "rate_limit_error", "No.", retry_after="60"),
        exchange(1, request(TASK), DONE),
    )
    replay = Replay(made)
    with pytest.raises(anthropic.RateLimitError):
        client(replay).messages.create(**request(TASK))
    assert replay.requests == 1


def test_the_sdk_retries_by_itself_when_it_is_asked_to():
    made = recording(
        failed(0, request(TASK), 429, "rate_limit_error", "No.", retry_after_ms="1"),
        exchange(1, request(TASK), DONE),
    )
    replay = Replay(made)
    response = client(replay, max_retries=2).messages.create(**request(TASK))
    assert response.stop_reason == "end_turn"
    assert replay.requests == 2


# --- streams ------------------------------------------------------------------------------------------


def test_a_recorded_stream_is_streamed_byte_for_byte():
    made = recording(exchange(0, request(TASK), DONE, streamed=True))
    answer = Replay(made).answer(raw(request(TASK, stream=True)))
    assert answer.body == made.exchanges[0].raw
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_a_tool_call_survives_the_way_from_plain_to_stream_and_back():
    for streamed in (False, True):
        made = recording(exchange(0, request(TASK), ASKED, streamed=streamed))
        for ask in (CALLS["create"], CALLS["stream"]):
            block = ask(Replay(made), **request(TASK)).content[1]
            assert (block.name, block.input, block.id) == ("list_dir", {"path": "."}, "toolu_1")


def test_an_error_in_the_middle_of_a_stream_replays_as_recorded():
    error = {"type": "overloaded_error", "message": "Overloaded"}
    made = recording(broken(0, request(TASK), DONE, error=error))
    seen = []
    with pytest.raises(anthropic.APIStatusError, match="Overloaded"):  # noqa: PT012  # it breaks off midway
        for event in client(Replay(made)).messages.create(stream=True, **request(TASK)):
            seen.append(event.type)
    assert seen[:2] == ["message_start", "content_block_start"]
    with pytest.raises(anthropic.InternalServerError) as caught:
        client(Replay(made)).messages.create(**request(TASK))
    assert (caught.value.status_code, caught.value.type) == (529, "overloaded_error")


def test_a_cut_stream_ends_where_it_was_cut_and_has_no_stop_reason():
    made = recording(broken(0, request(TASK), DONE))
    events = list(client(Replay(made)).messages.create(stream=True, **request(TASK)))
    assert events[-1].type != "message_stop"
    response = client(Replay(made)).messages.create(**request(TASK))
    assert response.stop_reason is None
    assert response.role == "assistant"


# --- nothing else, and nowhere else -------------------------------------------------------------------


def test_another_endpoint_ends_the_run_with_one_clear_sentence():
    replay = Replay(list_dir())
    with pytest.raises(OffScript, match=r"POST /v1/messages/count_tokens is not in the recording"):
        client(replay).messages.count_tokens(model="claude-sonnet-5-5", messages=[TASK])
    with pytest.raises(OffScript):
        client(replay).messages.create(**request(TASK))


def test_the_environment_cannot_send_a_request_anywhere():
    script = (
        "import sys; sys.path.insert(0, '.')\n"
        "from tests import network_guard; network_guard.start()\n"
        "from tests.recording.made import *\n"
        "from simulator.recording.client import client\n"
        "from simulator.recording.replay import Replay\n"
        "print(client(Replay(list_dir())).messages.create(**request(TASK)).stop_reason)\n"
        "assert not network_guard.breaches\n"
    )
    elsewhere = "http://192.0.2.1:9"
    proxies = dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "ANTHROPIC_BASE_URL"), elsewhere)
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **proxies},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout.strip() == "tool_use", done.stderr


def test_the_body_the_loop_sent_is_what_the_replay_read():
    seen = []

    class Ear:
        def request(self, body, digest):
            seen.append(body)

        def answered(self, answer): ...

        def stopped(self, stop): ...

        def ignored(self, stop): ...

    sent = request(TASK, ASKED, ANSWERED)
    client(Replay(list_dir(), listener=Ear())).messages.create(**sent)
    assert seen == [json.loads(json.dumps(sent))]
