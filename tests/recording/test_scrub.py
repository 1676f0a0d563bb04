"""What of a recording is written down, and what never is."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.recording.scrub import Scrubber, decoded, scrub_request, scrub_response
from simulator.recording.scrub_policy import (
    DROP,
    KEEP,
    PATTERNS,
    REQUEST_HEADERS,
    RESPONSE_HEADERS,
    SECRETS,
    STAND_IN,
    ruling,
    secret_in,
)
from tests.recording.cassette_files import ANSWER, QUESTION, REFUSAL, URL, pair

# Put together at run time, so that no scanner of this repository takes them for real.
KEY = "sk-" + "ant-api03-" + "A1b2" * 8
ORGANIZATION = "3c9e1f0a-7b2d-4c5e-9f01-23456789abcd"
RATE_LIMIT = {
    "type": "error",
    "error": {
        "type": "rate_limit_error",
        "message": "This request would exceed your organization's rate limit of 20,000,000 prompt bytes per "
        f"hour (org: {ORGANIZATION}, model: claude-sonnet-5-5).",
    },
    "request_id": "req_011CVa2kcigwBtMFroktdQ2q",
}


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("X-Api-Key", DROP),
        ("Authorization", DROP),
        ("cookie", DROP),
        ("X-Stainless-OS", DROP),
        ("x-stainless-retry-count", DROP),
        ("User-Agent", DROP),
        ("host", DROP),
        ("x-made-up-tomorrow", DROP),
        ("anthropic-version", KEEP),
        ("Anthropic-Beta", KEEP),
        ("Content-Type", KEEP),
    ],
)
def test_request_headers(name, action):
    assert ruling(name, REQUEST_HEADERS) == action


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("Set-Cookie", DROP),
        ("anthropic-organization-id", DROP),
        ("anthropic-workspace-id", DROP),
        ("CF-RAY", DROP),
        ("x-made-up-tomorrow", DROP),
        ("content-encoding", DROP),
        ("request-id", STAND_IN),
        ("Retry-After", KEEP),
        ("x-should-retry", KEEP),
        ("anthropic-ratelimit-tokens-reset", KEEP),
        ("content-type", KEEP),
    ],
)
def test_response_headers(name, action):
    assert ruling(name, RESPONSE_HEADERS) == action


@pytest.mark.parametrize("table", [REQUEST_HEADERS, RESPONSE_HEADERS])
def test_every_entry_of_the_policy_has_a_reason_and_the_unknown_is_dropped(table):
    assert table["*"][0] == DROP
    for name, (action, reason) in table.items():
        assert name == name.lower()
        assert action in (KEEP, DROP, STAND_IN)
        assert len(reason) > 5


def test_a_request_keeps_its_conversation_and_loses_its_sender():
    body = QUESTION | {"metadata": {"user_id": "user_ada@example.org"}}
    request, _ = pair(body)
    request["headers"] |= {"X-Api-Key": KEY, "x-stainless-os": "Linux", "Anthropic-Version": "2023-06-01"}
    clean = scrub_request(request)
    assert clean["headers"] == {"anthropic-version": ["2023-06-01"], "content-type": ["application/json"]}
    assert json.loads(clean["body"]) == QUESTION | {"metadata": {"user_id": f"user_{1:024d}"}}
    assert (clean["method"], clean["uri"]) == ("POST", URL)


def test_a_user_id_elsewhere_in_the_conversation_is_the_learners_own():
    body = QUESTION | {
        "messages": [{"role": "user", "content": [{"type": "text", "text": '"user_id": "ada"'}]}]
    }
    assert json.loads(scrub_request(pair(body)[0])["body"]) == body


def test_bytes_that_need_no_scrubbing_stay_as_they_were_on_the_wire():
    raw = json.dumps(ANSWER, indent=3, ensure_ascii=True).encode() + b"   \n"
    response = scrub_response(pair(answer=raw)[1])
    assert response["body"]["string"] == raw


def test_gzip_is_unpacked_so_that_nothing_hides_in_it():
    hidden = gzip.compress(json.dumps({"key": KEY}).encode())
    response = scrub_response(pair(answer=hidden)[1])
    assert response["body"]["string"] == b'{"key": "scrubbed-key"}'


def test_the_organization_in_a_rate_limit_error_and_the_request_ids_are_replaced_alike():
    _, response = pair(answer=RATE_LIMIT, status=429, request_id=RATE_LIMIT["request_id"], retry_after="7")
    clean = scrub_response(response)
    body = json.loads(clean["body"]["string"])
    assert "(org: 00000000-0000-4000-8000-000000000001, model:" in body["error"]["message"]
    assert body["request_id"] == clean["headers"]["request-id"][0] == f"req_{1:024d}"
    assert clean["headers"]["retry-after"] == ["7"]


def test_equal_values_get_equal_stand_ins_and_different_ones_different():
    scrubber = Scrubber()
    ids = ["req_011CVa2kcigwBtMFroktdQ2q", "req_011CP5dDgqGjtGgEZkm627cb", "req_011CVa2kcigwBtMFroktdQ2q"]
    first, second, third = [scrubber.text(f"see {each}.") for each in ids]
    assert first == third != second
    assert first == f"see req_{1:024d}."


def test_scrubbing_again_changes_nothing():
    _, response = pair(answer=RATE_LIMIT, status=429, request_id=RATE_LIMIT["request_id"])
    once = scrub_response(response)
    assert scrub_response(once) == once
    request = scrub_request(pair(QUESTION | {"metadata": {"user_id": "ada"}})[0])
    assert scrub_request(request) == request


@pytest.mark.parametrize(
    "words",
    [
        "req_handler_for_users",
        "container_name_of_things",
        "Bearer authentication",
        "an sk- prefix",
        "the org: chart",
    ],
)
def test_ordinary_words_and_code_stay(words):
    assert Scrubber().text(words) == words
    assert secret_in(words) is None


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"my key is {KEY}!", "my key is scrubbed-key!"),
        ("Authorization: Bearer abcDEF0123456789abcDEF", "Authorization: Bearer scrubbed-token"),
        ("container_011CPb5rA13qiZ2bwi1DTVZp", f"container_{1:024d}"),
        ("wrkspc_01JwQvzr7rXLA5AGx3HKfFUJ", f"wrkspc_{1:024d}"),
        (f"(org: {ORGANIZATION})", "(org: 00000000-0000-4000-8000-000000000001)"),
        ("req_vrtx_011CRb7b5b9MWofEnfaAHTBu", f"req_{1:024d}"),
    ],
)
def test_what_names_an_account_in_a_text_is_replaced(text, clean):
    assert Scrubber().text(text) == clean


SHAPES = {
    "anthropic_key": KEY,
    "api_key": "sk-" + "proj-" + "Ab1" * 12,
    "bearer": "bearer " + "abc123" * 5,
    "google_key": "AI" + "za" + "x" * 35,
    "aws_key": "AK" + "IA" + "ABCDEFGHIJKLMNOP",
    "github_token": "gh" + "p_" + "a" * 36,
    "slack_token": "xo" + "xb-" + "1234567890-abc",
    "private_key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "signed_token": ".".join(["ey" + "J" + "a" * 12, "ey" + "J" + "b" * 12, "c" * 12]),
    "cookie": "_cf" + "uvid=" + "a1" * 12,
    "password": "https://ada:" + "secret@example.org",
}


def test_every_kind_of_secret_is_known_by_its_shape():
    assert {kind: secret_in(f"x {shape} y") for kind, shape in SHAPES.items()} == {
        kind: kind for kind in SHAPES
    }
    assert [each.kind for each in SECRETS] == list(SHAPES)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("before", ["\n", "\t", '"', " ", "(", "\x1b", "=", "é"])
def test_no_secret_hides_behind_an_escape_of_json(kind, before):
    assert secret_in(json.dumps({"text": f"a{before}{SHAPES[kind]}"})) == kind


@pytest.mark.parametrize("before", ["\n", "\t", '"', " ", "("])
def test_no_id_hides_behind_an_escape_of_json(before):
    for value in (
        "req_011CVa2kcigwBtMFroktdQ2q",
        "container_011CPb5rA13qiZ2bwi1DTVZp",
        "wrkspc_01JwQvzr7rXLA5AGx3HK",
    ):
        assert value not in Scrubber().text(json.dumps(f"a{before}{value}"))


@settings(deadline=None)
@given(st.text(), st.sampled_from([each.form for each in PATTERNS]))
def test_no_stand_in_is_itself_scrubbed_or_taken_for_a_secret(around, form):
    stand_in = form.format(7)
    assert secret_in(stand_in) is None
    assert Scrubber().text(Scrubber().text(f"{around} {stand_in}")) == Scrubber().text(f"{around} {stand_in}")


def test_keys_and_passwords_in_a_uri_are_replaced():
    scrubber = Scrubber()
    assert scrubber.uri("https://a:b@example.org/v1/messages?beta=true&key=123") == (
        "https://example.org/v1/messages?beta=true&key=scrubbed"
    )
    assert scrubber.uri(f"{URL}?beta=true") == f"{URL}?beta=true"


def test_a_broken_gzip_is_a_value_error():
    with pytest.raises(ValueError, match=r"."):
        decoded(gzip.compress(b"x" * 500)[:-9])


def test_an_error_without_a_body_form_of_its_own_is_left_alone():
    _, response = pair(answer=b"\xff\xfe not text", status=500)
    assert scrub_response(response)["body"]["string"] == b"\xff\xfe not text"
    assert (
        json.loads(scrub_response(pair(answer=REFUSAL, status=404)[1])["body"]["string"])["error"]
        == REFUSAL["error"]
    )
