"""Plain data out of YAML parser events, one at a time; the rules are those of :mod:`recording.safe_yaml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MAX_DEPTH = 200
"""Most collections inside one another. The deepest of 72 real cassettes has 13."""

MAX_VALUES = 1_000_000
"""Most values in one file, each alias counted once."""

MAX_WRITTEN_OUT = 256 * 1024 * 1024
"""Most characters and values together once every alias is replaced by what it stands for."""

_PLAIN = "tag:yaml.org,2002:"
_PYTHON = _PLAIN + "python/"
_SCALARS = frozenset(f"{_PLAIN}{name}" for name in ("int", "float", "bool", "null", "binary", "timestamp"))
TEXT_TAGS = frozenset({f"{_PLAIN}str", f"{_PYTHON}str", f"{_PYTHON}unicode"})
LIST_TAGS = frozenset({f"{_PLAIN}seq", f"{_PYTHON}tuple", "!"})
DICT_TAGS = frozenset({f"{_PLAIN}map", "!"})
FILE_TAG = f"{_PYTHON}object/new:_io.BytesIO"
ITERATOR_TAG = f"{_PYTHON}object/apply:builtins.iter"


class YamlError(ValueError):
    """What is wrong (the id of a sentence in the catalogue and its values), and the line, from 1."""

    def __init__(self, what: str, line: int | None, **values: object) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.values = values


class Tagged(str):
    """The text of a node whose tag was not obeyed: its scalar, or the first scalar in it, or nothing."""

    tag: str
    line: int

    def __new__(cls, text: str, tag: str, line: int) -> Tagged:
        """Return *text* with its *tag* and *line*."""
        self = super().__new__(cls, text)
        self.tag = tag
        self.line = line
        return self


@dataclass(slots=True)
class Document:
    """The data of a file, the line of each entry of its top-level ``interactions``, and what was tagged."""

    data: Any
    lines: list[int]
    tagged: list[Tagged]


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been read."""

    into: dict[Any, Any] | list[Any]
    tag: str
    line: int
    anchor: str | None
    size: int = 1
    key: Any = None
    has_key: bool = False


@dataclass(slots=True)
class Builder:
    """Builds data from parser events, one at a time, with a stack of its own instead of Python's."""

    loader: Any
    most: int
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Any, int]] = field(default_factory=dict)
    open_anchors: set[str] = field(default_factory=set)
    document: Document = field(default_factory=lambda: Document(None, [], []))
    count: int = 0

    def _begin(self, event: Any) -> int:
        """Return the line of a value that begins, and note it where an interaction begins."""
        line: int = event.start_mark.line + 1
        if (
            len(self.stack) == 2
            and self.stack[0].key == "interactions"
            and isinstance(self.stack[1].into, list)
        ):
            self.document.lines.append(line)
        return line

    def scalar(self, event: Any) -> None:
        """Take one text, number, date …"""
        line = self._begin(event)
        value = self._scalar_value(event, line)
        self.put(value, 1 + len(event.value), event.anchor, line)

    def _scalar_value(self, event: Any, line: int) -> Any:
        from yaml import ScalarNode

        tag, text = event.tag, event.value
        if tag is None or tag == "!":
            if not event.implicit[0]:
                return text
            tag = self.loader.resolve(ScalarNode, text, event.implicit)
        if tag in TEXT_TAGS:
            return text
        if tag == "!binary":  # Ruby writes it so.
            tag = _PLAIN + "binary"
        if tag == _PLAIN + "merge":
            raise YamlError("merge", line)
        if tag not in _SCALARS:
            return self._tagged(text, tag, line)
        try:
            return self.loader.yaml_constructors[tag](self.loader, ScalarNode(tag, text))
        except Exception:  # PyYAML lets any of ValueError, KeyError, IndexError, OverflowError … through.
            raise YamlError("scalar", line, tag=tag.removeprefix(_PLAIN), seen=text[:40]) from None

    def _tagged(self, text: str, tag: str, line: int) -> Tagged:
        tagged = Tagged(text, tag.replace(_PLAIN, "!!"), line)
        self.document.tagged.append(tagged)
        return tagged

    def open(self, into: dict[Any, Any] | list[Any], event: Any) -> None:
        """Begin a mapping or list, which will be filled *into* the given one."""
        line = self._begin(event)
        if len(self.stack) >= MAX_DEPTH:
            raise YamlError("deep", line, limit=MAX_DEPTH)
        default = DICT_TAGS if isinstance(into, dict) else LIST_TAGS
        tag = event.tag or ""
        self.stack.append(_Open(into, "" if tag in default else tag, line, event.anchor))
        if event.anchor:
            self.open_anchors.add(event.anchor)

    def close(self) -> None:
        """End the mapping or list that began last."""
        top = self.stack.pop()
        value: Any = top.into
        if top.tag:
            value = self._obeyed(top)
        if top.anchor:
            self.open_anchors.discard(top.anchor)
        self.put(value, top.size, top.anchor, top.line)

    def _obeyed(self, top: _Open) -> Any:
        """Return the bytes of vcrpy's two kinds of stored request body; any other tag is not obeyed."""
        into = top.into
        if top.tag == FILE_TAG and isinstance(into, dict):
            state = into.get("state") or [b""]
            return _bytes(state[0] if isinstance(state, list) else b"")
        if top.tag == ITERATOR_TAG and isinstance(into, dict):
            arguments = into.get("args")
            parts = arguments[0] if isinstance(arguments, list) and arguments else []
            return b"".join(_bytes(part) for part in parts) if isinstance(parts, list) else b""
        first = into[0] if isinstance(into, list) and into and isinstance(into[0], str) else ""
        return self._tagged(first, top.tag, top.line)

    def alias(self, event: Any) -> None:
        """Take what an alias names."""
        line = self._begin(event)
        if event.anchor in self.open_anchors:
            raise YamlError("cycle", line, name=event.anchor)
        if event.anchor not in self.anchors:
            raise YamlError("alias", line, name=event.anchor)
        value, size = self.anchors[event.anchor]
        self.put(value, size, None, line)

    def put(self, value: Any, size: int, anchor: str | None, line: int) -> None:
        """Put a whole value where it belongs, counting what it weighs."""
        self.count += 1
        if self.count > self.most:
            raise YamlError("values", line, limit=f"{self.most:,}")
        if anchor:
            self.anchors[anchor] = (value, size)
        if not self.stack:
            self.document.data = value
            return
        top = self.stack[-1]
        top.size += size
        if top.size > MAX_WRITTEN_OUT:
            raise YamlError("bomb", line, limit=f"{MAX_WRITTEN_OUT // 1024**2} MB")
        if isinstance(top.into, list):
            top.into.append(value)
        elif top.has_key:
            top.into[top.key] = value
            top.has_key = False
        else:
            _check_key(top.into, value, line)
            top.key, top.has_key = value, True


def _check_key(mapping: dict[Any, Any], key: Any, line: int) -> None:
    if isinstance(key, (dict, list)):
        raise YamlError("key", line)
    if key in mapping:
        raise YamlError("twice", line, key=str(key)[:40])


def _bytes(part: Any) -> bytes:
    return part.encode() if isinstance(part, str) else part if isinstance(part, bytes) else b""
