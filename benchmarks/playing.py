"""The player in Chromium, on the exported page of a long run, opened from disk.

- A step: pressing the Step button on one of the run's last steps, the handler and the layout it causes, up to
  the point where the browser has nothing to do but paint. Median of many.
- Opening: from the start of the navigation until the page is loaded, its module has run, and it is painted.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Figure
from benchmarks.observing import of_steps

if TYPE_CHECKING:
    from playwright.sync_api import Page, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

STEPPING = """presses => {
  const step = document.querySelector('[data-act="step"]');
  const took = [];
  for (let i = 0; i < presses; i++) {
    const began = performance.now();
    step.click();
    document.body.getBoundingClientRect();
    took.push(performance.now() - began);
  }
  return took;
}"""

OPENING = """() => new Promise((resolve) => {
  const painted = () => performance.getEntriesByName("first-contentful-paint")[0];
  const look = () => {
    const [navigation] = performance.getEntriesByType("navigation");
    if (navigation.loadEventEnd && painted()) resolve(Math.max(navigation.loadEventEnd, painted().startTime));
    else requestAnimationFrame(look);
  };
  look();
})"""


def figures(quick: bool) -> Iterator[Figure]:
    """Yield the two figures; without a Chromium say so on stderr and yield none."""
    from playwright.sync_api import sync_playwright

    steps = 320 if quick else 1280
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        from simulator.player.export import export

        browser = launch(playwright)
        if browser is None:
            print("no Chromium here: the player is not measured", file=sys.stderr)
            return
        trace = of_steps(steps)
        file = export(trace, Path(folder) / "run.html")
        presses = 20 if quick else 100
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        opened = [opening(page, file) for _ in range(3 if quick else 9)][1:]
        stepped = stepping(page, file, len(trace.steps) - presses - 1, presses)
        browser.close()
        size = f"a page of {file.stat().st_size / 1000:,.0f} KB with {len(trace.steps):,} steps"
        yield Figure("a step in the player", f"{steps} steps", stepped, "ms", 16, size)
        yield Figure(
            "opening the exported page", f"{steps} steps", statistics.median(opened), "ms", 500, size
        )


def launch(playwright: Playwright) -> Any:
    """Return a headless Chromium: ``$CHROMIUM``, one on the path, Playwright's own, or None."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and not Path(playwright.chromium.executable_path).exists():
        return None
    return playwright.chromium.launch(executable_path=found, args=QUIET)


def opening(page: Page, file: Path) -> float:
    """Return the milliseconds until *file* is open, at its first step."""
    page.goto("about:blank")
    page.goto(file.as_uri())
    return float(page.evaluate(OPENING))


def stepping(page: Page, file: Path, start: int, presses: int) -> float:
    """Return the median milliseconds of *presses* presses of Step, from step *start* on."""
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}#step={start}")
    page.locator('[data-act="step"]').wait_for()
    return float(statistics.median(page.evaluate(STEPPING, presses)))
