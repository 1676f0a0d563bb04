"""Ids in the API's formats and token figures, the same every time they are made.

Rules of this file:

1. An id comes from words (the screenplay's name, the place of the answer in it), so that a branch added later
   changes no other id.
2. A token figure is an estimate and nothing more: one token for every :data:`BYTES_PER_TOKEN` bytes of
   UTF-8, rounded up. A request is counted as the compact JSON of what it carries to the model (``system``,
   ``tools``, ``messages``), an answer as its texts and thoughts, the names of its calls and the compact JSON
   of their inputs.
"""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Mapping
from typing import Any

BYTES_PER_TOKEN = 4

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_FORMS = {
    "toolu": ("toolu_01", 22),
    "msg": ("msg_01", 22),
    "req": ("req_011C", 20),
    "srvtoolu": ("srvtoolu_01", 22),
}


def mint(form: str, *words: object) -> str:
    """Return the id that *words* stand for: *form* is ``toolu``, ``srvtoolu``, ``msg`` or ``req``."""
    prefix, length = _FORMS[form]
    number = int.from_bytes(
        hashlib.sha256("/".join(map(str, (form, *words))).encode("utf-8")).digest(), "big"
    )
    letters = []
    for _ in range(length):
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return prefix + "".join(letters)


def compact(value: object) -> str:
    """Return *value* as JSON the way it goes over the wire: no spaces, keys in their own order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size(text: str) -> int:
    """Return the length of *text* in bytes of UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def tokens(count: int) -> int:
    """Return the estimated tokens in *count* bytes."""
    return -(-count // BYTES_PER_TOKEN)


def input_tokens(body: Mapping[str, Any]) -> int:
    """Return the estimated tokens of the request *body*."""
    return tokens(size(compact({key: body[key] for key in ("system", "tools", "messages") if key in body})))


def answer_size(content: list[dict[str, Any]]) -> int:
    """Return the bytes of an answer's *content* that count as output."""
    total = 0
    for block in content:
        total += sum(size(str(block.get(key, ""))) for key in ("thinking", "text", "name"))
        total += size(compact(block["input"])) if "input" in block else 0
    return total


def output_tokens(content: list[dict[str, Any]]) -> int:
    """Return the estimated tokens of an answer with this *content*, at least 1."""
    return max(1, tokens(answer_size(content)))


def cut_text(text: str, *, to: int) -> str:
    """Return the longest start of *text* that is at most *to* bytes of UTF-8."""
    return text.encode("utf-8")[: max(0, to)].decode("utf-8", "ignore")
