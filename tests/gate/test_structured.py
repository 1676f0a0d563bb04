"""What a loop hands back, as JSON: fields by their names, and nothing that its caller could not read."""

import dataclasses
import enum
import json

import anthropic
import pytest

from simulator.gate.structured import attributes_of, structured
from simulator.recording.scenario import scenario


class Phase(enum.Enum):
    DONE = "done"


@dataclasses.dataclass
class Outcome:
    phase: Phase
    text: str


def refused():
    session = scenario("list_then_read").start()
    with pytest.raises(anthropic.BadRequestError) as caught:
        session.client.messages.create(model="claude-sonnet-5-5", max_tokens=9, messages=[])
    return caught.value


def test_fields_and_types_have_their_names():
    told = structured([Outcome(Phase.DONE, "ok")])
    assert told == [
        {
            "class": "Outcome",
            "phase": {"class": "Phase", "name": "DONE", "value": "done"},
            "text": "ok",
        }
    ]


def test_an_error_of_the_sdk_is_told_without_the_request_that_it_carries():
    error = refused()
    for told in (attributes_of(error), structured({"error": error})["error"]):
        assert told["status_code"] == 400
        assert set(told) >= {"message", "body", "request_id"}
        assert "max_tokens" not in json.dumps(told["request"])
        assert isinstance(told["response"], str)


def test_the_same_error_is_told_the_same_way_each_time():
    assert attributes_of(refused()) == attributes_of(refused())


def test_what_a_loop_adds_to_a_response_is_told():
    response = {"type": "message", "id": "msg_1", "content": [], "stop_reason": None, "usage": {}}
    told = structured({**response, "status": "incomplete", "attempts": [1, 2]})
    assert told == {
        "type": "message",
        "id": "msg_1",
        "stop_reason": None,
        "text": "",
        "status": "incomplete",
        "attempts": [1, 2],
    }
