"""Parameters beside the conversation: each refusal word for word, and a lawful neighbour."""

import pytest

from simulator.wire.rules import check_json, check_request
from tests.wire.rule_cases import OLD, Case, assistant, request, text, user, without

DEEP = "claude-opus-4-1"
BUDGET = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
MARK = {"type": "ephemeral"}


def marked(count: int) -> dict[str, object]:
    return request(user(*(text(f"part {n}", cache_control=MARK) for n in range(count))))


CASES = [
    Case("body.not_object", [], "Input should be an object", None, request()),
    Case("model.missing", without(request(), "model"), "model: Field required", "model", request()),
    Case(
        "messages.missing", without(request(), "messages"), "messages: Field required", "messages", request()
    ),
    Case(
        "messages.not_list",
        request(messages="hello"),
        "messages: Input should be a valid array",
        "messages",
        request(messages=[user("hello")]),
    ),
    Case(
        "messages.empty",
        request(messages=[]),
        "messages: at least one message is required",
        "messages",
        request(),
    ),
    Case(
        "system.not_list",
        request(system=None),
        "system: Input should be a valid array",
        "system",
        request(system="Be brief."),
    ),
    Case(
        "cache_control.too_many",
        marked(5),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        None,
        marked(4),
    ),
    Case(
        "max_tokens.missing",
        without(request(), "max_tokens"),
        "max_tokens: Field required",
        "max_tokens",
        request(max_tokens=0),
    ),
    Case(
        "max_tokens.not_integer",
        request(max_tokens="1024"),
        "max_tokens: Input should be a valid integer",
        "max_tokens",
        request(max_tokens=1),
    ),
    Case(
        "max_tokens.negative",
        request(max_tokens=-1),
        "max_tokens: must be greater than or equal to 0",
        "max_tokens",
        request(max_tokens=0),
    ),
    Case(
        "temperature.not_number",
        request(temperature=None, model=OLD),
        "temperature: Input should be a valid number",
        "temperature",
        request(temperature=0, model=OLD),
    ),
    Case(
        "temperature.out_of_range",
        request(temperature=1.5, model=OLD),
        "temperature: range: 0..1",
        "temperature",
        request(temperature=1, model=OLD),
    ),
    Case(
        "temperature.with_thinking",
        request(temperature=0.5, model=DEEP, max_tokens=2048, thinking=BUDGET),
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
        "temperature",
        request(temperature=1, model=DEEP, max_tokens=2048, thinking=BUDGET),
    ),
    Case(
        "top_p.not_number",
        request(top_p="all", model=OLD),
        "top_p: Input should be a valid number",
        "top_p",
        request(top_p=0.5, model=OLD),
    ),
    Case(
        "top_p.out_of_range",
        request(top_p=-0.1, model=OLD),
        "top_p: range: 0..1",
        "top_p",
        request(top_p=0, model=OLD),
    ),
    Case(
        "top_p.with_thinking",
        request(top_p=0.9, model=DEEP, max_tokens=2048, thinking=BUDGET),
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
        "top_p",
        request(top_p=0.95, model=DEEP, max_tokens=2048, thinking=BUDGET),
    ),
    Case(
        "key.unknown",
        request(response_format={}),
        "response_format: Extra inputs are not permitted",
        "response_format",
        request(metadata={"user_id": "u_1"}, stop_sequences=["END"], stream=True),
    ),
    Case(
        "model.sampling",
        request(temperature=0),
        "`temperature` is deprecated for this model.",
        "temperature",
        request(temperature=1),
    ),
    Case(
        "model.both_sampling",
        request(temperature=0, top_p=0.5, model=OLD),
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        "temperature",
        request(temperature=0, top_p=0.5, model=DEEP),
    ),
    Case(
        "model.thinking_enabled",
        request(max_tokens=2048, thinking=BUDGET),
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
        '"output_config.effort" to control thinking behavior.',
        "thinking.type",
        request(thinking=ADAPTIVE),
    ),
    Case(
        "model.prefill",
        request(user("Name one."), assistant("Sure, the")),
        "This model does not support assistant message prefill. The conversation must end with a user "
        "message.",
        "messages.1",
        request(user("Name one."), assistant("Sure, the"), model=OLD),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_the_refusal_is_the_apis_and_its_neighbour_is_lawful(case: Case):
    case.hold()


@pytest.mark.parametrize("name", ["top_k", "top_p"])
def test_the_other_sampling_parameters_are_deprecated_in_the_same_words(name: str):
    error = check_request(request(**{name: 0.5 if name == "top_p" else 40}))
    assert error is not None
    assert error.message == f"`{name}` is deprecated for this model."


@pytest.mark.parametrize("model", ["claude-next-7", "claude-opus-9-1", "my-gateway/model", "", None])
def test_a_model_nobody_knows_is_not_refused_for_what_it_may_be_able_to_do(model: object):
    body = request(user("Name one."), assistant("Sure, the"), model=model, temperature=0, thinking=BUDGET)
    assert check_request(body | {"max_tokens": 4096, "temperature": 1}) is None


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "Input is a zero-length, empty document: line 1 column 1 (char 0)"),
        (b'{"model": "claude-haiku-4-5", "messages": ', "unexpected end of data: line 1 column 43 (char 42)"),
        (b'{"model": "cl', "unexpected end of data: line 1 column 14 (char 13)"),
        (b'{\n "model": x}', "unexpected character: line 2 column 11 (char 12)"),
        (b'{"temperature": NaN}', "unexpected character: line 1 column 17 (char 16)"),
        (b'{"a": "\xff"}', "str is not valid UTF-8: line 1 column 8 (char 7)"),
    ],
)
def test_a_body_that_is_no_json_is_refused_at_the_place_of_the_slip(raw: bytes, message: str):
    error = check_json(raw)
    assert error is not None
    assert error.message == f"The request body is not valid JSON: {message}"
    assert error.rule == ("json.broken" if raw else "json.empty")


def test_json_nested_beyond_all_reason_and_numbers_without_end_are_refused_not_raised():
    assert check_json(b"[" * 200_000) is not None
    error = check_json(b'{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":' + b"9" * 5000)
    assert error is not None
    assert error.rule == "json.broken"


def test_lawful_json_is_lawful_and_a_lawless_request_is_refused_by_its_rule():
    assert check_json(b'{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}') is None
    error = check_json(b'{"model":"m","messages":[{"role":"user","content":"x"}]}')
    assert error is not None
    assert error.rule == "max_tokens.missing"


def test_the_body_of_an_error_has_the_apis_three_keys():
    error = check_request(without(request(), "model"))
    assert error is not None
    assert error.body("req_1") == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "model: Field required"},
        "request_id": "req_1",
    }
