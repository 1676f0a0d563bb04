"""A loop is named in many ways, and each way to miss it is one clear sentence."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from simulator.gate import target
from simulator.gate.child import GATE
from simulator.gate.messages import sentence
from simulator.gate.problems import Problem, UnloadableError
from simulator.gate.process import Process

LOOP = """
def {name}(client, messages, tools, handlers):
    return "{name}"
"""


def read(text, folder):
    try:
        return target.read(text, folder)
    except UnloadableError as unloadable:
        return unloadable.problem


class Loading:
    """Loads targets in one child, as the pool does."""

    def __init__(self, folder):
        self.folder = folder
        self.child = Process(words=(GATE,), folder=folder)

    def file(self, name, source):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return name

    def __call__(self, text):
        found = read(text, self.folder)
        if isinstance(found, Problem):
            return found
        stated = {"text": text, "file": str(found.file) if found.file else None}
        stated |= {"module": found.module, "name": found.name}
        answer = self.child.ask({"load": stated, "folder": str(self.folder), "deadline": 20}, 20)
        return Problem.from_dict(answer["problem"]) if answer["problem"] else answer["loop"]


@pytest.fixture(scope="module")
def loading(tmp_path_factory):
    made = Loading(tmp_path_factory.mktemp("user"))
    yield made
    made.child.stop()


# The ways that work


def test_a_function_of_a_file(loading):
    loading.file("agent_one.py", LOOP.format(name="run_it"))
    found = loading("agent_one.py:run_it")
    assert (found["name"], found["line"]) == ("run_it", 2)
    assert Path(found["file"]).name == "agent_one.py"


@pytest.mark.parametrize("name", ["v_1.5.py", "my-agent.py", "agent one.py"])
def test_a_file_whose_name_no_import_could_spell(name, loading):
    loading.file(name, LOOP.format(name="run_it"))
    assert loading(f"{name}:run_it")["name"] == "run_it"


def test_a_function_of_a_module_in_the_users_folder(loading):
    loading.file("parcels/__init__.py", "")
    loading.file("parcels/core.py", LOOP.format(name="deliver"))
    assert loading("parcels.core:deliver")["name"] == "deliver"


def test_a_function_of_an_installed_module(loading):
    found = loading("simulator.loop:run_agent_loop")
    assert found["name"] == "run_agent_loop"
    assert found["offers"]["steps"] == "max_iterations"


def test_a_method_of_an_object_in_a_module(loading):
    loading.file(
        "with_object.py",
        """
        class Agent:
            def run(self, client, messages, tools, handlers):
                return "done"
        agent = Agent()
        """,
    )
    assert loading("with_object.py:agent.run")["name"] == "run"


@pytest.mark.parametrize("name", ["loop", "run_agent_loop", "run"])
def test_an_adapter_file_has_a_loop_of_a_known_name(name, loading):
    loading.file(f"adapter_{name}.py", LOOP.format(name="helper") + LOOP.format(name=name))
    assert loading(f"adapter_{name}.py")["name"] == name


def test_the_only_public_function_of_an_adapter_file_is_its_loop(loading):
    source = "from os.path import join\ndef _helper(): pass\n" + LOOP.format(name="answer_mail")
    loading.file("adapter_only.py", source)
    assert loading("adapter_only.py")["name"] == "answer_mail"


@pytest.mark.parametrize(
    "source",
    [
        "async def loop(client, messages, tools, handlers): ...",
        "def loop(client, messages, tools, handlers):\n    yield 1",
        "async def loop(client, messages, tools, handlers):\n    yield 1",
        "def loop(**given): ...",
        "def loop(client, scenario): ...",
        "def loop(client, messages, tools, handlers, system, model, max_tokens, scenario): ...",
        "import functools\ndef _f(a, client, **rest): ...\nloop = functools.partial(_f, 1)",
        "class A:\n    def __call__(self, client, messages, tools, handlers): ...\nloop = A()",
    ],
)
def test_any_kind_of_function_will_do(source, loading, request):
    name = loading.file(f"kind_{abs(hash(request.node.name))}.py", source)
    assert not isinstance(loading(name), Problem)


def test_a_file_of_a_package_may_import_its_neighbours(loading):
    loading.file("depot/__init__.py", "")
    loading.file("depot/inner/__init__.py", "")
    loading.file("depot/names.py", "NAME = 'Ada'")
    loading.file("depot/inner/agent.py", "from ..names import NAME\n" + LOOP.format(name="loop"))
    assert loading("depot/inner/agent.py")["name"] == "loop"


def test_a_helper_beside_the_file_and_one_in_the_users_folder_are_found(loading):
    loading.file("beside/helper_of_the_file.py", "X = 1")
    loading.file("helper_of_the_user.py", "Y = 1")
    source = "import helper_of_the_file, helper_of_the_user\n" + LOOP.format(name="loop")
    loading.file("beside/agent_with_helpers.py", source)
    assert loading("beside/agent_with_helpers.py")["name"] == "loop"


@pytest.mark.parametrize("name", ["json", "anthropic", "email", "yaml"])
def test_a_file_with_the_name_of_a_real_module_takes_nobodys_place(name, loading):
    source = f"import sys, {name}\nassert {name}.__file__ != __file__\n" + LOOP.format(name="loop")
    loading.file(f"{name}.py", source)
    assert loading(f"{name}.py").get("name") == "loop"
    (loading.folder / f"{name}.py").unlink()


def test_a_module_of_the_user_goes_before_an_installed_one(loading):
    loading.file("iniconfig/__init__.py", LOOP.format(name="loop"))
    assert Path(loading("iniconfig:loop")["file"]).is_relative_to(loading.folder)


# The ways that do not

MISSES = {
    "form": ("", "my agent", {}),
    "no_file": ("", "nothing/like/it.py", {}),
    "no_module": ("", "no_such_module:run", {"missing": "no_such_module"}),
    "needs_package": ("\nimport no_such_package", "?.py", {"missing": "no_such_package", "line": 2}),
    "syntax": ("x = 1\ndef loop(client:\n    pass", "?.py", {"line": 2}),
    "import": ("x = 1\n\n1 / 0", "?.py", {"type": "ZeroDivisionError", "line": 3}),
    "exits": ("import sys\nsys.exit('bye')", "?.py", {"error": "'bye'", "line": 2}),
    "no_function": ("x = 1", "?.py:run", {"known": "–"}),
    "no_function_near": (LOOP.format(name="run_agent"), "?.py:run_agnt", {"near": "run_agent"}),
    "no_loop": ("x = 1", "?.py", {}),
    "several": (LOOP.format(name="one") + LOOP.format(name="two"), "?.py", {"known": "one, two"}),
    "not_callable": ("loop = 3", "?.py:loop", {"kind": "int"}),
    "class": ("class Agent: ...", "?.py:Agent", {"name": "Agent"}),
    "method": ("class Agent:\n    def run(self, client): ...", "?.py:Agent.run", {"name": "Agent.run"}),
    "no_signature": ("loop = max", "?.py:loop", {}),
    "renamed": ("def loop(client, history, tools, handlers): ...", "?.py", {"near": "messages"}),
    "needs": ("def loop(client, messages, tools, handlers, vault): ...", "?.py", {"parameter": "vault"}),
    "no_client": ("def loop(messages, tools, handlers): ...", "?.py", {"name": "loop"}),
    "no_part": ("def loop(client, messages): ...", "?.py", {"missing": "tools, handlers"}),
}


@pytest.mark.parametrize("code", MISSES)
def test_each_way_to_miss_has_its_sentence(code, loading):
    source, text, facts = MISSES[code]
    name = loading.file(f"miss_{code}.py", source)
    problem = loading(text.replace("?.py", name))
    assert problem.code == f"gate.target.{code}"
    assert facts.items() <= problem.facts.items()
    for lang in ("en", "es"):
        told = sentence(problem, lang)
        assert "\n" not in told
        assert all(str(value) in told for value in facts.values())


def test_a_file_that_is_almost_named_is_offered(tmp_path):
    (tmp_path / "my_agent.py").write_text("", encoding="utf-8")
    problem = read("my_agnt.py:run", tmp_path)
    assert problem.code == "gate.target.no_file_near"
    assert sentence(problem) == "There is no file my_agnt.py. Beside it there is my_agent.py."


@pytest.mark.parametrize("text", ["", ":", "loop", "a.b", ":run", "a:", "a b:run", "a.py:", "a:1x"])
def test_words_that_name_no_loop_are_wrong_usage(text, tmp_path):
    problem = read(text, tmp_path)
    assert problem.code in target.USAGE


def test_an_error_in_a_helper_is_told_where_it_is(loading):
    loading.file("broken_helper.py", "a = 1\nb = 2\nraise ValueError('no vault')")
    loading.file("agent_broken_helper.py", "import broken_helper\n" + LOOP.format(name="loop"))
    problem = loading("agent_broken_helper.py")
    assert sentence(problem) == (
        "agent_broken_helper.py could not be loaded: ValueError: no vault (broken_helper.py, line 3). "
        "That line runs while the file is loaded, before any function is called."
    )


def test_reading_a_target_imports_nothing_of_the_user(tmp_path):
    (tmp_path / "agent.py").write_text("print('imported')", encoding="utf-8")
    script = "from simulator.gate import target; target.read('agent.py:run')"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
