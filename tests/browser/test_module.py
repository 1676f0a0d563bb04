"""The pure functions of player.js, run where they run: in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from simulator import player
from simulator.player.view import one, to_text
from simulator.text.visible import HIDDEN, visible
from simulator.trace.document import Trace
from tests.player.made import HOSTILE, compacted, forgotten, hostile, turn, unnamed, whole

SCRIPT = (Path(player.__file__).parent / "player.js").read_text(encoding="utf-8")
SAMPLES = sorted((Path(__file__).parent.parent / "trace" / "samples").glob("*.json"))


@pytest.fixture(scope="module")
def module(browser: Browser) -> Iterator[Page]:
    """Return a page whose ``player`` holds what the module exports."""
    names = re.findall(r"^export (?:const|function) (\w+)", SCRIPT, re.MULTILINE)
    page = browser.new_page()
    page.add_script_tag(type="module", content=f"{SCRIPT}\nwindow.player = {{ {', '.join(names)} }};")
    page.wait_for_function("window.player")
    yield page
    page.close()


def opened(page: Page, trace: Trace, then: str, **values: Any) -> Any:
    """Return what the JavaScript *then* makes of *trace*, opened as ``model``."""
    return page.evaluate(
        f"([text, values]) => {{ const model = player.openTrace(JSON.parse(text)); {then} }}",
        [to_text(one(trace)), values],
    )


def test_the_module_imports_nothing_and_has_no_deprecated_export() -> None:
    assert not re.search(r"^\s*import\b|\bimport\(", SCRIPT, re.MULTILINE)
    assert not re.search(r"^export (const|function) render\b", SCRIPT, re.MULTILINE)
    assert "export default { render: mount };" in SCRIPT


def test_data_reaches_the_page_as_text_only() -> None:
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "DOMParser",
        "cssText",
    ):
        assert word not in SCRIPT.split("// ---", 1)[1], word


def test_hidden_characters_are_the_same_in_both_languages(module: Page) -> None:
    assert module.evaluate("player.HIDDEN") == [list(pair) for pair in HIDDEN]
    texts = [HOSTILE, "a\r\nb\rc", "plain", "\U0001f600 family", "".join(map(chr, range(0x20, 0x2100)))]
    shown = module.evaluate("text => JSON.parse(text).map(player.visible)", json.dumps(texts))
    assert shown == [visible(text) for text in texts]


def test_a_cut_never_leaves_half_a_character(module: Page) -> None:
    assert module.evaluate("player.clip('ab\U0001f600cd', 3)") == "ab"
    assert module.evaluate("player.clip('ab\U0001f600cd', 4)") == "ab\U0001f600"
    assert module.evaluate("player.clip('ab', 4)") == "ab"


def test_json_on_one_line_is_json(module: Page) -> None:
    value = {"a": [1, None, True, "x\ny"], "b": {"c": {}}, "d": []}
    text = module.evaluate("value => player.jsonText(value)", value)
    assert json.loads(text) == value
    assert module.evaluate("player.jsonText({ a: 'long text' }, 4)") == '{"a": "long"…}'


def test_a_deep_value_ends_in_an_ellipsis(module: Page) -> None:
    deep = module.evaluate(
        "(() => { let v = 1; for (let i = 0; i < 5000; i++) v = [v]; return player.jsonText(v); })()"
    )
    assert "…" in deep


@pytest.mark.parametrize("made", [whole, forgotten, unnamed, compacted, hostile])
def test_messages_at_every_step_are_those_of_the_trace_in_any_order(
    module: Page, made: Callable[[], Trace]
) -> None:
    trace = made()
    last = len(trace.steps) - 1
    order = [*range(last + 1), last, 0, last // 2, last, *range(last, -1, -1)]
    then = """const at = (n) => player.refsAt(model, n).map((ref) => model.pool[ref]);
      return values.order.map((n) => JSON.stringify(at(n)));"""
    shown = opened(module, trace, then, order=order)
    for n, text in zip(order, shown, strict=True):
        assert json.loads(text) == trace.messages_at(n), n


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_sample_traces_open(module: Page, path: Path) -> None:
    trace = Trace.load(path)
    last = len(trace.steps) - 1
    rows = opened(module, trace, "return model.rows.map((row) => row.n);")
    assert rows == sorted(rows)
    assert opened(module, trace, "return player.refsAt(model, values.n).length;", n=last) == len(
        trace.messages_at(last)
    )


def test_a_long_trace_is_rebuilt_from_its_keyframes(module: Page) -> None:
    from tests.player.made import Made, text

    made = Made()
    for n in range(150):
        made.request(*([{"role": "user", "content": f"{n}"}] if n % 7 else []))
        made.answer(text(f"answer {n}"))
        if n % 31 == 30:
            made.becomes(made.messages[-5:])
        else:
            made.append(turn("assistant", text(f"answer {n}")))
    trace = made.end()
    assert any(step.keyframe for step in trace.steps)
    order = [len(trace.steps) - 1, 3, 200, 64, 128, 127, 300, 65]
    then = "return values.order.map((n) => player.refsAt(model, n).map((ref) => model.pool[ref]));"
    assert opened(module, trace, then, order=order) == [trace.messages_at(n) for n in order]


def test_pairing_by_id_next_turn_and_kind(module: Page) -> None:
    states = """const refs = player.refsAt(model, values.n);
      return refs.map((_, i) => player.pairing(model, refs, i, values.sent));"""
    waiting = opened(module, whole(), states, n=2, sent=False)
    assert waiting[1][1] == {"label": 1, "state": "waiting"}
    assert opened(module, whole(), states, n=2, sent=True)[1][1]["state"] == "no_result"
    paired = opened(module, whole(), states, n=6, sent=True)
    assert [paired[1][1], paired[2][0]] == [{"label": 1, "state": "answered"}] * 2
    orphan = opened(module, unnamed(), states, n=6, sent=True)
    assert [orphan[1][0]["state"], orphan[2][0]["state"]] == ["no_result", "no_call"]


def test_the_longest_common_subsequence_is_one(module: Page) -> None:
    pairs = module.evaluate("player.lcs([...'abcbdab'], [...'bdcaba'])")
    assert len(pairs) == 4
    assert all("abcbdab"[i] == "bdcaba"[j] for i, j in pairs)
    assert pairs == sorted(pairs)
    assert module.evaluate("player.lcs([], [1])") == []


def test_alignment_keeps_every_step_of_both_and_their_order(module: Page) -> None:
    rows = module.evaluate(
        "([a, b]) => player.align(JSON.parse(a).trace.steps, JSON.parse(b).trace.steps)",
        [to_text(one(whole())), to_text(one(forgotten()))],
    )
    left, right = whole(), forgotten()
    assert [a for a, _ in rows if a is not None] == list(range(len(left.steps)))
    assert [b for _, b in rows if b is not None] == list(range(len(right.steps)))
    for a, b in rows:
        if a is not None and b is not None:
            assert left.steps[a].event.kind == right.steps[b].event.kind
            assert left.steps[a].event.turn == right.steps[b].event.turn


def test_the_first_difference_ignores_how_a_test_is_spelled(module: Page) -> None:
    track = "([a, b]) => player.openTrack({ left: JSON.parse(a), right: JSON.parse(b) }).parting"
    same = [
        to_text(one(whole())),
        to_text(one(whole())).replace("response.stop_reason !=", "done(response) or"),
    ]
    assert module.evaluate(track, same) == -1
    assert module.evaluate(track, [to_text(one(whole())), to_text(one(forgotten()))]) == 2


def test_the_rail_follows_the_run(module: Page) -> None:
    then = "return model.steps.map((_, n) => ({ ...player.railAt(model, n).states }));"
    states = opened(module, whole(), then)
    assert states[0] == {}
    assert states[1] == {"tool_use": "seen"}
    assert states[3] == {"tool_use": "taken"}
    assert states[7] == {"tool_use": "taken", "limit": "checked"}
    assert states[12] == {"end_turn": "taken", "exit": "taken"}
    assert opened(module, unnamed(), then)[8] == {"error": "taken"}
    assert opened(module, forgotten(), then)[-1] == {"tool_use": "taken", "limit": "taken", "error": "taken"}


def test_the_cap_is_the_loops_own_argument_or_nothing(module: Page) -> None:
    cap = "value => player.capOf({ loop: { arguments: value } })"
    assert module.evaluate(cap, {"max_iterations": 20}) == {"name": "max_iterations", "value": 20}
    assert module.evaluate(cap, {"max_tokens": 1024, "verbose": 1, "max_turns": "20"}) is None
    assert module.evaluate("player.capOf({ loop: null })") is None


def test_keys_that_are_none_of_the_players_business_are_left_alone(module: Page) -> None:
    action = "([event, tag]) => player.keyAction(event, tag)"
    assert module.evaluate(action, [{"key": "ArrowRight"}, "div"]) == "step"
    assert module.evaluate(action, [{"key": "d"}, "div"]) == "keep"
    assert module.evaluate(action, [{"key": " "}, "button"]) == "keep"
    assert module.evaluate(action, [{"key": "ArrowLeft"}, "number"]) == "keep"
    for event in (
        {"key": "Tab"},
        {"key": "Escape"},
        {"key": "s", "ctrlKey": True},
        {"key": "b", "metaKey": True},
        {"key": "Enter", "shiftKey": True},
    ):
        assert module.evaluate(action, [event, "div"]) is None
