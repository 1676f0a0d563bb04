"""Whatever becomes of a contract, it is read or refused; what is refused has places that are there."""

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from simulator.contract import Contract, ContractError, read
from simulator.contract.schema import CONTRACT, shipped, validator
from tests.contract.test_reading import PLAIN

FULL: dict[str, Any] = {
    **PLAIN,
    "description": "Finds files.",
    "control": {"by": "stop_reason"},
    "progress": {"note_at": 2, "stop_at": 3},
    "retries": {"by": "loop", "attempts": 4, "first_wait_seconds": 1, "longest_wait_seconds": 60},
    "verification": {"rounds": 2},
    "compaction": {"context_tokens": 100000, "share": 0.6, "keep_steps": 3},
    "tracing": {"logger": "file_finder"},
    "request": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4096,
        "thinking": {"type": "adaptive"},
        "tool_choice": {"type": "auto"},
        "stop_sequences": ["END"],
    },
}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
WORDS = ["raise", "finish", "resume", "ask_again", "run_tools", "UnhandledStop", "loop", "tool", "any"]
OBJECTS: list[Any] = [{}, [], {"do": "raise"}, {"type": "any"}, {"usd": 1}, {"by": "loop"}]
ODD = SCALARS | st.sampled_from(WORDS) | st.sampled_from(OBJECTS).map(copy.deepcopy)
NAMES = ["times", "error", "do", "name", "cost", "stream", "", "a/b~", "otherwise"]
KEYS = st.sampled_from(NAMES) | st.text(max_size=4)


def containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    value = copy.deepcopy(FULL)
    for _ in range(draw(st.integers(0, 4))):
        into = draw(st.sampled_from(list(containers(value))))
        if isinstance(into, list):
            into.append(draw(ODD))
            continue
        match draw(st.sampled_from(["take", "change", "add"])):
            case "take" if into:
                del into[draw(st.sampled_from(sorted(into)))]
            case "change" if into:
                into[draw(st.sampled_from(sorted(into)))] = draw(ODD)
            case _:
                into[draw(KEYS)] = draw(ODD)
    return value


def outcome(raw: bytes) -> Contract | ContractError:
    try:
        return read(raw)
    except ContractError as error:
        return error


@given(mutated(), st.sampled_from([None, 2]))
def test_a_changed_contract_is_read_or_refused_with_places_that_are_there(
    value: Any, indent: int | None
) -> None:
    text = json.dumps(value, indent=indent)
    found = outcome(text.encode())
    if isinstance(found, Contract):
        assert validator(shipped(CONTRACT)).is_valid(json.loads(text))
        return
    assert found.problems
    assert str(found)
    places = [(problem.line, problem.column) for problem in found.problems]
    assert places == sorted(places, key=lambda place: (place[0] or 0, place[1] or 0))
    lines = text.split("\n")
    for problem in found.problems:
        assert problem.line is not None
        assert problem.column is not None
        assert lines[problem.line - 1][problem.column - 1 :].strip()
        assert resolved(json.loads(text), problem.pointer) is not MISSING


MISSING = object()


def resolved(value: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return MISSING
    return value


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_refused(raw: bytes) -> None:
    assert isinstance(outcome(raw), ContractError)


@given(st.data())
def test_a_contract_with_something_cut_out_or_put_in_is_read_or_refused(data: st.DataObject) -> None:
    text = json.dumps(FULL, indent=1)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    put = data.draw(st.text(max_size=5) | st.sampled_from(['"', "{", "}", ",", ":", "[", "NaN", "\\ud800"]))
    assert isinstance(
        outcome((text[:start] + put + text[end:]).encode("utf-8", "replace")), Contract | ContractError
    )
