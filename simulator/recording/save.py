"""Write a cassette through vcrpy's serializer: scrubbed, checked, and in one step.

Rules of this file:

1. The form is vcrpy's (``version: 1``); stock vcrpy plays what is written here.
2. Nothing is written before everything is scrubbed, searched for secrets and read back.
3. The file is put in its place in one step (``simulator.files``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from simulator import files
from simulator.recording.plain import ContentError
from simulator.recording.readable import Readable
from simulator.recording.scrub import Scrubber, scrub_request, scrub_response
from simulator.recording.scrub_policy import secret_in
from simulator.text import say


def save(
    path: Path,
    interactions: Iterable[tuple[Any, Mapping[str, Any]]],
    metadata: Mapping[str, Any],
    *,
    check: Callable[[str], object],
) -> None:
    """Write *interactions* and *metadata* to *path* (see ``cassette.write``), once *check* accepts the text.

    Raises ContentError when there is something that cannot or must not be written; *check* may raise its own.
    """
    text = render(interactions, metadata)
    check(text)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.put(path, text.encode("utf-8"))
    except OSError as fault:
        raise ContentError(say("cassette.unwritable", reason=fault.strerror or fault)) from None


def render(interactions: Iterable[tuple[Any, Mapping[str, Any]]], metadata: Mapping[str, Any]) -> str:
    """Return the YAML text of a cassette, scrubbed. Raises ContentError."""
    from vcr.request import Request  # type: ignore[import-untyped]  # vcrpy ships no types
    from vcr.serialize import serialize  # type: ignore[import-untyped]  # vcrpy ships no types

    scrubber = Scrubber()
    requests, responses = [], []
    for number, (request, response) in enumerate(interactions, start=1):
        try:
            clean = scrub_request(request._to_dict() if isinstance(request, Request) else request, scrubber)
            answer = scrub_response(response, scrubber)
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            raise ContentError(say("cassette.unscrubbable", number=number, reason=repr(fault))) from None
        _refuse_secrets(f"{clean['uri']}\n{clean['headers']}\n", clean["body"], number)
        _refuse_secrets(f"{answer['headers']}\n", answer["body"]["string"], number)
        requests.append(Request(**clean))
        responses.append(answer)
    text: str = serialize(
        {"requests": requests, "responses": responses, "metadata": dict(metadata)}, Readable
    )
    if kind := secret_in(text):
        raise ContentError(say("cassette.secret", kind=say(f"cassette.secrets.{kind}"), place="metadata"))
    return text


def _refuse_secrets(head: str, body: bytes | None, number: int) -> None:
    if kind := secret_in(head + (body or b"").decode("utf-8", "replace")):
        raise ContentError(
            say(
                "cassette.secret",
                kind=say(f"cassette.secrets.{kind}"),
                place=say("cassette.interaction", number=number, total="…"),
            )
        )
