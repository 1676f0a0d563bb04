"""What the linter reads out of a module: its agent loops, and what is in its names. It never fails."""

import ast

import pytest

from simulator.contract.lint.facts import Module, read
from simulator.contract.lint.rules import RULES
from simulator.contract.lint.studies import ways
from simulator.contract.lint.truths import TOOL_USE, World

ASK = 'client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)'
LOOP = f"""
def run(client, messages, tools, handlers, turns):
    for _ in range(turns):
        response = {ASK}
        if response.stop_reason != "tool_use":
            return response
        calls = [b for b in response.content if b.type == "tool_use"]
        results = []
        for c in calls:
            output = handlers[c.name](c.input)
            results.append({{"type": "tool_result", "tool_use_id": c.id, "content": output}})
        messages.append({{"role": "assistant", "content": response.content}})
        messages.append({{"role": "user", "content": results}})
"""


def named(module, name):
    """Return what the last node of that source may be."""
    found = [n for n in ast.walk(module.tree) if isinstance(n, ast.expr) and module.text(n) == name]
    return module.of(found[-1])


def test_it_knows_what_is_in_a_name():
    module = read(LOOP, "x.py")
    assert named(module, "response") == {"response"}
    assert named(module, "response.content") == {"*block"}
    assert named(module, "response.stop_reason") == {"signal"}
    assert named(module, "calls") == {"*call"}
    assert "*result" in named(module, "results")


def test_it_knows_the_loop_its_function_and_its_request():
    (loop,) = read(LOOP, "x.py").loops
    assert loop.function.name == "run"
    assert isinstance(loop.node, ast.For)
    assert [ask.lineno for ask in loop.asks] == [4]
    assert not loop.recursive


@pytest.mark.parametrize(
    "ask",
    [
        "await client.messages.create(model=m, max_tokens=9, messages=messages, tools=tools)",
        "client.beta.messages.create(**body)",
        "client.messages.with_raw_response.create(**body).parse()",
        "await asyncio.to_thread(client.messages.create, **body)",
        "functools.partial(client.messages.create, tools=tools)(messages=messages)",
        "retry(lambda: client.messages.create(**body))",
    ],
)
def test_it_knows_a_request_by_every_spelling(ask):
    source = LOOP.replace("def run", "async def run").replace(ASK, ask)
    module = read(source, "x.py")
    assert len(module.loops) == 1
    assert "response" in named(module, "response")


@pytest.mark.parametrize(
    "ask",
    [
        "client.chat.completions.create(model=m, messages=messages, tools=tools)",
        "client.beta.threads.messages.create(thread_id=1, role='user', content='x')",
        "twilio.messages.create(body='x', to='1', from_='2')",
    ],
)
def test_the_requests_of_other_apis_are_none(ask):
    assert read(LOOP.replace(ASK, ask), "x.py").loops == ()


def test_a_loop_over_tasks_is_not_the_agent_loop_within_it():
    outer = (
        f"{LOOP}\ndef all(client, tasks, tools):\n    while True:\n        run(client, tasks, tools, 1, 3)\n"
    )
    assert [loop.node.lineno for loop in read(outer, "x.py").loops] == [3]


def test_a_way_ends_at_the_next_request_or_at_the_end():
    module = read(LOOP, "x.py")
    (loop,) = module.loops
    called, ended = ways(module, loop, TOOL_USE), ways(module, loop, World("end_turn"))
    assert [each.kind for each in called.exits] == ["next", "again"]
    assert called.exits[-1].way.done >= {"answer", "results"}
    assert [(each.kind, each.way.certain) for each in ended.exits] == [("return", True)]


ODD = f"""
def f(x, /, y=lambda: (yield), *a, z: 1 = 2, **k):
    match x:
        case [a, *_, {{'k': v, **r}}] | (A(b=v) as a) if v:
            pass
    while 1:
        try:
            {ASK}
        except* E:
            pass
        else:
            break
        finally:
            del k
"""


def deep_if(levels):
    head = f"def run(client, messages, tools, handlers):\n    while True:\n        r = {ASK}\n"
    lines = [" " * (8 + n) + "if r.stop_reason == 'tool_use':" for n in range(levels)]
    return (
        head
        + "\n".join([*lines, " " * (8 + levels) + "handlers[r.content[0].name](r.content[0].input)"])
        + "\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "",
        "messages.create()",
        "x = client.messages.create",
        "class A:\n    x = client.messages.create(messages=[])\n",
        LOOP + "x = " + "+".join(["response"] * 700) + "\n",
        LOOP + "x = " + "(" * 80 + "client.messages.create(messages=x)" + ")" * 80 + "\n",
        LOOP + "x = client" + ".messages" * 900 + ".create(messages=1)\n",
        LOOP + "\n".join(f"if a{n}: b = response" for n in range(400)) + "\n",
        deep_if(80),
        f"while True:\n    r = {ASK}\n    if r.content[0].type == 'tool_use': h(r.content[0].input)\n",
        f"def f(self):\n    return f(f) or g\ng = f\nf = g\nfor f in f: f = {ASK}\n",
        f"async def f():\n async for x in y:\n  async with {ASK} as (a, *b):\n   yield a.b[0]['c':]",
        ODD,
        f"@d(x := {ASK})\nclass A(B := C, metaclass=M):\n    def run(): return A.run()\n    run = run\n",
    ],
)
def test_it_reads_whatever_python_reads(source):
    module = Module(source, ast.parse(source), "x.py")
    for _, check in RULES.values():
        list(check(module))


def test_a_loop_with_too_many_ways_is_left_alone():
    helpers = (
        "".join(f"def h{n}(a):\n" + f"    h{n + 1}(a)\n" * 12 for n in range(9)) + "def h9(a):\n    a = 1\n"
    )
    module = read(
        LOOP.replace("    for _", "    h0(1)\n    for _").replace("results = []", "h0(2)") + helpers, "x.py"
    )
    (loop,) = module.loops
    assert ways(module, loop, TOOL_USE) is None
    assert [finding for _, check in RULES.values() for finding in check(module)] == []


def test_places_are_in_characters():
    module = read('é = "ñandú"; x = 1\n', "x.py")
    place = module.place(module.tree.body[1])
    assert (place.line, place.column, place.end_column) == (1, 14, 19)
