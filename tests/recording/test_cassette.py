"""Any vcrpy cassette is read whole, or refused in one sentence with its place."""

import base64
import gzip
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from simulator.recording import cassette as room
from simulator.recording.cassette import CassetteError, read
from simulator.recording.safe_yaml import YamlError, load
from simulator.text import say
from tests.recording.cassette_files import (
    ANSWER,
    QUESTION,
    REFUSAL,
    URL,
    cassette,
    interaction,
    put,
    streamed,
)


def refusal(folder: Path, text: str | bytes) -> CassetteError:
    """The error by which a cassette of *text* is refused."""
    with pytest.raises(CassetteError) as caught:
        read(put(folder, text))
    return caught.value


def zipped(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.b64encode(gzip.compress(raw)).decode()


# --- what is read


def test_a_plain_cassette_gives_request_answer_and_metadata(tmp_path):
    text = cassette(tail="metadata:\n  scenario: {title: Two files, date: 2026-11-30}\nversion: 1\n")
    recording = read(put(tmp_path, text))
    (exchange,) = recording.exchanges
    assert (exchange.index, exchange.request, exchange.status) == (0, QUESTION, 200)
    assert (exchange.message, exchange.error, exchange.complete) == (ANSWER, None, True)
    assert (exchange.streamed, exchange.beta, recording.others) == (False, False, 0)
    assert json.loads(exchange.raw) == ANSWER
    assert recording.metadata == {"scenario": {"title": "Two files", "date": "2026-11-30"}}


def test_gzip_is_told_by_its_bytes_whatever_the_header_says(tmp_path):
    lying = "headers: {content-encoding: [gzip]}\n    status: {code: 200, message: OK}"
    binary = f"body:\n      string: !!binary {zipped(ANSWER)}\n    headers: {{}}\n    status: {{code: 200}}"
    plain = f"body:\n      string: '{json.dumps(ANSWER)}'\n    {lying}"
    recording = read(put(tmp_path, cassette(interaction(response=binary), interaction(response=plain))))
    for exchange in recording.exchanges:
        assert exchange.message == ANSWER
        assert "content-encoding" not in exchange.headers


def test_a_gzipped_request_body_and_a_gzipped_stream_are_read(tmp_path):
    _, response = streamed()
    request = f"body: !!binary {zipped(QUESTION)}\n    headers: {{}}\n    method: POST\n    uri: {URL}"
    packed = zipped(response["body"]["string"])
    answer = f"body:\n      string: !!binary {packed}\n    headers: {{}}\n    status: {{code: 200}}"
    (exchange,) = read(put(tmp_path, cassette(interaction(request, answer)))).exchanges
    assert (exchange.request, exchange.message, exchange.streamed) == (QUESTION, ANSWER, True)
    assert exchange.raw == response["body"]["string"]


def test_parsed_body_stands_for_a_body_on_either_side(tmp_path):
    request = (
        f"headers: {{}}\n    method: POST\n    parsed_body: {json.dumps(QUESTION)}\n    uri: {URL}?beta=true"
    )
    response = f"headers: {{}}\n    parsed_body: {json.dumps(ANSWER)}\n    status: {{code: 200, message: OK}}"
    (exchange,) = read(put(tmp_path, cassette(interaction(request, response)))).exchanges
    assert (exchange.request, exchange.message, exchange.beta) == (QUESTION, ANSWER, True)
    assert json.loads(exchange.raw) == ANSWER


def test_header_values_stand_as_lists_or_texts_in_any_letter_case(tmp_path):
    headers = (
        "Retry-After: '7'\n      Request-Id: [req_1]\n      X-Should-Retry: [a, b]\n"
        "      Set-Cookie: [secret]\n      Anthropic-Organization-Id: [secret]\n      Content-Length: 5\n"
        "      date: []"
    )
    response = (
        f"body: {{string: '{json.dumps(ANSWER)}'}}\n    headers:\n      {headers}\n    status: {{code: 200}}"
    )
    (exchange,) = read(put(tmp_path, cassette(interaction(response=response)))).exchanges
    assert exchange.headers == {
        "retry-after": "7",
        "request-id": "req_1",
        "x-should-retry": "a, b",
        "date": "",
    }


def test_a_python_tag_on_a_header_key_is_read_as_plain_text(tmp_path):
    tagged = "? !!python/object/apply:multidict._multidict.istr\n      - Retry-After\n      : - '3'"
    request = (
        f"body: '{json.dumps(QUESTION)}'\n    headers:\n      {tagged}\n    method: POST\n    uri: {URL}"
    )
    response = (
        f"body: {{string: '{json.dumps(ANSWER)}'}}\n    headers:\n      {tagged}\n    status: {{code: 200}}"
    )
    (exchange,) = read(put(tmp_path, cassette(interaction(request, response)))).exchanges
    assert exchange.headers == {"retry-after": "3"}


def test_other_hosts_and_endpoints_in_between_are_counted(tmp_path):
    uris = [
        "https://api.openai.com/v1/responses",
        f"{URL}/count_tokens",
        "https://api.anthropic.com/v1/files",
    ]
    others = [interaction(f"body: ''\n    headers: {{}}\n    method: POST\n    uri: {uri}") for uri in uris]
    get = interaction(f"body: null\n    headers: {{}}\n    method: GET\n    uri: {URL}")
    recording = read(put(tmp_path, cassette(*others, interaction(), get)))
    assert (len(recording.exchanges), recording.exchanges[0].index, recording.others) == (1, 0, 4)


def test_a_missing_version_and_a_byte_order_mark_are_accepted(tmp_path):
    assert read(put(tmp_path, "\ufeff" + cassette(tail=""))).exchanges


def test_a_recorded_error_is_an_answer_with_its_error(tmp_path):
    text = cassette(interaction(string=json.dumps(REFUSAL), status="404"))
    (exchange,) = read(put(tmp_path, text)).exchanges
    assert (exchange.status, exchange.message, exchange.error) == (404, None, REFUSAL["error"])
    assert exchange.complete


def test_an_error_body_in_a_form_of_its_own_is_told_by_its_text(tmp_path):
    text = cassette(interaction(string='{"detail": "too many"}', status="429"))
    (exchange,) = read(put(tmp_path, text)).exchanges
    assert exchange.error == {"type": "api_error", "message": '{"detail": "too many"}'}


def test_a_cut_stream_and_an_error_in_a_stream_are_incomplete(tmp_path):
    raw = streamed()[1]["body"]["string"]
    overloaded = (
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    )
    cut, failed = raw[:300], raw[: raw.index(b"event: content_block_stop")] + overloaded
    blocks = [
        f"body:\n      string: {json.dumps(body.decode())}\n    headers: {{}}\n    status: {{code: 200}}"
        for body in (cut, failed)
    ]
    first, second = read(
        put(tmp_path, cassette(*(interaction(response=block) for block in blocks)))
    ).exchanges
    assert (first.streamed, first.complete, first.message, first.error) == (True, False, None, None)
    assert (second.complete, second.message, second.error) == (
        False,
        None,
        {"type": "overloaded_error", "message": "Overloaded"},
    )


# --- what is refused, and how


def test_a_missing_file_a_folder_and_an_empty_file_are_refused(tmp_path):
    for path, sentence in [
        (tmp_path / "nowhere.yaml", "cassette.missing"),
        (tmp_path, "cassette.directory"),
        (put(tmp_path, " \n\n"), "cassette.empty"),
    ]:
        with pytest.raises(CassetteError) as caught:
            read(path)
        assert str(caught.value) == f"{path}: {say(sentence)}"
        assert (caught.value.path, caught.value.place) == (path, None)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name):
    with pytest.raises(CassetteError):
        read(str(tmp_path / name) if name else "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(CassetteError, match="a pipe or a device"):
        read(tmp_path / "pipe.yaml")


def test_a_huge_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:
        file.truncate(room.MAX_BYTES + 1)  # a sparse file: it takes no room on the disk
    began = time.perf_counter()
    with pytest.raises(CassetteError, match="larger than 256 MB"):
        read(path)
    assert time.perf_counter() - began < 1


def test_bytes_that_are_no_utf8_are_refused_with_their_line(tmp_path):
    error = refusal(tmp_path, cassette().encode().replace(b"Two files", b"Two \xff files"))
    assert (error.place, error.sentence) == ("line 9", say("cassette.not_utf8"))


def test_truncated_yaml_is_refused_with_its_line(tmp_path):
    whole = cassette()
    error = refusal(tmp_path, whole[: whole.index("string:") + 40])
    assert error.place is not None
    assert error.place.startswith("line ")
    assert error.sentence.startswith("this is not YAML (")


def test_no_truncation_of_a_cassette_is_ever_read_as_less(tmp_path):
    whole = cassette(interaction(), interaction())
    for end in range(0, len(whole) - len("version: 1\n"), 7):
        path = put(tmp_path, whole[:end])
        try:
            recording = read(path)
        except CassetteError:
            continue
        # YAML cannot tell a file cut between two interactions from a shorter one.
        assert whole[:end].rstrip() == cassette(*[interaction()] * len(recording.exchanges), tail="").rstrip()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("just words", "cassette.shape"),
        ("- request: {}\n", "cassette.shape"),
        ("version: 1\n", "cassette.shape"),
        ("http_interactions: []\n", "cassette.ruby"),
    ],
)
def test_yaml_of_another_shape_is_refused(tmp_path, text, sentence):
    assert refusal(tmp_path, text).sentence == say(sentence)


@pytest.mark.parametrize("version", ["2", "'1'", "true", "1.5", "null", "[1]"])
def test_another_version_is_refused(tmp_path, version):
    assert "only version 1 is known" in refusal(tmp_path, cassette(tail=f"version: {version}\n")).sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("interactions: {}\nversion: 1\n", "interactions is of type dict"),
        ("interactions: null\n", "interactions is of type NoneType"),
        ("interactions: []\n", "no exchange with POST /v1/messages"),
        (cassette(tail="metadata: [1]\n"), "metadata is of type list"),
        (cassette(tail="metadata: {1: x}\n"), "a key here is 1"),
        (cassette(tail="metadata: {x: !!binary YQ==}\n"), "a value here is of type bytes"),
    ],
)
def test_a_wrong_top_level_is_refused(tmp_path, text, said):
    assert said in refusal(tmp_path, text).sentence


def test_a_cassette_without_a_messages_exchange_is_refused(tmp_path):
    other = interaction(
        "body: ''\n    headers: {}\n    method: POST\n    uri: https://api.openai.com/v1/responses"
    )
    assert refusal(tmp_path, cassette(other)).sentence == say("cassette.no_messages", others=1)


BROKEN = [
    ("- 5\n", "this is of type int"),
    ("- request: {}\n", "there is no response mapping"),
    (interaction(f"body: x\n    headers: {{}}\n    method: 5\n    uri: {URL}"), "method is of type int"),
    (
        interaction("body: x\n    headers: {}\n    method: POST\n    uri: null"),
        "uri cannot be used (NoneType)",
    ),
    (
        interaction("body: x\n    headers: {}\n    method: POST\n    uri: 'http://[x/v1/messages'"),
        "uri cannot be used",
    ),
    (
        interaction(f"body: null\n    headers: {{}}\n    method: POST\n    uri: {URL}"),
        "the request has no body",
    ),
    (
        interaction(f"body: {{a: 1}}\n    headers: {{}}\n    method: POST\n    uri: {URL}"),
        "request body is of type dict",
    ),
    (interaction(body="{oops"), "request body is not JSON"),
    (interaction(body="[1]"), "request body is of type list"),
    (interaction(body='{"max_tokens": NaN}'), "NaN is not JSON"),
    (interaction(body='{"a":' * 99_999), "nests more than 100 levels"),
    (interaction(body='{"a":' * 150 + "1" + "}" * 150), "nests more than 100 levels"),
    (interaction(string=""), "the response has no body"),
    (interaction(string="<html>Bad gateway</html>", status="502"), "response body is not JSON"),
    (interaction(string='{"ok": true}'), "no content list"),
    (
        interaction(string="event: message_start\ndata: {oops}\n\n".replace("\n", "\n\n")),
        "the stream is broken",
    ),
    (interaction(status="'200'", string="{}").replace("'200'", "two"), "status is two"),
    (interaction(status="true"), "status is True"),
    (interaction(status="99"), "status is 99"),
    (
        interaction(response="body: {string: '{}'}\n    headers: [1]\n    status: {code: 200}"),
        "headers are of type list",
    ),
    (interaction(response="headers: {}\n    status: {code: 200}"), "the response has no body"),
    (
        interaction(response="body: {string: !!binary H4sIAAAA}\n    headers: {}\n    status: {code: 200}"),
        "starts as gzip and cannot be unpacked",
    ),
    (
        interaction(
            response=f"body: {{string: !!binary {zipped(ANSWER)[:80]}}}\n    status: {{code: 200}}",
        ),
        "starts as gzip and cannot be unpacked",
    ),
    (
        interaction(response="parsed_body: {1: x}\n    headers: {}\n    status: {code: 200}"),
        "a key here is 1",
    ),
]


@pytest.mark.parametrize(("broken", "said"), BROKEN)
def test_a_broken_exchange_between_whole_ones_is_an_error_with_its_number_and_line(tmp_path, broken, said):
    error = refusal(tmp_path, cassette(interaction(), broken, interaction()))
    assert error.place == "interaction 2 of 3 (line 12)"
    assert said in error.sentence
    assert "\n" not in str(error)


# --- hostile files


@pytest.mark.parametrize(
    "payload",
    [
        "!!python/object/apply:os.system ['touch {flag}']",
        "!!python/object/new:os.system ['touch {flag}']",
        "!!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ['{flag}']]",
        "!!python/name:os.system",
        "!!python/module:os",
        "!<tag:yaml.org,2002:python/object/apply:os.system> ['touch {flag}']",
    ],
)
@pytest.mark.parametrize("place", ["body", "string", "uri", "key", "value", "metadata", "header value"])
def test_nothing_in_a_cassette_is_ever_run(tmp_path, payload, place):
    flag = tmp_path / "flag"
    evil = payload.format(flag=flag.as_posix())
    request = f"body: '{json.dumps(QUESTION)}'\n    headers: {{}}\n    method: POST\n    uri: {URL}"
    response = f"body:\n      string: '{json.dumps(ANSWER)}'\n    headers: {{}}\n    status: {{code: 200}}"
    tail = ""
    match place:
        case "body":
            request = request.replace(f"'{json.dumps(QUESTION)}'", evil)
        case "string":
            response = response.replace(f"'{json.dumps(ANSWER)}'", evil)
        case "uri":
            request = request.replace(URL, evil)
        case "key":
            request = request.replace("headers: {}", f"headers:\n      ? {evil}\n      : [x]")
        case "value":
            response = response.replace("code: 200", f"code: {evil}")
        case "header value":
            response = response.replace("headers: {}", f"headers:\n      retry-after: {evil}")
        case _:
            tail = f"metadata: {{a: {evil}}}\n"
    path = put(tmp_path, cassette(interaction(request, response), tail=tail))
    if place == "key":
        read(path)  # a header's name is read as plain text
    else:
        with pytest.raises(CassetteError):
            read(path)
    assert not flag.exists()


def test_a_tag_that_matters_is_named_with_its_line(tmp_path):
    text = cassette(interaction(string="X").replace("'X'", "!!python/name:os.system ''"))
    error = refusal(tmp_path, text)
    assert error.sentence == say("cassette.tag", tag="!!python/name:os.system", line=9)


def bomb(width: int, depth: int) -> str:
    lines = ["a0: &a0 [lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, depth)]
    return "metadata:\n  " + "\n  ".join(lines) + "\n"


def test_aliases_that_would_blow_up_are_refused_at_once(tmp_path):
    began = time.perf_counter()
    error = refusal(tmp_path, cassette(tail=bomb(10, 30)))
    assert "the aliases up to here make more than 256 MB" in error.sentence
    assert time.perf_counter() - began < 1


def test_aliases_as_yaml_writers_make_them_are_read(tmp_path):
    request = (
        f"headers: {{}}\n    method: POST\n    parsed_body: &again {json.dumps(QUESTION)}\n    uri: {URL}"
    )
    again = f"headers: {{}}\n    method: POST\n    parsed_body: *again\n    uri: {URL}"
    first, second = read(put(tmp_path, cassette(interaction(request), interaction(again)))).exchanges
    assert first.request == second.request == QUESTION
    assert first.request is not second.request


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        ("metadata: &m {me: *m}\n", "the alias m stands inside what it names"),
        ("metadata: *nobody\n", ""),
        ("metadata: {a: 1, b: 2, a: 3}\n", "the key a stands twice"),
        ("version: 1\nversion: 1\n", "the key version stands twice"),
        ("metadata: &m {a: 1}\nmore: {<<: *m}\n", "a merge key"),
        ("metadata: {[1]: 2}\n", "a list or mapping is used as a key"),
        ("metadata: {a: 2026-13-45}\n", "2026-13-45 is not a valid timestamp"),
        ("metadata: {a: !!int x}\n", "x is not a valid int"),
        ("---\nversion: 1\n", "a second YAML document begins"),
        ("metadata: " + "[" * 300 + "]" * 300 + "\n", "more than 200 levels"),
        ("metadata: " + "[" * 100_000 + "\n", "more than 200 levels"),
        ("metadata:\n  " + "- " * 100_000 + "x\n", "more than 200 levels"),
        ("metadata: {a: \x07}\n", "this is not YAML"),
    ],
)
def test_yaml_that_hides_loses_or_explodes_is_refused_with_its_line(tmp_path, tail, said):
    error = refusal(tmp_path, cassette(tail=tail))
    assert error.place is not None
    assert error.place.startswith("line ")
    assert said in error.sentence


def test_what_is_quoted_from_a_file_cannot_steer_a_terminal_or_break_the_line(tmp_path):
    error = refusal(tmp_path, cassette(tail='metadata: {"a\\e[2J\\nb": 1, "a\\e[2J\\nb": 2}\n'))
    assert "the key a⟨U+001B⟩[2J b stands twice" in str(error)


def test_more_values_than_the_limit_are_refused():
    with pytest.raises(YamlError) as caught:
        load("a: [" + "x," * 1000 + "]", max_values=1000)
    assert (caught.value.what, caught.value.line, caught.value.values) == ("values", 1, {"limit": "1,000"})


def test_a_gzip_that_would_blow_up_is_refused(tmp_path):
    block = 1024 * 1024
    packed = base64.b64encode(gzip.compress(bytes(block)) * 65).decode()
    response = f"body: {{string: !!binary {packed}}}\n    headers: {{}}\n    status: {{code: 200}}"
    assert "more than 64 MB unpacked" in refusal(tmp_path, cassette(interaction(response=response))).sentence


def test_every_sentence_is_there_in_spanish_too(tmp_path, monkeypatch):
    monkeypatch.setenv("SIMULATOR_LANG", "es")
    error = refusal(tmp_path, cassette(interaction(), interaction(body="{oops")))
    assert error.place == "interacción 2 de 2 (línea 12)"
    assert error.sentence.startswith("el cuerpo de request no es JSON")
