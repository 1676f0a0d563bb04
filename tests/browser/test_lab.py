"""The first notebook in a real JupyterLab, as a newcomer meets it. One server, one page, in order."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Watch

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
FIRST = "01_step_the_loop.ipynb"
PATIENCE = 120_000
"""Milliseconds for the first load on a slow machine."""

READY = """() => {
  const session = window.jupyterapp?.shell?.currentWidget?.sessionContext;
  const kernel = session?.session?.kernel;
  return Boolean(session?.isReady && kernel?.connectionStatus === 'connected' && kernel?.status === 'idle');
}"""
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets
  .map((cell) => cell.model.sharedModel.source)"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a JupyterLab of its own on loopback; return the address of the first notebook."""
    home = tmp_path_factory.mktemp("lab")
    books = home / "notebooks"
    shutil.copytree(NOTEBOOKS, books)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    own = (
        "HOME",
        "USERPROFILE",
        "JUPYTER_CONFIG_DIR",
        "JUPYTER_DATA_DIR",
        "JUPYTER_RUNTIME_DIR",
        "IPYTHONDIR",
    )
    environment = {**os.environ, **{name: str(home / name.lower()) for name in own}}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"]
    command += [f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={books}"]
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, cwd=home, stdout=log, stderr=log)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api/status?token={token}", server, home / "server.log")
        yield f"http://127.0.0.1:{port}/lab/tree/{FIRST}?token={token}&reset"
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(20)


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-2000:]}")


@pytest.fixture(scope="module")
def seen() -> Watch:
    """Watch the one page of this module."""
    return Watch()


@pytest.fixture(scope="module")
def notebook(browser: Browser, lab: str, seen: Watch) -> Iterator[Page]:
    """Return the first notebook with all its cells run."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(PATIENCE)
    seen.context(context)
    page = context.new_page()
    page.goto(lab)
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    page.locator(".jp-NotebookPanel .jp-Cell").first.wait_for()
    page.wait_for_function(READY)
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.locator(".alk").nth(2).wait_for()
    page.wait_for_function(READY)
    yield page
    context.close()


def player(page: Page) -> Locator:
    return page.locator(".alk").first


def press(page: Page, name: str) -> None:
    player(page).locator(f'[data-act="{name}"]').click()


def at(page: Page) -> int:
    return int(player(page).locator('input[type="range"]').input_value())


def test_step_shows_the_second_turn(notebook: Page) -> None:
    talk = player(notebook).locator('[data-lane="conversation"]')
    expect(talk).to_contain_text("Which files are here?")
    expect(talk).not_to_contain_text("list_dir")
    press(notebook, "step")
    expect(talk).to_contain_text('list_dir(path: ".")')
    press(notebook, "step")
    expect(player(notebook).locator('[data-lane="messages"] .note')).to_have_text("2 turns")


def test_back_and_reset_go_back(notebook: Page) -> None:
    press(notebook, "back")
    assert at(notebook) == 2
    press(notebook, "reset")
    assert at(notebook) == 1


def test_keys_move_the_player_and_never_the_notebook(notebook: Page) -> None:
    cells = notebook.evaluate(CELLS)
    player(notebook).locator(".say").click()
    for key in (
        "ArrowRight",
        "ArrowRight",
        "ArrowRight",
        "b",
        "a",
        "d",
        "d",
        "x",
        "y",
        "Enter",
        "m",
        "0",
        "0",
        "Shift+M",
    ):
        notebook.keyboard.press(key)
    assert at(notebook) == 8
    assert notebook.evaluate(CELLS) == cells
    assert notebook.locator(".jp-Dialog").count() == 0
    notebook.keyboard.press("Home")
    assert at(notebook) == 1


def test_it_steps_while_the_kernel_is_busy(notebook: Page) -> None:
    kernel = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    notebook.evaluate(f"() => {{ {kernel}.requestExecute({{ code: 'import time; time.sleep(6)' }}); }}")
    notebook.wait_for_function(f"() => {kernel}.status === 'busy'")
    for _ in range(4):
        press(notebook, "step")
    assert at(notebook) == 5
    assert notebook.evaluate(f"() => {kernel}.status") == "busy"
    notebook.wait_for_function(READY)


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_both_themes_are_followed_and_accessible(
    notebook: Page, axe: Callable[..., list[str]], theme: str
) -> None:
    dark = theme.endswith("Dark")
    notebook.evaluate(
        "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme
    )
    notebook.wait_for_function(
        f"() => document.body.dataset.jpThemeLight === '{'false' if dark else 'true'}'"
    )
    notebook.wait_for_timeout(500)
    shade = notebook.evaluate(
        "() => getComputedStyle(document.querySelector('.alk')).backgroundColor.match(/\\d+/g)[0]"
    )
    assert (int(shade) < 60) is dark
    assert axe(notebook, ".alk") == []


def test_it_fits_a_phone(notebook: Page) -> None:
    notebook.set_viewport_size({"width": 360, "height": 800})
    notebook.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")
    notebook.wait_for_timeout(300)
    wide = "() => [...document.querySelectorAll('.alk')].map((el) => el.scrollWidth - el.clientWidth)"
    assert max(notebook.evaluate(wide)) <= 1
    notebook.set_viewport_size({"width": 1400, "height": 1000})


def test_the_picker_stands_around_a_player(notebook: Page) -> None:
    picker = notebook.locator(".widget-vbox", has=notebook.locator("select")).last
    expect(picker.locator(".alk")).to_have_count(1)
    expect(picker.locator("select").first).to_contain_text("list_then_read")


def test_a_saved_notebook_that_is_not_trusted_shows_the_table(notebook: Page) -> None:
    output: Any = notebook.evaluate(
        """() => window.jupyterapp.shell.currentWidget.content.widgets
             .flatMap((cell) => cell.model.outputs?.toJSON() ?? [])
             .find((output) => output.data?.['text/html'])"""
    )
    assert "<table>" in "".join(output["data"]["text/html"])


def test_nothing_left_loopback_and_no_script_failed(notebook: Page, seen: Watch) -> None:
    assert seen.outside == []
    assert [fault for fault in seen.faults if "alk" in fault or "anywidget" in fault] == []
