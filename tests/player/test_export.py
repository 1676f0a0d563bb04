"""The exported file: what is in it, and what it never does to a file that is there."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import os
import re
from pathlib import Path

import pytest

from simulator.player.export import ExportError, export, page
from simulator.player.widget import compare
from tests.player.made import HOSTILE, forgotten, hostile, whole


def view(markup: str) -> dict[str, object]:
    found = re.search(r'id="view">(.*?)</script>', markup, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


def test_the_page_has_a_language_a_heading_a_main_part_and_no_address() -> None:
    markup = page(whole(), "es")
    for part in ('<html lang="es"', "<h1>Made for a test</h1>", "<main>", '<meta name="viewport"'):
        assert part in markup
    assert not re.search(r"https?://|src=|href=", markup.replace("http://www.w3.org/2000/svg", ""))


def test_the_policy_names_every_script_and_style_by_its_hash_and_allows_nothing_else() -> None:
    markup = page(whole())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', markup)
    assert policy
    packed = dict(re.findall(r'<script type="text/plain" id="([\w.]+)">([^<]+)</script>', markup))
    unpacked = [gzip.decompress(base64.b64decode(text)).decode() for text in packed.values()]
    (loader,) = re.findall(r'<script type="module">(.*?)</script>', markup, re.DOTALL)
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in (loader, *unpacked)
    ]
    assert sorted(re.findall(r"'sha256-[^']+'", policy[1])) == sorted(hashes)
    assert policy[1].startswith("default-src 'none'; ")
    assert "unsafe" not in policy[1]


def test_a_hostile_run_stays_inside_its_json() -> None:
    markup = page(hostile())
    assert "<script>window" not in markup
    assert markup.count("<script") == 4
    assert "\u202e" not in markup
    assert not any(0xD800 <= ord(char) < 0xE000 for char in markup)
    trace = view(markup)["trace"]
    assert isinstance(trace, dict)
    assert trace["scenario"]["title"] == HOSTILE


def test_the_title_is_escaped_and_visible() -> None:
    (title,) = re.findall(r"<h1>(.*?)</h1>", page(hostile()), re.DOTALL)
    assert "<" not in title
    assert html.unescape(title).startswith("<script>")
    assert title.endswith("…")


def test_the_same_trace_gives_the_same_bytes() -> None:
    assert page(whole()) == page(whole())


def test_two_traces_side_by_side_are_one_page(tmp_path: Path) -> None:
    file = export(compare(whole(), forgotten(), titles=("with", "without")), tmp_path / "two.html")
    shown = view(file.read_text(encoding="utf-8"))
    assert {"left", "right"} <= set(shown)


def test_a_file_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    file.write_text("my notes", encoding="utf-8")
    with pytest.raises(ExportError, match=r"was not written by export.*choose another name"):
        export(whole(), file)
    assert file.read_text(encoding="utf-8") == "my notes"
    export(whole(), file, force=True)
    export(forgotten(), file)
    assert "no answer" in file.read_text(encoding="utf-8")


def test_an_old_page_survives_a_write_that_fails(tmp_path: Path) -> None:
    file = export(whole(), tmp_path / "run.html")
    before = file.read_bytes()
    with pytest.raises(TypeError, match="take a trace, but got int"):
        export(7, file)  # type: ignore[arg-type]  # the mistake under test
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["run.html"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are files only on POSIX systems")
def test_a_page_never_takes_the_place_of_a_pipe_or_a_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ExportError, match="cannot be written"):
        export(whole(), tmp_path / "pipe", force=True)
    assert (tmp_path / "pipe").is_fifo()


def test_a_place_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"There is no folder .*nowhere"):
        export(whole(), tmp_path / "nowhere" / "run.html")
    with pytest.raises(ExportError, match="cannot be written"):
        export(whole(), tmp_path, force=True)
    with pytest.raises(ExportError, match="cannot be written"):
        export(whole(), tmp_path)
