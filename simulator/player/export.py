"""One offline HTML file that shows a trace: the player's own module and stylesheet, and the trace, inlined.

Rules of this file:

1. The page may run exactly two scripts (a few lines that unpack, and the player) and use exactly one
   stylesheet, all named by their hash in its content security policy; it may load nothing.
2. Player and stylesheet are packed with gzip, which keeps the file small; the trace stays plain
   JSON, so that what a page shows can be read without it.
3. A recorded text never becomes markup: the view is JSON in which ``<`` is escaped, and what stands in the
   page's own markup is escaped and made visible.
4. A file that ``export`` did not write is never replaced unless that is asked for, and the old file stays
   until the new one is whole.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
from pathlib import Path
from typing import TYPE_CHECKING

from simulator import files
from simulator.player.sentences import short
from simulator.player.view import View, not_a_trace, one, to_text
from simulator.text import say
from simulator.text.visible import visible
from simulator.trace.document import Trace

if TYPE_CHECKING:
    from simulator.player.widget import Player

HERE = Path(__file__).parent

MARK = '<meta name="generator" content="agent-loop-katas export">'
"""By this line a file is known as one of ours."""


class ExportError(OSError):
    """The page cannot be written where it was asked for. Its text is one sentence: saw, rule, remedy."""


def export(shown: Trace | Player, path: str | Path, *, lang: str | None = None, force: bool = False) -> Path:
    """Write *shown* (a trace, or what ``show`` and ``compare`` return) as one HTML file; return its path.

    Raises ExportError when *path* holds a file that export did not write and *force* is not given, or when
    it cannot be written; TypeError when *shown* is neither.
    """
    target = Path(path)
    _check(target, force)
    _write(target, page(shown, lang).encode("utf-8"))
    return target


def page(shown: Trace | Player, lang: str | None = None) -> str:
    """Return the HTML of the page that shows *shown*."""
    if isinstance(shown, Trace):
        view = one(shown, lang)
    elif isinstance(getattr(shown, "data", None), dict):
        view = shown.data
    else:
        raise not_a_trace(shown)
    return _html({**view, "page": True})


UNPACK = """
const unpack = async (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (char) => char.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};
const [style, player] = [document.createElement("style"), document.createElement("script")];
[style.textContent, player.textContent] = await Promise.all([unpack("style"), unpack("player.js")]);
player.type = "module";
document.head.append(style, player);
"""


def _html(view: View) -> str:
    scenario = (view.get("left") or view)["trace"]["scenario"]
    lang = view["lang"]
    title = html.escape(visible(short(scenario["title"] or scenario["name"], 160)))
    script, style = _read("player.js") + _read("page.js"), _read("player.css") + _read("page.css")
    policy = (
        f"default-src 'none'; script-src {_hash(UNPACK)} {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="{lang}" class="alk-page">
<head>
<meta charset="utf-8">
{MARK}
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{say("player.page.title", lang, title=title)}</title>
</head>
<body>
<main>
<h1>{title}</h1>
<div id="player"></div>
<noscript><p>{html.escape(say("player.page.noscript", lang))}</p></noscript>
</main>
<footer>{html.escape(say("player.page.made", lang))}</footer>
<script type="application/json" id="view">{to_text(view)}</script>
<script type="text/plain" id="style">{_packed(style)}</script>
<script type="text/plain" id="player.js">{_packed(script)}</script>
<script type="module">{UNPACK}</script>
</body>
</html>
"""


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


def _check(target: Path, force: bool) -> None:
    if not target.parent.is_dir():
        raise ExportError(say("player.fault.no_folder", folder=target.parent, name=target.name))
    if force or not target.is_file():
        return
    try:
        with target.open("rb") as file:
            ours = MARK.encode("utf-8") in file.read(1024)
    except OSError as error:
        raise _unwritable(target, error) from None
    if not ours:
        raise ExportError(say("player.fault.foreign_file", path=target))


def _write(target: Path, raw: bytes) -> None:
    try:
        files.put(target, raw)
    except OSError as error:
        raise _unwritable(target, error) from None


def _unwritable(target: Path, error: OSError) -> ExportError:
    return ExportError(say("player.fault.cannot_write", path=target, reason=error.strerror or str(error)))
