"""A Chromium for the tests that need one, pages that may reach nothing but loopback, and axe-core.

Where there is no Chromium the tests are skipped with a reason; ``REQUIRE_BROWSER=1`` makes that a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from simulator.player.export import export
from simulator.player.widget import Player
from simulator.trace.document import Trace

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
LOCAL = ("127.0.0.1", "localhost", "::1", "")

Open = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


def find_chromium(playwright: Playwright) -> str | None:
    """Return the path of a Chromium: ``$CHROMIUM``, one on the path, Playwright's own; or None."""
    own = playwright.chromium.executable_path
    return (
        os.environ.get("CHROMIUM")
        or next(filter(None, map(shutil.which, NAMES)), None)
        or (own if Path(own).exists() else None)
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser. It lives for one module, for Playwright's loop would disturb asynchronous tests."""
    with sync_playwright() as playwright:
        path = find_chromium(playwright)
        if path is None:
            missing = "no Chromium here: install one, or name it in the environment variable CHROMIUM"
            if os.environ.get("REQUIRE_BROWSER") == "1":
                pytest.fail(missing)
            pytest.skip(missing)
        browser = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield browser
        browser.close()


class Watch:
    """What the pages of one test did that no page may do."""

    def __init__(self) -> None:
        self.outside: list[str] = []
        self.faults: list[str] = []

    def context(self, context: BrowserContext) -> None:
        context.on("request", self._request)
        context.on("page", self._page)

    def _request(self, request: Any) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob", "file") and address.hostname not in LOCAL:
            self.outside.append(request.url)

    def _page(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Watch the pages of a test: no script error and no request beyond loopback may have happened."""
    seen = Watch()
    yield seen
    assert seen.outside == []
    assert seen.faults == []


@pytest.fixture
def show(browser: Browser, watch: Watch, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Return ``show(trace, step=1, **context)``: its exported page, opened from disk, network off."""
    contexts: list[BrowserContext] = []

    def open_page(
        shown: Trace | Player, step: int | None = None, lang: str | None = None, **options: Any
    ) -> Page:
        file = export(shown, tmp_path / f"page{len(contexts)}.html", lang=lang)
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        watch.context(context)
        contexts.append(context)
        context.set_offline(True)
        page = context.new_page()
        page.goto(file.as_uri() + ("" if step is None else f"#step={step}"))
        page.locator(".alk").wait_for()
        return page

    yield open_page
    for n, context in enumerate(contexts):
        if getattr(request.node, "failed_call", False):
            context.pages[0].screenshot(path=tmp_path / f"failed{n}.png", full_page=True)
        context.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Let fixtures know that their test failed."""
    report = yield
    if report.when == "call" and report.failed:
        item.failed_call = True  # type: ignore[attr-defined]  # read by the fixture above
    return report


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """Return ``axe(page, selector=None)``: the violations that axe-core finds, one line each."""
    import axe_playwright_python

    source = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

    def violations(page: Page, selector: str | None = None) -> list[str]:
        page.evaluate(source)
        found = page.evaluate("selector => axe.run(selector ?? document)", selector)
        return [
            f"{rule['id']} ({rule['impact']}): {node['html'][:160]} {node['failureSummary']}"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]

    return violations
