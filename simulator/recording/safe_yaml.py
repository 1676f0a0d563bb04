"""YAML from strangers, read as plain data.

Rules of this file:

1. Nothing is ever constructed but dict, list, str, bytes, int, float, bool, None and dates. A node with any
   other tag becomes :class:`Tagged`, a text that remembers its tag; who needs the value refuses it.
2. The tags that vcrpy's own safe loader reads (``python/str``, ``python/tuple``, ``BytesIO``, ``iter``) are
   read as the same data; a test compares the two. vcrpy itself is not imported: that takes 0.3 s.
3. Limits hold while reading, not after: nesting, number of values, and the size with every alias written out.
4. A key that stands twice in one mapping, a merge key and an alias to its own container are faults.
"""

from __future__ import annotations

from typing import Any

from simulator.recording.yaml_builder import MAX_DEPTH, MAX_VALUES, Builder, Document, Tagged, YamlError

__all__ = ["Document", "Tagged", "YamlError", "load"]


def load(text: str, *, max_values: int = MAX_VALUES) -> Document:
    """Return the data of the one YAML document in *text*. Raises YamlError."""
    import yaml

    loader_class: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loader = loader_class(text)
        builder = Builder(loader, max_values)
        try:
            _drive(loader, builder)
        finally:
            loader.dispose()
    except yaml.YAMLError as fault:
        raise _parser_fault(fault, text) from None
    except RecursionError:
        raise YamlError("deep", None, limit=MAX_DEPTH) from None
    return builder.document


def _drive(loader: Any, builder: Builder) -> None:
    from yaml import events

    documents = 0
    while (event := loader.get_event()) is not None:
        match event:
            case events.ScalarEvent():
                builder.scalar(event)
            case events.MappingStartEvent():
                builder.open({}, event)
            case events.SequenceStartEvent():
                builder.open([], event)
            case events.MappingEndEvent() | events.SequenceEndEvent():
                builder.close()
            case events.AliasEvent():
                builder.alias(event)
            case events.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    raise YamlError("documents", start.line + 1 if (start := event.start_mark) else None)
            case events.StreamEndEvent():
                return
            case _:
                pass  # the start of the stream, the end of a document


def _parser_fault(fault: Any, text: str) -> YamlError:
    """The parser's own words and line. They name no file: the text was given, not read."""
    mark, position = getattr(fault, "problem_mark", None), getattr(fault, "position", None)
    line = None
    if mark is not None:
        line = mark.line + 1
    elif isinstance(position, int):  # a character that YAML does not allow; libyaml counts bytes
        line = text.encode("utf-8")[:position].count(b"\n") + 1
    said = str(getattr(fault, "problem", None) or getattr(fault, "reason", None) or "?")
    if "nesting depth" in said:
        return YamlError("deep", line, limit=MAX_DEPTH)
    return YamlError("yaml", line, said=said)
