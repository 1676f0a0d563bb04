"""The exported page in Chromium: moving, seeing what changed, keys, and who can read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from simulator.loop import run_agent_loop
from simulator.player.examples import whole_loop
from simulator.player.export import export
from simulator.player.listing import table
from simulator.player.widget import compare
from simulator.player.widget import show as show_run
from simulator.trace.observe import observe
from tests.browser.conftest import Open, Watch
from tests.player.made import TOKENS, Made, compacted, forgotten, hostile, text, turn, unnamed, whole

Axe = Callable[..., list[str]]


def press(page: Page, *keys: str) -> None:
    page.locator(".alk").focus()
    for key in keys:
        page.keyboard.press(key)


def button(page: Page, name: str) -> None:
    # A button that can do nothing stays reachable, so a press on it is a press.
    page.locator(f'[data-act="{name}"]').click(force=True)


def notices(client: Any, messages: Any, tools: Any, handlers: Any) -> Any:
    return run_agent_loop(client, messages, tools, handlers)


def at(page: Page) -> int:
    return int(page.locator('input[type="range"]').input_value())


def lane(page: Page, name: str) -> str:
    return page.locator(f'[data-lane="{name}"]').first.inner_text()


def test_the_page_of_a_shipped_scenario_is_small_and_works_from_disk_with_the_network_off(
    tmp_path: Path, show: Open
) -> None:
    run = show_run("list_then_read")
    file = export(run, tmp_path / "run.html")
    assert file.stat().st_size < 60_000
    page = show(run)
    expect(page.locator("h1")).to_have_text("List the files, then read one")
    expect(page.locator(".say")).to_contain_text("Request 1")


def test_step_shows_the_second_turn_and_back_takes_it_away(show: Open) -> None:
    page = show(whole())
    assert "I'll look." not in lane(page, "conversation")
    button(page, "step")
    assert "I'll look." in lane(page, "conversation")
    assert "1 turn" in lane(page, "messages")
    button(page, "step")
    assert "2 turns" in lane(page, "messages")
    button(page, "back")
    button(page, "back")
    assert "I'll look." not in lane(page, "conversation")
    assert at(page) == 1


def test_every_button_goes_where_it_says(show: Open) -> None:
    page = show(whole())
    for name, place in (("last", 13), ("first", 1), ("next_branch", 4), ("next_branch", 8), ("step", 9)):
        button(page, name)
        assert at(page) == place, name
    button(page, "previous_branch")
    assert at(page) == 8
    button(page, "coarse")
    button(page, "reset")
    assert at(page) == 1
    assert page.locator('[data-act="coarse"]').get_attribute("aria-pressed") == "false"


def test_keys_do_what_the_help_sheet_says(show: Open) -> None:
    page = show(whole())
    for key, place in (
        ("ArrowRight", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", 13),
        ("Home", 1),
        ("b", 4),
        ("b", 8),
        ("B", 4),
    ):
        press(page, key)
        assert at(page) == place, key
    press(page, "?")
    expect(page.locator(".help")).to_be_visible()
    press(page, "?")
    expect(page.locator(".help")).to_be_hidden()
    press(page, "g", "1", "2", "Enter")
    assert at(page) == 12


def test_space_plays_to_the_end_and_stops_there(show: Open) -> None:
    page = show(whole(), 11)
    page.locator("select").select_option("4")
    press(page, " ")
    expect(page.locator('[data-act="play"]')).to_have_text("Pause")
    expect(page.locator('input[type="range"]')).to_have_value("13")
    expect(page.locator('[data-act="play"]')).to_have_text("Play")


def test_a_step_by_hand_stops_the_playing(show: Open) -> None:
    page = show(whole(), 2)
    press(page, " ")
    press(page, "ArrowLeft")
    expect(page.locator('[data-act="play"]')).to_have_text("Play")


def test_keys_stay_in_the_player_and_those_of_the_system_go_through(show: Open) -> None:
    page = show(whole())
    page.evaluate(
        """() => { window.leaked = []; document.addEventListener('keydown', (event) => {
            const guarded = document.querySelector('.alk').hasAttribute('data-lm-suppress-shortcuts');
            leaked.push((guarded ? 'guarded ' : '') + event.key); }); }"""
    )
    press(page, "a", "d", "d", "Enter", "ArrowRight", "x", "ArrowUp")
    assert page.evaluate("leaked") == []
    press(page, "Escape", "Control+q", "Tab")
    assert page.evaluate("leaked") == ["Escape", "Control", "q", "Tab"]
    assert page.locator(".alk").get_attribute("data-lm-suppress-shortcuts") is not None


def test_space_on_a_button_presses_that_button(show: Open) -> None:
    page = show(whole())
    page.locator('[data-act="step"]').focus()
    page.keyboard.press(" ")
    assert at(page) == 2
    expect(page.locator('[data-act="play"]')).to_have_text("Play")


def test_a_button_that_can_do_nothing_says_why_and_keeps_the_focus(show: Open) -> None:
    page = show(whole())
    back = page.locator('[data-act="back"]')
    assert back.get_attribute("aria-disabled") == "true"
    assert back.get_attribute("title") == "This is the first step"
    button(page, "last")
    step = page.locator('[data-act="step"]')
    button(page, "step")
    assert step.get_attribute("title") == "This is the last step"
    assert step.evaluate("el => el === document.activeElement")


def test_the_address_leads_to_the_step_and_follows_it(show: Open) -> None:
    page = show(whole(), 7)
    assert at(page) == 7
    button(page, "step")
    expect(page).to_have_url(re.compile("#step=8$"))
    page.evaluate("location.hash = '#step=3'")
    expect(page.locator('input[type="range"]')).to_have_value("3")
    page.evaluate("location.hash = '#step=9999'")
    expect(page.locator('input[type="range"]')).to_have_value("13")


def test_the_slider_moves_and_says_where_it_is(show: Open) -> None:
    page = show(whole())
    slider = page.locator('input[type="range"]')
    slider.fill("8")
    assert slider.get_attribute("aria-valuetext") == "8 / 13: branch"
    slider.press("ArrowRight")
    assert at(page) == 9


def test_coarse_steps_go_from_request_to_request_and_mark_all_that_came_between(show: Open) -> None:
    page = show(whole())
    button(page, "coarse")
    button(page, "step")
    assert at(page) == 9
    assert page.locator('.msg[data-mark="new"]').count() == 2
    button(page, "step")
    assert at(page) == 13
    button(page, "back")
    assert at(page) == 9


def test_what_is_new_changed_or_dropped_is_said_in_words(show: Open) -> None:
    page = show(compacted(), 3)
    assert page.locator(".msg > .head > .mark").all_inner_texts() == ["~ changed"]
    assert page.locator('.block[data-mark="changed"]').all_inner_texts() == [
        '{"type": "text", "text": "2."} ]}\n~ changed'
    ]
    button(page, "step")
    dropped = page.locator(".msg.ghost")
    assert dropped.count() == 1
    assert "- dropped" in dropped.inner_text()
    button(page, "step")
    assert page.locator(".msg > .head > .mark").all_inner_texts() == ["- dropped", "+ new", "+ new"]
    button(page, "step")
    assert page.locator(".messages .mark").count() == 0


def test_jumping_anywhere_shows_what_stepping_there_shows(show: Open) -> None:
    stepped, jumped = show(compacted()), show(compacted())
    for step in range(1, 7):
        jumped.evaluate(f"location.hash = '#step={step}'")
        expect(jumped.locator('input[type="range"]')).to_have_value(str(step))
        for name in ("conversation", "messages", "loop", "rail", "budget"):
            assert lane(jumped, name) == lane(stepped, name), (step, name)
        button(stepped, "step")
        jumped.evaluate("location.hash = '#step=1'")


def test_a_long_block_is_cut_and_its_button_shows_the_whole(show: Open) -> None:
    page = show(Made().request(turn("user", text("x" * 2000))).answer(text("Hm.")).end())
    block = page.locator(".messages .block code")
    assert "xx" in block.inner_text()
    assert len(block.inner_text()) < 700
    page.locator(".messages .more").click()
    whole_block = '{"type": "text", "text": "' + "x" * 2000 + '"} ]}'
    assert block.inner_text() == whole_block


def test_a_call_and_its_result_carry_the_same_number(show: Open) -> None:
    page = show(whole(), 3)
    assert page.locator(".messages .chip").all_inner_texts() == ["#1\nwaiting"]
    button(page, "last")
    assert page.locator(".messages .chip").all_inner_texts() == ["#1", "#1"]
    assert page.locator(".talk .chip").all_inner_texts() == ["#1", "#1"]


def test_an_orphan_is_called_one(show: Open) -> None:
    page = show(unnamed(), 8)
    assert page.locator(".messages .chip").all_inner_texts() == ["#1\nno result", "#?\nno call"]
    assert "no result for #1" in lane(page, "conversation")


def test_a_refusal_says_which_rule_and_where(show: Open) -> None:
    page = show(unnamed(), 9)
    said = page.locator(".say").inner_text()
    assert "refused" in said
    assert "400 invalid_request_error" in said
    assert "rule id_missing, at messages.2.content.0" in said
    assert page.locator('.stop[data-state="taken"]').all_inner_texts()[0].startswith("error")


def test_a_repeated_request_is_called_one(show: Open) -> None:
    page = show(forgotten(), 6)
    assert "same conversation as request 1" in page.locator(".say").inner_text()
    assert "same as request 1" in lane(page, "conversation")


def test_the_rail_shows_seven_signals_three_guards_and_the_way_taken(show: Open) -> None:
    page = show(whole(), 2)
    assert page.locator(".stop[data-state]").count() == 10
    assert page.locator('.stop[data-state="seen"] code').all_inner_texts() == ["tool_use"]
    assert "No decision yet" in page.locator(".test").inner_text()
    button(page, "next_branch")
    assert page.locator('.stop[data-state="taken"] code').all_inner_texts() == ["tool_use"]
    assert page.locator(".test").inner_text() == 'response.stop_reason != "tool_use" → Falseline 5'
    button(page, "last")
    assert page.locator('.stop[data-state="taken"] code').all_inner_texts() == ["end_turn", "exit"]
    assert page.locator('.stop[data-state="taken"] .visits').all_inner_texts() == ["×1", ""]


def test_the_line_says_whether_it_ran_or_is_about_to(show: Open) -> None:
    page = show(whole())
    for step, said in ((1, "line 3: running now"), (2, "line 3: just ran"), (5, "line 7: about to run")):
        page.evaluate(f"location.hash = '#step={step}'")
        expect(page.locator('[data-lane="loop"] .note')).to_contain_text(said)
    assert page.locator('[aria-current="step"] .num').inner_text() == "7"


def test_the_budget_counts_requests_against_the_loops_own_cap_and_tokens(show: Open) -> None:
    page = show(whole(), 13)
    assert lane(page, "budget").split("\n")[:8] == [
        "Requests",
        "2",
        "of 20 (max_turns)",
        "Input tokens",
        "300",
        "last request 200",
        "Output tokens",
        "20",
    ]


def test_a_lane_stays_where_the_reader_scrolled_it_until_a_step_or_another_width(show: Open) -> None:
    (trace,) = show_run("todo_list").traces  # type: ignore[union-attr]  # a name gives a player
    page = show(trace, 30)
    body = page.locator('[data-lane="conversation"] .lane-body')
    bottom = "el => el.scrollTop + el.clientHeight >= el.scrollHeight - 1"
    page.wait_for_timeout(300)
    assert body.evaluate(bottom)
    body.evaluate("el => { el.scrollTop = 0; }")
    press(page, "?")
    page.wait_for_timeout(300)
    assert body.evaluate("el => el.scrollTop") == 0
    page.set_viewport_size({"width": 700, "height": 900})
    page.wait_for_timeout(500)
    assert body.evaluate(bottom)


def test_a_message_with_a_number_of_many_digits_keeps_it_on_one_line(show: Open) -> None:
    turns = [turn(("user", "assistant")[n % 2], text(f"said {n}")) for n in range(121)]
    page = show(Made().request(*turns).answer(text("so be it")).end())
    heights = page.locator(".index").evaluate_all("all => all.map((one) => Math.round(one.clientHeight))")
    assert len(heights) > 100
    assert len(set(heights)) == 1


def test_two_loops_share_one_cursor_and_the_first_difference_is_a_key_away(show: Open) -> None:
    page = show(compare(whole(), forgotten(), titles=("with append", "without")))
    assert page.locator(".side-title").all_inner_texts() == ["with append", "without"]
    press(page, "x")
    assert at(page) == 3
    left, right = page.locator(".say").all_inner_texts()
    assert "appends the model's answer" in left
    assert "Nothing happens here" in right
    button(page, "last")
    assert "RuntimeError" in page.locator(".say").last.inner_text()


def test_two_like_loops_have_no_difference_and_the_button_says_so(show: Open) -> None:
    page = show(compare(whole(), whole()))
    assert page.locator('[data-act="difference"]').get_attribute("title") == (
        "The two loops do the same at every step"
    )


def test_the_page_speaks_spanish(show: Open) -> None:
    page = show(whole(), lang="es")
    assert page.locator("html").get_attribute("lang") == "es"
    expect(page.locator('[data-act="step"]')).to_have_text("Paso")
    assert "Petición 1" in page.locator(".say").inner_text()


def test_one_sentence_a_step_is_spoken_politely(show: Open) -> None:
    spoken = show(whole(), 3).locator('[aria-live="polite"]')
    assert spoken.all_inner_texts() == ["The loop appends the model's answer: messages[] now has 2 turns."]


def test_of_two_loops_the_one_that_moves_is_told_and_what_both_do_is_told_once(show: Open) -> None:
    page = show(compare(whole(), forgotten(), titles=("with", "without")), 1)
    spoken = page.locator('[aria-live="polite"]')
    expect(spoken).to_have_text("Request 1: the loop sends messages[] to the model, 1 turn.")
    press(page, "x")
    expect(spoken).to_have_text("with: The loop appends the model's answer: messages[] now has 2 turns.")


SEEN = """(way) => {
  const body = document.querySelector(`[data-lane="${way}"] .lane-body`).getBoundingClientRect();
  const rows = [...document.querySelectorAll(`[data-lane="${way}"] [data-mark]:is(.row, .msg)`)]
    .map((row) => row.getBoundingClientRect());
  if (!rows.length || rows.at(-1).bottom - rows[0].top > body.height - 24) return true;
  return rows[0].top >= body.top && rows.at(-1).bottom <= body.bottom + 1;
}"""
"""Whether all that is new stands inside its lane, where it fits."""

AMONG = """() => {
  const body = document.querySelector('[data-lane="loop"] .lane-body').getBoundingClientRect();
  const all = [...document.querySelectorAll('.src')], at = all.findIndex((line) => line.ariaCurrent);
  if (at < 0) return true;
  const near = all.slice(Math.max(0, at - 2), at + 3).map((line) => line.getBoundingClientRect());
  return near[0].top >= body.top && near.at(-1).bottom <= body.bottom + 1;
}"""
"""Whether the current line stands inside its lane with two lines before and after it."""


@pytest.mark.parametrize("width", [360, 1280])
def test_what_is_new_is_seen_whole_and_the_line_stands_among_its_neighbours(width: int, show: Open) -> None:
    (trace,) = show_run("todo_list").traces  # type: ignore[union-attr]  # a name gives a player
    page = show(trace, viewport={"width": width, "height": 900})
    places = [*range(2, len(trace.steps) + 1), 22, 40, 7, 24, 18, 47]
    cut = []
    for n, place in enumerate(places):
        if place == n + 2:
            press(page, "ArrowRight")
        else:
            page.evaluate(f"location.hash = '#step={place}'")
            expect(page.locator('input[type="range"]')).to_have_value(str(place))
            page.wait_for_timeout(300)
        cut += [(place, name) for name in ("conversation", "messages") if not page.evaluate(SEEN, name)]
        cut += [(place, "loop")] if width > 400 and not page.evaluate(AMONG) else []
    assert cut == []


PROFILES = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "narrow": {"viewport": {"width": 360, "height": 800}},
    "narrow and dark": {"viewport": {"width": 360, "height": 800}, "color_scheme": "dark"},
    "projector": {"viewport": {"width": 1920, "height": 1080}},
    "forced colours": {"forced_colors": "active"},
}


@pytest.mark.parametrize("profile", PROFILES)
def test_axe_finds_nothing_and_nothing_overflows(profile: str, show: Open, axe: Axe) -> None:
    shown = (whole(), 7), (unnamed(), 9), (compacted(), 5), (compare(whole(), forgotten()), 3)
    for trace, step in shown:
        page = show(trace, step, **PROFILES[profile])
        press(page, "?")
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_every_target_is_at_least_24_pixels(show: Open) -> None:
    page = show(compare(whole(), forgotten()), viewport={"width": 360, "height": 800})
    small = page.locator("button, select, input").evaluate_all(
        "all => all.map((el) => [el.dataset.act ?? el.type, el.getBoundingClientRect()])"
        ".filter(([, box]) => box.width && (box.width < 24 || box.height < 24)).map(([name]) => name)"
    )
    assert small == []


def test_dark_follows_the_readers_setting(show: Open) -> None:
    colour = "getComputedStyle(document.querySelector('.alk')).backgroundColor"
    light, dark = show(whole()), show(whole(), color_scheme="dark")
    assert light.evaluate(colour) == "rgb(255, 255, 255)"
    assert dark.evaluate(colour) == "rgb(21, 24, 30)"


def test_a_hostile_run_is_only_text(show: Open) -> None:
    trace = hostile()
    page = show(compare(trace, trace))
    single = show(trace)
    for open_page in (page, single):
        for _ in range(len(trace.steps)):
            button(open_page, "step")
        assert open_page.evaluate("window.hacked") is None
        assert open_page.locator(".alk a, .alk img, .alk script, .alk style, .alk iframe").count() == 0
        assert open_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        shown = open_page.locator(".sides").first.inner_text()
        assert all(token in shown for token in TOKENS)


def test_the_table_that_stands_in_runs_no_script_and_fetches_nothing(browser: Browser, watch: Watch) -> None:
    context = browser.new_context()
    watch.context(context)
    page = context.new_page()
    page.set_content(table(hostile()))
    assert page.evaluate("window.hacked") is None
    assert page.locator("a, img, script, style").count() == 0
    assert all(token in page.locator("table").inner_text() for token in TOKENS)
    context.close()


def test_a_what_if_is_marked_where_the_run_is_named_and_at_its_answer(show: Open) -> None:
    page = show(observe(whole_loop, "list_then_read", what_if={1: "refusal", 5: "end_turn"}))
    badges = page.locator('.badge[data-kind="what-if"]')
    expect(badges).to_have_text(
        [
            "what if: answer 1 ends with refusal",
            "what if: answer 5 ends with end_turn (this run has no such answer)",
        ]
    )
    assert "what if; recorded: tool_use" not in lane(page, "conversation")
    button(page, "step")
    assert "what if; recorded: tool_use" in lane(page, "conversation")
    expect(page.locator(".say")).to_contain_text("What if: in the recording this answer ended with tool_use.")


def test_the_branch_that_answered_stands_clear_of_the_signal(show: Open) -> None:
    page = show(observe(notices, "same_search_again"))
    press(page, "End")
    assert re.search(r'"tool_use" branch second_', lane(page, "conversation"))


def test_of_two_runs_each_says_its_own_what_if(show: Open) -> None:
    runs = [observe(whole_loop, "list_then_read", what_if=what_if) for what_if in (None, {2: "max_tokens"})]
    page = show(compare(*runs, titles=("as recorded", "what if")))
    titles = page.locator(".side-title")
    expect(titles).to_have_text(["as recorded", "what if what if: answer 2 ends with max_tokens"])
