"""Read vcrpy cassettes whoever recorded them.

Rules of this file:

1. A cassette is read whole or not at all: the first thing that is wrong is a :class:`CassetteError` with the
   file, the place and what to do. There is no empty recording and no skipped exchange.
2. A recorded file is data: :mod:`simulator.recording.safe_yaml` constructs nothing, and size, nesting,
   aliases and gzip have limits.
3. What a body is, is seen from its first bytes; headers lie.
4. Only ``POST …/v1/messages`` counts; what else was recorded in between is counted in ``others``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.recording.exchange import Exchange, exchange, is_messages
from simulator.recording.plain import ContentError, plain
from simulator.recording.safe_yaml import Document, YamlError, load
from simulator.recording.save import save
from simulator.text import say
from simulator.text.visible import visible

__all__ = ["MAX_BYTES", "CassetteError", "Exchange", "Recording", "parse", "read", "write"]

MAX_BYTES = 256 * 1024 * 1024
"""The largest file that is read. The largest of 72 real cassettes has 0.3 MB."""


class CassetteError(ValueError):
    """A cassette cannot be read or written. ``str()`` is one sentence: where, what was seen, what to do."""

    def __init__(self, path: Path, place: str | None, sentence: str) -> None:
        super().__init__(path, place, sentence)
        self.path = path
        self.place = place
        self.sentence = sentence

    def __str__(self) -> str:
        where = f"{self.path}, {self.place}" if self.place else str(self.path)
        # What is quoted from the file can neither break the line nor steer a terminal.
        return visible(f"{where}: {self.sentence}").replace("\n", " ")


@dataclass(frozen=True, slots=True)
class Recording:
    """A cassette that was read: its Messages exchanges in order (never none), and its ``metadata``."""

    path: Path
    exchanges: tuple[Exchange, ...]
    metadata: dict[str, Any]
    others: int


def read(path: str | Path) -> Recording:
    """Return the recording in the file *path*. Raises CassetteError for anything that is not one."""
    path = Path(path)
    return parse(_text(path), path)


def parse(text: str, path: Path) -> Recording:
    """Return the recording in the YAML *text* of the file *path*. Raises CassetteError."""
    try:
        document = load(text)
    except YamlError as fault:
        place = say("cassette.line", line=fault.line) if fault.line else None
        raise CassetteError(path, place, say(f"cassette.yaml.{fault.what}", **fault.values)) from None
    interactions = _interactions(document.data, path)
    exchanges: list[Exchange] = []
    others = 0
    for number, interaction in enumerate(interactions, start=1):
        try:
            if is_messages(interaction):
                exchanges.append(exchange(interaction, len(exchanges), looked_for_tags=bool(document.tagged)))
            else:
                others += 1
        except ContentError as fault:
            raise CassetteError(path, _place(document, number, len(interactions)), str(fault)) from None
    if not exchanges:
        raise CassetteError(path, None, say("cassette.no_messages", others=others))
    return Recording(path, tuple(exchanges), _metadata(document.data, path), others)


def write(path: str | Path, interactions: Any, metadata: dict[str, Any]) -> None:
    """Write a cassette: *interactions* are pairs of a request and a response as vcrpy holds them.

    A request is a ``vcr.request.Request`` or a dict ``{"method", "uri", "headers", "body"}``; a response is a
    dict ``{"status": {"code", "message"}, "headers", "body": {"string": bytes}}``. Everything is scrubbed
    first (:mod:`simulator.recording.scrub`). The file is replaced in one step: whatever happens, *path* holds
    the old cassette or the new one. Equal input gives equal bytes. Raises CassetteError, and then nothing was
    written, when the result could not be read back or would hold a secret.
    """
    path = Path(path)
    try:
        save(path, interactions, metadata, check=lambda text: parse(text, path))
    except ContentError as fault:
        raise CassetteError(path, None, str(fault)) from None


def _text(path: Path) -> str:
    try:
        if path.is_dir():
            raise CassetteError(path, None, say("cassette.directory"))
        if not path.exists():
            raise CassetteError(path, None, say("cassette.missing"))
        if not path.is_file():  # A pipe or a device may never end.
            raise CassetteError(path, None, say("cassette.not_a_file"))
        if path.stat().st_size > MAX_BYTES:
            raise CassetteError(path, None, say("cassette.huge", limit=f"{MAX_BYTES // 1024**2} MB"))
        raw = path.read_bytes()
    except OSError as fault:
        raise CassetteError(path, None, say("cassette.unreadable", reason=fault.strerror or fault)) from None
    except ValueError as fault:
        if isinstance(fault, CassetteError):
            raise
        raise CassetteError(path, None, say("cassette.unreadable", reason=fault)) from None
    return _decoded(raw, path)


def _decoded(raw: bytes, path: Path) -> str:
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise CassetteError(path, say("cassette.line", line=line), say("cassette.not_utf8")) from None
    if not text.strip():
        raise CassetteError(path, None, say("cassette.empty"))
    return text


def _interactions(data: Any, path: Path) -> list[dict[str, Any]]:
    """Return the list of interactions, after checking the file's own shape."""
    if isinstance(data, list) or not isinstance(data, dict) or "interactions" not in data:
        kind = "ruby" if isinstance(data, dict) and "http_interactions" in data else "shape"
        raise CassetteError(path, None, say(f"cassette.{kind}"))
    version = data.get("version", 1)
    if type(version) is not int or version != 1:
        raise CassetteError(path, None, say("cassette.version", seen=str(version)[:20]))
    interactions = data["interactions"]
    if not isinstance(interactions, list):
        raise CassetteError(path, None, say("cassette.interactions", seen=type(interactions).__name__))
    return interactions


def _metadata(data: dict[str, Any], path: Path) -> dict[str, Any]:
    metadata = data.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise CassetteError(path, "metadata", say("cassette.metadata", seen=type(metadata).__name__))
    try:
        copied: dict[str, Any] = plain(metadata)
    except ContentError as fault:
        raise CassetteError(path, "metadata", str(fault)) from None
    return copied


def _place(document: Document, number: int, total: int) -> str:
    """Say which interaction, and the line it starts on where the parser noted it."""
    if number <= len(document.lines) == total:
        line = document.lines[number - 1]
        return say("cassette.interaction_line", number=number, total=total, line=line)
    return say("cassette.interaction", number=number, total=total)
