"""A small screenplay whose turns a test writes, and the ways to ask for its answers."""

from pathlib import Path

from simulator.recording.record import record
from simulator.recording.scenario import Scenario, scenario

HEAD = """\
screenplay: 1
title: Berths
title_es: Amarres
story: The harbor office asks which berth is free.
story_es: La oficina del puerto pregunta qué amarre está libre.
written: '2026-11-30'
model: claude-sonnet-5-5
max_tokens: 256
skin:
  Saltholm: [Saltholm, Brandsey, Kornholm]
  "41": ["41", "57", "63"]
tools:
  - name: berth
    description: Say who lies at a berth.
    input_schema: {type: object, properties: {number: {type: integer}}, required: [number]}
task: Who lies at berth 7 of Saltholm?
"""


SEARCH = HEAD.replace("tools:\n", "tools:\n  - {type: web_search_20250305, name: web_search, max_uses: 2}\n")


def made(folder: Path, rest: str, head: str = HEAD) -> Scenario:
    """Return the scenario of the screenplay *head* + *rest*, recorded in *folder*."""
    source = folder / "berths.yaml"
    source.write_text(head + rest, encoding="utf-8")
    record(source, folder / "out" / "berths.yaml")
    return scenario(folder / "out" / "berths.yaml")


def called(result: str, *, then: str = "") -> str:
    return f"turns:\n  - calls: [{{tool: berth, input: {{number: 7}}, result: {result}}}]\n{then}"


THEN = "  - text: The Marie lies there.\n"


def ask(session, *messages, **more):
    return session.client.messages.create(
        model=session.model,
        max_tokens=session.max_tokens,
        tools=session.tools,
        messages=[*session.messages, *messages],
        **more,
    )


def streamed(session, *messages):
    with session.client.messages.stream(
        model=session.model,
        max_tokens=session.max_tokens,
        tools=session.tools,
        messages=[*session.messages, *messages],
    ) as stream:
        return stream.get_final_message()


def tool_turns(session, asking):
    first = asking(session).content
    result = {"type": "tool_result", "tool_use_id": first[0].id, "content": "The Marie."}
    return [{"role": "assistant", "content": first}, {"role": "user", "content": [result]}]
