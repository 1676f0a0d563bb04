"""Take the README's picture of the player again: ``python docs/picture.py`` writes ``docs/player.png``.

It needs a Chromium, as the browser tests do, and the ``dev`` extra.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import simulator
from simulator.player.examples import whole_loop

PICTURE = Path(__file__).with_name("player.png")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
STEP = 7
"""The first result enters ``messages[]``: every lane has something to show."""


def main() -> None:
    """Run a loop, export the run, and take the picture."""
    trace = simulator.observe(whole_loop, "list_then_read")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = simulator.export(trace, Path(folder) / "run.html")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1080, "height": 900})
        page.goto(f"{file.as_uri()}#step={STEP}")
        page.locator(".alk").wait_for()
        page.wait_for_timeout(400)
        page.screenshot(path=PICTURE, full_page=True)
        browser.close()
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
