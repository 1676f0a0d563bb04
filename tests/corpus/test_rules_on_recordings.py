"""The rules against what the API really answered: nothing that got a 200 is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.wire.rules import check_request
from tests.corpus.readers import Exchange, exchanges

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def recorded(corpus: Path) -> list[Exchange]:
    return list(exchanges(corpus))


def answered(recorded: list[Exchange], status: int) -> list[Exchange]:
    return [exchange for exchange in recorded if exchange.status == status]


def test_the_readers_miss_no_exchange(recorded: list[Exchange]):
    statuses = {status: len(answered(recorded, status)) for status in (200, 400, 401, 404, 429)}
    assert statuses == {200: 152, 400: 3, 401: 5, 404: 2, 429: 2}
    assert sum(statuses.values()) == len(recorded)
    assert all(isinstance(exchange.request, dict) for exchange in recorded)


@pytest.mark.parametrize("folder", ["cassettes", "other-formats"])
def test_no_request_that_was_answered_200_is_refused(recorded: list[Exchange], folder: str):
    lawful = [exchange for exchange in answered(recorded, 200) if folder in exchange.file.parts]
    assert lawful
    refused = {str(exchange): check_request(exchange.request) for exchange in lawful}
    assert {name: error for name, error in refused.items() if error} == {}


def test_what_was_refused_for_other_reasons_than_its_shape_is_lawful_to_the_rules(recorded: list[Exchange]):
    """A wrong key, an unknown model, a rate limit and a full context window cannot be seen in a body."""
    others = [exchange for status in (401, 404, 429) for exchange in answered(recorded, status)]
    others += [e for e in answered(recorded, 400) if "prompt is too long" in e.response["error"]["message"]]
    assert len(others) == 10
    assert [str(exchange) for exchange in others if check_request(exchange.request)] == []


@pytest.mark.parametrize(
    ("name", "rule", "path"),
    [
        ("TestSyncRunTools__f59a9391", "pairing.result_unexpected", "messages.0.content.1"),
        ("anthropic_completion_error", "message.not_object", "messages.0"),
    ],
)
def test_a_recorded_400_is_foretold_word_for_word(recorded: list[Exchange], name: str, rule: str, path: str):
    (exchange,) = [e for e in answered(recorded, 400) if name in e.file.name]
    error = check_request(exchange.request)
    assert error is not None
    assert {"type": error.type, "message": error.message} == exchange.response["error"]
    assert (error.rule, error.path) == (rule, path)
    request_id = exchange.response.get("request_id")
    if request_id:
        assert error.body(request_id) == exchange.response
