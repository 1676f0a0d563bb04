"""What is written can be played by stock vcrpy, holds no secret, and replaces the old file in one step."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anthropic
import pytest
import vcr
from hypothesis import given, settings
from hypothesis import strategies as st
from vcr.request import Request

from simulator.recording.cassette import CassetteError, parse, read, write
from simulator.recording.save import render
from simulator.wire.stream import to_events, to_sse
from tests.recording.cassette_files import ANSWER, QUESTION, REFUSAL, URL, pair, put, streamed


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


STORY = {"scenario": {"title": "Two files", "title_es": "Dos ficheros: añadir 🙂", "main": [0, 1]}}


def test_what_is_written_is_read_back(tmp_path):
    path = tmp_path / "new" / "folder" / "two.yaml"
    write(path, [pair(), streamed(), pair(answer=REFUSAL, status=404, x_should_retry="false")], STORY)
    recording = read(path)
    assert recording.metadata == STORY
    assert [exchange.message for exchange in recording.exchanges] == [ANSWER, ANSWER, None]
    assert [exchange.streamed for exchange in recording.exchanges] == [False, True, False]
    assert recording.exchanges[2].error == REFUSAL["error"]
    assert recording.exchanges[2].headers["x-should-retry"] == "false"


def test_requests_may_be_vcrpys_own_objects(tmp_path):
    request, response = pair()
    made = Request("POST", request["uri"], request["body"].encode(), request["headers"])
    write(tmp_path / "a.yaml", [(made, response)], {})
    write(tmp_path / "b.yaml", [(request, response)], {})
    assert (tmp_path / "a.yaml").read_bytes() == (tmp_path / "b.yaml").read_bytes()


def test_writing_does_not_change_what_it_was_given(tmp_path):
    interactions = [pair(answer=REFUSAL, status=404), streamed()]
    before = json.dumps(interactions, default=repr)
    write(tmp_path / "one.yaml", interactions, STORY)
    assert json.dumps(interactions, default=repr) == before


def test_equal_input_gives_equal_bytes_whatever_the_order_of_headers(tmp_path):
    request, response = pair(retry_after="1", date="today", x_should_retry="true")
    turned = response | {"headers": dict(reversed(response["headers"].items()))}
    write(tmp_path / "a.yaml", [(request, response)], STORY)
    write(tmp_path / "b.yaml", [(request, turned)], STORY)
    assert (tmp_path / "a.yaml").read_bytes() == (tmp_path / "b.yaml").read_bytes()


def test_the_file_is_readable_yaml_with_the_story_first_and_streams_as_lines():
    text = render([streamed()], STORY)
    assert text.startswith("version: 1\nmetadata:\n  scenario:\n    title: Two files\n")
    assert "    title_es: 'Dos ficheros: añadir 🙂'\n" in text
    assert '        event: message_stop\n        data: {"type":"message_stop"}\n' in text
    assert "\r" not in text


def recorded(words: str) -> Any:
    return ANSWER | {"content": [{"type": "text", "text": words}]}


@settings(deadline=None, max_examples=150)
@given(st.text(), st.text(), st.booleans())
def test_any_text_survives_in_answer_and_story(words, title, ascii_only):
    raw = json.dumps(recorded(words), ensure_ascii=ascii_only, indent=1).encode()
    text = render([pair(answer=raw), pair(answer=to_sse(to_events(recorded(words))))], {"title": title})
    recording = parse(text, Path("made.yaml"))
    assert [exchange.message for exchange in recording.exchanges] == [recorded(words)] * 2
    assert recording.exchanges[0].raw == raw
    assert recording.metadata == {"title": title}


def test_a_binary_body_of_another_host_is_kept(tmp_path):
    image = bytes(range(256))
    request = {"method": "GET", "uri": "https://example.org/a.png", "headers": {}, "body": None}
    response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": image}}
    path = tmp_path / "one.yaml"
    write(path, [(request, response), pair()], {})
    assert read(path).others == 1
    _, kept = vcr.serialize.deserialize(path.read_text(encoding="utf-8"), vcr.serializers.yamlserializer)
    assert kept[0]["body"]["string"] == image


# --- stock vcrpy


def test_stock_vcrpy_answers_a_real_client_from_what_was_written(tmp_path):
    path = tmp_path / "stock.yaml"
    write(path, [pair(), streamed(), pair(answer=REFUSAL, status=404, request_id="req_x")], STORY)
    with (
        vcr.use_cassette(str(path), record_mode="none") as played,
        anthropic.Anthropic(api_key="offline", max_retries=0) as client,
    ):
        message = client.messages.create(**QUESTION)
        with client.messages.stream(**QUESTION) as stream:
            assert stream.get_final_message().content[0].text == ANSWER["content"][0]["text"]
        with pytest.raises(anthropic.NotFoundError) as caught:
            client.messages.create(**QUESTION)
        assert played.all_played
    assert (message.id, message.stop_reason) == (ANSWER["id"], "end_turn")
    assert caught.value.request_id == f"req_{1:024d}"


# --- secrets

TOKEN = "gh" + "p_" + "a1" * 18


def test_a_secret_anywhere_stops_the_writing_and_is_not_repeated(tmp_path):
    asked = QUESTION | {"messages": [{"role": "user", "content": f"use {TOKEN}"}]}
    path = put(tmp_path, "the old one")
    for interactions, metadata in [
        ([pair(asked)], {}),
        ([pair(), pair(answer=recorded(TOKEN))], {}),
        ([pair(retry_after=TOKEN)], {}),
        ([pair(uri=f"{URL}?x={TOKEN}")], {}),
        ([pair()], {"scenario": {"title": TOKEN}}),
        ([pair(answer=b"\xff" + TOKEN.encode()), pair()], {}),
    ]:
        with pytest.raises(CassetteError, match="seems to hold a GitHub token") as caught:
            write(path, interactions, metadata)
        assert TOKEN not in str(caught.value)
        assert path.read_text(encoding="utf-8") == "the old one"


def test_keys_of_the_recording_account_are_scrubbed_not_refused(tmp_path):
    key = "sk-" + "ant-api03-" + "Ab1_" * 8
    asked = QUESTION | {"messages": [{"role": "user", "content": f"my key is {key}"}]}
    request, response = pair(asked, anthropic_organization_id="org-secret", set_cookie="_cfuvid=secret")
    request["headers"]["x-api-key"] = key
    write(tmp_path / "one.yaml", [(request, response)], {})
    text = (tmp_path / "one.yaml").read_text(encoding="utf-8")
    assert "sk-ant" not in text
    assert "secret" not in text
    assert "my key is scrubbed-key" in text


# --- in one step


@pytest.mark.parametrize(
    "interactions",
    [[], [pair(answer=b"{oops")], [pair(body=[1])], [({"method": "POST"}, {})], [(None, None)]],
)
def test_what_could_not_be_read_back_is_not_written(tmp_path, interactions):
    path = put(tmp_path, "the old one")
    with pytest.raises(CassetteError):
        write(path, interactions, {})
    assert path.read_text(encoding="utf-8") == "the old one"
    assert names(tmp_path) == ["one.yaml"]


def test_a_place_that_cannot_be_written_is_an_error_and_leaves_nothing_behind(tmp_path):
    (tmp_path / "one.yaml").mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for path in (tmp_path / "one.yaml", tmp_path / "file" / "two.yaml"):
        with pytest.raises(CassetteError, match="cannot be written"):
            write(path, [pair()], {})
    assert names(tmp_path) == ["file", "one.yaml"]


def test_a_link_stays_a_link_to_the_new_cassette(tmp_path):
    real = put(tmp_path, "the old one", "real.yaml")
    link = tmp_path / "link.yaml"
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("this system lets this user make no symbolic links")
    write(link, [pair()], {})
    assert link.is_symlink()
    assert read(real).exchanges


WRITER = """
import sys
from pathlib import Path
from simulator.recording.cassette import write
from tests.recording.cassette_files import ANSWER, pair
path = Path(sys.argv[1])
for turn in range(10**6):
    words = f"turn {turn % 2} " * 200
    write(path, [pair(answer=ANSWER | {"content": [{"type": "text", "text": words}]})] * 3, {"turn": turn})
    if not turn:
        print("it writes", flush=True)
"""


def test_a_kill_at_any_moment_leaves_a_whole_cassette(tmp_path):
    path = tmp_path / "one.yaml"
    write(path, [pair()], {"turn": -1})
    moments = random.Random(20)
    seen = set()
    for _ in range(5):
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(moments.random() * 0.15)
        child.kill()
        child.wait()
        child.stdout.close()
        seen.add(read(path).metadata["turn"])
    assert max(seen) > 0, "no child was killed in the middle of its work: the test proves nothing"
