"""A trace on disk: the same bytes, read back whole or refused in one sentence."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from simulator.trace import storage
from simulator.trace.document import Trace, TraceError
from simulator.trace.observe import observe
from simulator.trace.schema import schema
from tests.trace import shapes
from tests.trace.made import reading, roles
from tests.trace.make_samples import samples

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture(scope="module")
def trace():
    return observe(shapes.appends, reading(40))


def test_the_schema_is_a_valid_schema_and_every_object_in_it_has_a_title():
    Draft202012Validator.check_schema(schema())
    assert schema()["title"]
    for place, each in schema()["properties"].items():
        assert "$ref" in each or "anyOf" in each or "title" in each or place in ("format", "version")


@pytest.mark.parametrize("loop", [shapes.appends, shapes.rebuilds, shapes.streams, shapes.converts])
def test_every_trace_keeps_the_schema(loop):
    document = observe(loop, reading(3), lines="all").to_dict()
    assert list(Draft202012Validator(schema()).iter_errors(document)) == []


def test_a_saved_trace_is_read_back_the_same(trace, tmp_path):
    path = trace.save(tmp_path / "run.json")
    loaded = Trace.load(path)
    loaded.verify()
    assert loaded.to_dict() == trace.to_dict()
    assert loaded.exit == trace.exit
    assert loaded.steps == trace.steps
    assert [loaded.messages_at(n) for n in range(len(loaded.steps))] == [
        trace.messages_at(n) for n in range(len(trace.steps))
    ]


def test_the_same_run_gives_the_same_bytes(trace, tmp_path):
    again = observe(shapes.appends, reading(40))
    one, other = trace.save(tmp_path / "one.json"), again.save(tmp_path / "other.json")
    assert one.read_bytes() == other.read_bytes()


def test_the_same_run_in_another_process_gives_the_same_bytes(tmp_path):
    script = (
        "from simulator.trace.observe import observe\n"
        "from tests.trace import shapes\n"
        "from tests.trace.made import reading\n"
        f"observe(shapes.appends, reading(3), lines='all').save({str(tmp_path / 'there.json')!r})\n"
    )
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", script],
            check=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | {"PYTHONHASHSEED": seed},
        )
        here = observe(shapes.appends, reading(3), lines="all").save(tmp_path / "here.json")
        assert (tmp_path / "there.json").read_bytes() == here.read_bytes()


def test_a_trace_names_no_folder_of_this_machine(trace):
    text = json.dumps(trace.to_dict())
    assert str(Path(__file__).parents[2]) not in text
    assert trace.source["file"] == "shapes.py"


def test_what_messages_at_returns_is_the_callers_own(trace):
    trace.messages_at(-1)[0]["content"] = "spoiled"
    trace.to_dict()["pool"][0]["content"] = "spoiled"
    assert trace.messages_at(-1)[0]["content"] != "spoiled"
    trace.verify()


def test_a_step_that_is_not_there_is_an_index_error_with_the_range(trace):
    with pytest.raises(IndexError, match="no step 999: this trace has the steps 0 to"):
        trace.messages_at(999)


def test_messages_at_a_request_are_what_was_sent(trace):
    for turn, step in enumerate(trace.requests, 1):
        assert len(trace.messages_at(step.n)) == 2 * turn - 1


def test_the_size_grows_with_the_steps_and_no_faster():
    traces = [
        observe(shapes.appends, reading(turns), max_requests=200, lines=False) for turns in (23, 46, 92, 184)
    ]
    assert len(traces[-1].steps) >= 1280
    sizes = [len(storage.to_bytes(trace.to_dict())) for trace in traces]
    assert all(large <= 2.2 * small for small, large in itertools.pairwise(sizes)), sizes


def test_one_message_and_one_step_stand_on_each_line(trace, tmp_path):
    lines = trace.save(tmp_path / "run.json").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith('{"kind":') for line in lines) == len(trace.steps)


def test_a_lone_surrogate_is_kept(tmp_path):
    document = Trace.load(SAMPLES / "list_then_read.json").to_dict()
    document["scenario"]["title"] = "half \ud83d of a pair"
    path = Trace.from_dict(document).save(tmp_path / "run.json")
    assert Trace.load(path).scenario["title"] == "half \ud83d of a pair"


def test_a_save_that_fails_leaves_the_old_file(trace, tmp_path):
    path = tmp_path / "run.json"
    path.write_text("old", encoding="utf-8")
    broken = Trace.build(
        trace,
        **{name: getattr(trace, name) for name in ("loop", "source", "system", "tools")},
        scenario={"name": float("nan")},
    )
    with pytest.raises(ValueError, match="JSON compliant"):
        broken.save(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


# What is no trace


def refused(path) -> str:
    with pytest.raises(TraceError) as caught:
        Trace.load(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{path}: ")
    assert "\n" not in sentence
    assert len(sentence) < 600
    return sentence


def file_of(tmp_path, content: bytes):
    path = tmp_path / "run.json"
    path.write_bytes(content)
    return path


def test_a_missing_file_is_named(tmp_path):
    assert "there is no such file" in refused(tmp_path / "nowhere.json")


def test_a_folder_is_no_trace(tmp_path):
    assert "this is a folder" in refused(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are files only on POSIX systems")
def test_a_pipe_is_no_trace_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "run.json")
    assert "a pipe or a device" in refused(tmp_path / "run.json")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\xff\xfe{}", "byte 0 is not UTF-8"),
        (b"not json", "not JSON at line 1, column 1"),
        (b"[1, 2]", "holds a JSON value of type list"),
        (b'{"format": NaN}', "a number that JSON does not know (NaN)"),
        (b"[" * 100_000, "nest more than 200 deep"),
        (b'{"a": ' + b"[" * 300 + b"]" * 300 + b"}", "its format is null"),
        (b'{"format": "agent-loop-trace", "version": 2}', "of version 2 and this program reads version 1"),
        (b'{"format": "agent-loop-trace", "version": true}', "of version true"),
        (b'{"format": "agent-loop-trace", "version": 1}', '"required"'),
        (b"9" * 5000, "a number that JSON does not know"),
    ],
    ids=str,
)
def test_what_is_no_trace_is_refused_in_one_sentence(tmp_path, content, words):
    assert words in refused(file_of(tmp_path, content))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_told_where_it_breaks_off(trace, tmp_path, share):
    raw = storage.to_bytes(trace.to_dict())
    assert "breaks off at line" in refused(file_of(tmp_path, raw[: int(len(raw) * share)]))


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "run.json"
    with path.open("wb") as file:
        file.truncate(storage.MAX_BYTES + 1)
    assert "has 64 MB and a trace may have 64" in refused(path)


def damaged(tmp_path, change):
    document = json.loads((SAMPLES / "list_then_read.json").read_text(encoding="utf-8"))
    change(document)
    return file_of(tmp_path, json.dumps(document).encode())


def deepen(value, depth):
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("pool"), '"required"'),
        (lambda d: d.update(extra=1), '"additionalProperties"'),
        (lambda d: d.update(steps=[]), "at steps it has []"),
        (lambda d: d["steps"][0].update(kind="magic"), "at steps.0.kind"),
        (lambda d: d["steps"][0].update(kind=["request"]), "at steps.0.kind"),
        (lambda d: d["steps"][0].update(turn=1.0), "at steps.0.turn it has 1.0"),
        (lambda d: d["steps"][0].update(turn=True), "at steps.0.turn it has true"),
        (lambda d: d["steps"][0].update(surprise=1), "at steps.0"),
        (lambda d: d["steps"][0]["ops"][0].update(op="erase"), "at steps.0.ops.0.op"),
        (lambda d: d["steps"][0]["ops"][0].update(refs=[99]), "points to a message that is not there"),
        (
            lambda d: d["steps"][0].update(ops=[{"op": "splice", "at": 5, "delete": 1, "refs": []}]),
            "Step 0 points",
        ),
        (lambda d: d["steps"][1].update(ref=99), "Step 1 points"),
        (lambda d: d["steps"][0].update(keyframe=[[0, 10**9]]), "keyframe of step 0 is not the state"),
        (lambda d: d["pool"].append(d["pool"][0]), "Messages 0 and"),
        (lambda d: d["steps"].pop(), "has one exit and it is the last"),
        (lambda d: d["steps"].insert(0, d["steps"][-1]), "Step 0 is of kind exit"),
        (lambda d: d["pool"].append(deepen(1, 300)), "nest more than 200 deep"),
        (lambda d: d["scenario"]["provenance"].update(kind="\u202e" * 200), "⟨U+202E⟩"),
    ],
    ids=range(18),
)
def test_a_damaged_trace_is_refused_with_the_place(tmp_path, change, words):
    assert words in refused(damaged(tmp_path, change))


def test_verify_finds_a_message_that_was_changed(tmp_path):
    def change(document):
        document["pool"][0]["content"] = "Another question."

    with pytest.raises(TraceError, match="the SHA-256 differs"):
        Trace.load(damaged(tmp_path, change)).verify()


@pytest.mark.parametrize("name", ["list_then_read.json", "forgotten_append.json"])
def test_a_sample_is_what_its_loop_does_today(name):
    today = storage.to_bytes(samples()[name].to_dict())
    assert (SAMPLES / name).read_bytes() == today, "make them anew: python -m tests.trace.make_samples"


def test_the_samples_are_whole():
    good, bad = (Trace.load(SAMPLES / name) for name in ("list_then_read.json", "forgotten_append.json"))
    good.verify()
    bad.verify()
    assert good.exit.reason == "returned"
    assert roles(good.messages_at(-1)) == "uauaua"
    assert bad.exit.reason == "runaway"
    assert len(bad.messages_at(-1)) == 1
