"""Every exchange with POST /v1/messages in the shared recordings, whatever wrote them.

Read are vcrpy cassettes (also with ``parsed_body``), VCR files of Ruby and R (``http_interactions``),
go-vcr files, and JSON snapshots. Loaders are safe: tags of Python and Ruby become plain data.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml


@dataclass(frozen=True)
class Exchange:
    """One request and what was answered: its status, and the response body where that is JSON."""

    file: Path
    index: int
    request: Any
    status: int
    response: Any

    def __str__(self) -> str:
        return f"{self.file.parent.name}/{self.file.name}#{self.index}"


def exchanges(folder: Path) -> Iterator[Exchange]:
    """Yield the Messages exchanges of every recording below *folder*, files in order of their names."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".yaml", ".yml", ".json"):
            for index, entry in enumerate(_entries(path)):
                request, response = entry["request"], entry["response"]
                if _is_message(request):
                    yield Exchange(path, index, _body(request), _status(response), _body(response))


def _entries(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    # Loader derives from SafeLoader and adds no objects to it: whatever the file says becomes plain data.
    data = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=Loader)
    if isinstance(data, list):
        return data
    for key in ("interactions", "http_interactions"):
        if key in data:
            return list(data[key])
    return [data]


def _is_message(request: dict[str, Any]) -> bool:
    address = urlsplit(str(request.get("uri") or request.get("url")))
    return str(request["method"]).upper() == "POST" and address.path.endswith("/v1/messages")


def _status(response: dict[str, Any]) -> int:
    """Return the status: a number, ``{"code": …}``, or go-vcr's ``code`` beside a line of text."""
    for value in (response.get("code"), response.get("status_code"), response.get("status")):
        if isinstance(value, dict):
            return int(value["code"])
        if isinstance(value, int):
            return value
    raise ValueError(f"no status in a response with {sorted(response)}")


def _body(message: dict[str, Any]) -> Any:
    """Return the body as JSON where it is JSON, else as text."""
    body = message.get("parsed_body", message.get("body"))
    if isinstance(body, dict) and body.keys() & {"string", "base64_string"}:
        body = body.get("string", body.get("base64_string"))
    if isinstance(body, bytes):
        body = (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode("utf-8", "replace")
    if not isinstance(body, str):
        return body
    try:
        return json.loads(body)
    except ValueError:
        return body


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """PyYAML's safe loader (the quick one, where it was built) with two kinds of tags read as plain data."""


def _tagged(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> Any:
    """Return the plain data of a node with a tag of Python; a call of one argument is that argument."""
    if isinstance(node, yaml.SequenceNode):
        arguments = loader.construct_sequence(node, deep=True)
        return arguments[0] if re.match("object/", suffix) and len(arguments) == 1 else tuple(arguments)
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_scalar(node)


Loader.add_multi_constructor("tag:yaml.org,2002:python/", _tagged)
Loader.add_constructor("!binary", lambda loader, node: base64.b64decode(loader.construct_scalar(node)))
