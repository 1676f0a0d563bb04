"""Cassettes as YAML that a person can read: a serializer for vcrpy.

Rules of this file:

1. The form is vcrpy's; keys stand in reading order, metadata first.
2. A body of several lines (a stream) is a literal block, any other stays on one line, as it was on the wire.
   Characters that nobody sees are escapes.
3. Equal input gives equal text on every machine. So PyYAML's own emitter writes the frame, not libyaml, which
   escapes emoji and is not there everywhere. It needs 4 s for a megabyte; bodies are therefore put in here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_NOT_READABLE = re.compile(
    r"[^\n\x20-\x7e\xa0-\u2027\u202f-\u205f\u2070-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""What nobody sees, and what a YAML reader may take for a line end."""

_PLACE = re.compile(r"^( *)(body|string): BODY$", re.MULTILINE)


class Readable:
    """What ``vcr.serialize.serialize`` takes as its serializer."""

    @staticmethod
    def serialize(data: dict[str, Any]) -> str:
        """Return the cassette *data*, as vcrpy puts it together, as YAML text."""
        head = {key: data[key] for key in ("version", "metadata") if key in data}
        interactions = "".join(_interaction(each) for each in data["interactions"])
        return _dump(head) + ("interactions:\n" + interactions if interactions else "interactions: []\n")


def scalar(text: str, indent: int) -> str:
    """Return *text* as the YAML value of a key, with the lines of a block indented by *indent* spaces."""
    if _NOT_READABLE.search(text):
        quoted = json.dumps(text, ensure_ascii=False)  # JSON's escapes are YAML's too.
        return _NOT_READABLE.sub(_escape, quoted)
    if "\n" not in text:
        return "'" + text.replace("'", "''") + "'"
    if text[0] in " \n" or " \n" in text or text.endswith(" "):
        return json.dumps(text, ensure_ascii=False)
    chomp = "-" if not text.endswith("\n") else "+" if text.endswith("\n\n") else ""
    lines = text.removesuffix("\n").split("\n")
    return f"|{chomp}\n" + "\n".join(" " * indent + line if line else "" for line in lines)


def _interaction(each: Mapping[str, Any]) -> str:
    """Return one entry of the list, its bodies in their places."""
    request, response = dict(each["request"]), dict(each["response"])
    bodies: list[str] = []
    if isinstance(request.get("body"), str):
        bodies.append(request["body"])
        request["body"] = "BODY"
    if isinstance(response["body"]["string"], str):
        bodies.append(response["body"]["string"])
        response["body"] = {"string": "BODY"}
    frame = _dump(
        [
            {
                "request": {key: request[key] for key in ("method", "uri", "headers", "body")},
                "response": {key: response[key] for key in ("status", "headers", "body")},
            }
        ]
    )
    waiting = iter(bodies)
    return _PLACE.sub(lambda hit: f"{hit[1]}{hit[2]}: {scalar(next(waiting), len(hit[1]) + 2)}", frame)


def _dump(value: Any) -> str:
    """Return *value* as block YAML: long lines, UTF-8, no aliases. Only plain data is written."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: Any, data: str) -> Any:
        style = '"' if "\n" in data or _NOT_READABLE.search(data) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    Dumper.add_representer(str, text)
    written: str = yaml.dump(
        value, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=float("inf"), line_break="\n"
    )
    return written


def _escape(hit: re.Match[str]) -> str:
    code = ord(hit.group())
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
