"""Screenplays: what is refused and in which words, and what a good one becomes."""

import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from simulator import paths
from simulator.recording import cassette
from simulator.recording.mint import cut_text, input_tokens, mint, output_tokens
from simulator.recording.record import main, record, screenplays
from simulator.recording.screenplay import ScreenplayError, load, schema
from simulator.recording.server import Reply, serving
from simulator.recording.takes import metadata, takes

SMALL = """\
screenplay: 1
title: A small one
title_es: Uno pequeño
story: One call.
story_es: Una llamada.
written: '2026-11-30'
model: claude-sonnet-5-5
max_tokens: 64
tools:
  - name: read_file
    description: Read a file.
    input_schema: {type: object, properties: {path: {type: string}}, required: [path]}
task: What does notes.txt say?
turns:
  - text: I'll read it.
    calls:
      - tool: read_file
        input: {path: notes.txt}
        result: Buy rope.
  - text: It says to buy rope.
branches:
  - name: read_fails
    title: It cannot be read
    title_es: No se puede leer
    from: 1
    results: [{error: no such file}]
    when: {is_error: true}
    turns:
      - text: There is no notes.txt.
"""


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "small.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def changed(old: str, new: str) -> str:
    assert SMALL.count(old) == 1
    return SMALL.replace(old, new)


# --- a good screenplay -----------------------------------------------------------------------------------


def test_a_screenplay_becomes_a_cassette_with_its_story(write, tmp_path):
    target = tmp_path / "small.cassette.yaml"
    assert record(write(SMALL), target) == 3
    recording = cassette.read(target)
    story = recording.metadata["scenario"]
    assert story["main"] == [0, 1]
    assert story["branches"] == [
        {
            "name": "read_fails",
            "title": "It cannot be read",
            "title_es": "No se puede leer",
            "from": 0,
            "exchanges": [2],
            "when": {"after": 0, "is_error": True},
        }
    ]
    assert [each.message["stop_reason"] for each in recording.exchanges] == [
        "tool_use",
        "end_turn",
        "end_turn",
    ]
    result = recording.exchanges[2].request["messages"][-1]["content"][0]
    assert result == {
        "type": "tool_result",
        "tool_use_id": recording.exchanges[0].message["content"][1]["id"],
        "content": "no such file",
        "is_error": True,
    }


def test_recording_again_gives_the_same_bytes(write, tmp_path):
    source = write(SMALL)
    for name in ("one.yaml", "two.yaml"):
        record(source, tmp_path / name)
    assert (tmp_path / "one.yaml").read_bytes() == (tmp_path / "two.yaml").read_bytes()


def test_the_shipped_cassettes_and_their_table_are_what_the_screenplays_make(capsys):
    assert main(["--all", "--table", "--check"]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(screenplays()))
def test_a_cassette_holds_no_address_of_the_stage_no_date_and_no_key(name):
    text = (paths.cassettes() / f"{name}.yaml").read_text(encoding="utf-8")
    requests = re.findall(r"^ +uri: (.*)$", text, re.MULTILINE)
    assert set(requests) == {"https://api.anthropic.com/v1/messages"}
    for trace in ("127.0.0.1", "localhost:0", "x-stainless", "authorization", "x-api-key", "user-agent"):
        assert trace not in text.lower()
    recording = cassette.read(paths.cassettes() / f"{name}.yaml")
    ours = {"content-type", "request-id", "retry-after", "x-should-retry"}
    assert all(set(each.headers) <= ours for each in recording.exchanges)


def test_an_answer_can_be_recorded_as_a_stream(write, tmp_path):
    record(write(SMALL.replace("max_tokens: 64", "max_tokens: 64\nstream: true")), tmp_path / "streamed.yaml")
    record(write(SMALL), tmp_path / "plain.yaml")
    streamed, plain = (cassette.read(tmp_path / name).exchanges for name in ("streamed.yaml", "plain.yaml"))
    assert [each.streamed for each in streamed] == [True, True, True]
    assert streamed[0].raw.startswith(b"event: message_start\n")
    assert [each.message["content"] for each in streamed] == [each.message["content"] for each in plain]


def test_an_error_of_the_api_can_be_recorded_before_the_answer(write, tmp_path):
    error = "{status: 429, type: rate_limit_error, message: Slow down., retry_after: 7}"
    busy = f"  - error: {error}\n  - text: I'll"
    record(write(changed("  - text: I'll", busy).replace("from: 1", "from: 2")), tmp_path / "busy.yaml")
    first, second, *_ = cassette.read(tmp_path / "busy.yaml").exchanges
    assert first.request == second.request
    assert (first.status, first.headers["retry-after"], first.headers["x-should-retry"]) == (429, "7", "true")
    assert first.error["type"] == "rate_limit_error"
    assert second.status == 200


def test_a_result_that_no_request_carries_is_kept_for_the_handlers(write):
    call = "{tool: read_file, input: {path: b.txt}, result: Hello.}"
    more = f"      - text: I'll try again.\n        calls: [{call}]\n"
    made = takes(load(write(changed("      - text: There is no notes.txt.\n", more))))
    assert metadata(made)["scenario"]["handlers"] == [
        {"name": "read_file", "input": {"path": "b.txt"}, "results": ["Hello."]}
    ]


def test_a_branch_added_later_changes_no_id_of_what_was_there(write):
    more = SMALL + "  - {name: again, title: A, title_es: B, from: 2, says: More., turns: [{text: No.}]}\n"
    before, after = (takes(load(write(text))).all for text in (SMALL, more))
    assert [take.answer for take in before] == [take.answer for take in after[:3]]


# --- ids and figures -------------------------------------------------------------------------------------


def test_ids_have_the_form_of_the_api_and_differ():
    ids = {mint(form, "small", "main.1", n) for form in ("toolu", "msg", "req") for n in range(50)}
    assert len(ids) == 150
    form = r"(toolu_01|msg_01)[0-9A-Za-z]{22}|req_011C[0-9A-Za-z]{20}"
    assert all(re.fullmatch(form, each) for each in ids)


def test_a_token_is_four_bytes_of_what_is_carried_and_of_what_is_said():
    assert input_tokens({"model": "any", "max_tokens": 9, "messages": []}) == 4  # {"messages":[]}
    assert output_tokens([{"type": "text", "text": "año!"}]) == 2  # five bytes
    assert output_tokens([{"type": "tool_use", "id": "toolu_01", "name": "ls", "input": {}}]) == 1
    assert output_tokens([]) == 1


def test_a_text_is_never_cut_inside_a_character():
    assert [cut_text("año", to=length) for length in range(5)] == ["", "a", "a", "añ", "año"]


def test_a_cut_answer_has_exactly_the_tokens_it_was_allowed(write):
    long = changed(
        "  - text: It says to buy rope.\n", f"  - {{text: {'rope ' * 90}, cut: true, stop: max_tokens}}\n"
    )
    answer = takes(load(write(long))).all[1].answer
    assert answer["usage"]["output_tokens"] == 64 == output_tokens(answer["content"])
    assert answer["content"][0]["text"] == ("rope " * 90)[:256]


# --- what is refused -------------------------------------------------------------------------------------

REFUSED = {
    "nothing in it": ("", None, "the file says nothing"),
    "no YAML": (changed("title: A small one", "title: 'A small"), None, "not YAML"),
    "a tag": (changed("title: A small one", "title: !!python/name:os.system"), 2, "not YAML"),
    "an unknown key": (changed("task: What", "tsak: What"), 13, "there is no key 'tsak' here"),
    "a key twice": (SMALL + "title: Another\n", 30, "'title' is written twice"),
    "a missing key": (changed("title_es: Uno pequeño\n", ""), 1, "the key 'title_es' is missing"),
    "a wrong kind": (
        changed("max_tokens: 64", "max_tokens: many"),
        8,
        '"many" stands here, where a whole number',
    ),
    "an unquoted day": (changed("'2026-11-30'", "2026-11-30"), 6, "where a text belongs"),
    "another version": (changed("screenplay: 1", "screenplay: 2"), 1, "What may stand here: 1"),
    "an unknown stop": (changed("  - text: It", "  - stop: fin\n    text: It"), 20, "end_turn, tool_use"),
    "an unknown word in when": (changed("is_error: true", "is_eror: true"), 27, "no key 'is_eror'"),
    "a tool not on offer": (changed("tool: read_file", "tool: red_file"), 17, "'red_file' is not on offer"),
    "an input that does not fit": (
        changed("{path: notes.txt}", "{file: notes.txt}"),
        18,
        "schema of 'read_file'",
    ),
    "a call without result": (
        changed("        result: Buy rope.\n", ""),
        17,
        "the call of read_file has no result",
    ),
    "results for other calls": (
        changed("results: [", "results: [null, "),
        26,
        "2 results for an answer that makes 1",
    ),
    "a branch from nowhere": (changed("from: 1", "from: 7"), 25, "there is no answer 7 above"),
    "a branch from another branch": (
        changed("from: 1", "from: later"),
        25,
        "there is no answer later.1 above",
    ),
    "a branch twice": (SMALL + SMALL.split("branches:\n")[1], 30, "two branches named 'read_fails'"),
    "a branch of two kinds": (SMALL + "    answer: 2\n", 22, "A branch has turns of its own"),
    "a request the API refuses": (
        SMALL + "  - {name: more, title: A, title_es: B, from: 2, turns: [{text: No.}]}\n",
        30,
        "the API would refuse this request: “This model does not support assistant message prefill",
    ),
    "a request that is there already": (
        SMALL + "  - {name: more, title: A, title_es: B, from: 1, turns: [{text: No.}]}\n",
        30,
        "as that of main.2",
    ),
    "an answer that is too long": (
        changed("to buy rope.\n", "to buy " + "rope " * 90 + "\n"),
        20,
        "tokens, and its",
    ),
    "a cut without need": (
        changed("  - text: It says", "  - cut: true\n    stop: max_tokens\n    text: It says"),
        20,
        "there is nothing to cut here",
    ),
    "a stop without its calls": (
        changed("  - text: It", "  - stop: tool_use\n    text: It"),
        20,
        "does not go with",
    ),
    "a rest of nothing": (changed("  - text: It", "  - rest: true\n    text: It"), 20, "nothing left to say"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_screenplay_is_one_sentence_with_file_line_and_remedy(case, write):
    text, line, words = REFUSED[case]
    with pytest.raises(ScreenplayError) as refused:
        takes(load(write(text)))
    told = str(refused.value)
    assert words in told
    assert told.startswith("small.yaml")
    assert "\n" not in told
    if line is not None:
        assert refused.value.line == line, told


def test_hostile_files_end_in_a_sentence_too(write, tmp_path):
    bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n"
        for before, name in zip("abcdef", "bcdefg", strict=True)
    )
    endless = "a: &a [*a]\n"
    deep = "[" * 5000 + "]" * 5000
    for text in (bomb, endless, deep, "x" * 1_000_001, "[1, 2]", "just words"):
        with pytest.raises(ScreenplayError):
            load(write(text))
    (tmp_path / "latin.yaml").write_bytes(b"title: ca\xf1\xf3n\n")
    with pytest.raises(ScreenplayError, match="byte 9 is not UTF-8"):
        load(tmp_path / "latin.yaml")
    with pytest.raises(ScreenplayError, match="cannot be read"):
        load(tmp_path)


def test_the_schema_is_one_and_describes_itself():
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(schema())
    assert set(schema()["required"]) <= set(schema()["properties"])


# --- the command -----------------------------------------------------------------------------------------


def test_a_bad_screenplay_leaves_the_old_cassette_alone(write, tmp_path, capsys):
    assert main([str(write(SMALL)), "--into", str(tmp_path / "out")]) == 0
    target = tmp_path / "out" / "small.yaml"
    before = target.read_bytes()
    assert main([str(write(changed("from: 1", "from: 7"))), "--into", str(tmp_path / "out")]) == 1
    assert target.read_bytes() == before
    assert "small.yaml, line 25, branches.0.from: there is no answer 7" in capsys.readouterr().err


def test_check_tells_a_stale_cassette_and_a_stale_table_and_writes_nothing(write, tmp_path, capsys):
    folder = tmp_path / "out"
    assert main([str(write(SMALL)), "--into", str(folder), "--table"]) == 0
    target, page = folder / "small.yaml", folder / "README.md"
    assert "| `read_fails` | It cannot be read | #0 | `is_error: true` | 2 | `end_turn` |" in page.read_text(
        encoding="utf-8"
    )
    before = target.read_bytes()
    page.write_text("old", encoding="utf-8")
    assert (
        main([str(write(changed("Buy rope.", "Sell rope."))), "--into", str(folder), "--table", "--check"])
        == 1
    )
    assert (target.read_bytes(), page.read_text(encoding="utf-8")) == (before, "old")
    told = capsys.readouterr().err
    assert "is not what its screenplay makes" in told
    assert "is not up to date" in told


def test_recording_once_more_says_that_nothing_is_new(write, tmp_path, capsys):
    for _ in range(2):
        assert main([str(write(SMALL)), "--into", str(tmp_path / "out")]) == 0
    assert "nothing new" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize("words", [["no_such_scenario"], [], ["--nonsense"]])
def test_wrong_usage_is_exit_status_two_and_names_what_there_is(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("simulator record: ")
    assert told.count("\n") == 1
    if words == ["no_such_scenario"]:
        assert "list_then_read" in told


def test_a_folder_that_cannot_be_written_to_is_one_sentence(write, tmp_path, capsys):
    (tmp_path / "out").write_text("a file in the way", encoding="utf-8")
    assert main([str(write(SMALL)), "--into", str(tmp_path / "out")]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


# --- the server ------------------------------------------------------------------------------------------


def test_the_server_answers_on_loopback_as_told_and_adds_no_clock():
    seen = []

    def answer(body: bytes) -> Reply:
        seen.append(body)
        return Reply(200, b"{}", {"content-type": "application/json", "request-id": "req_1"})

    with serving(answer) as url:
        assert url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{url}/v1/messages?beta=true", b"hello") as response:
            headers = {name.lower() for name in response.headers}
            assert response.read() == b"{}"
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{url}/v1/other", b"hello")
        refused.value.close()
    assert seen == [b"hello"]
    assert "date" not in headers
    assert refused.value.code == 404
