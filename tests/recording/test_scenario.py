import asyncio
from pathlib import Path

import pytest

from simulator import scenario, scenarios
from simulator.recording.cassette import CassetteError
from simulator.recording.scenario import BEGIN_WITH, Scenario, UnknownScenario
from tests.recording.loops import is_calm
from tests.recording.made import (
    ANSWERED,
    ASKED,
    DONE,
    MODEL,
    TASK,
    TOOLS,
    exchange,
    list_dir,
    plain_loop,
    recording,
    request,
    said,
    told,
)

# --- names and paths ----------------------------------------------------------------------------------


def test_the_shipped_scenarios_are_listed_in_order_and_each_is_found_by_its_name():
    names = scenarios()
    assert names[: len(BEGIN_WITH)] == BEGIN_WITH
    rest = names[len(BEGIN_WITH) :]
    assert list(rest) == sorted(rest)
    assert {scenario(name).name for name in names} == set(names)


def test_an_unknown_name_is_answered_with_the_nearest_and_all_names():
    with pytest.raises(UnknownScenario) as caught:
        scenario("list_than_read")
    assert caught.value.close[0] == "list_then_read"
    assert "Did you mean list_then_read" in str(caught.value)
    assert all(name in str(caught.value) for name in scenarios())


def test_the_beginning_of_a_name_is_near_to_it():
    with pytest.raises(UnknownScenario) as caught:
        scenario("list")
    assert caught.value.close[0] == "list_then_read"


def test_a_name_like_no_other_is_answered_with_all_names():
    with pytest.raises(UnknownScenario, match="nor one like it"):
        scenario("zzz")


@pytest.mark.parametrize("form", [str, Path])
def test_the_path_of_a_cassette_is_a_scenario(root, form):
    path = root / "cassettes" / "list_then_read.yaml"
    assert scenario(form(path)).title == scenario("list_then_read").title


@pytest.mark.parametrize("name", ["nowhere.yaml", "./nowhere", "folder/nowhere.yaml"])
def test_a_path_that_is_not_there_is_an_error_about_the_file(name):
    with pytest.raises(CassetteError):
        scenario(name)


# --- what it needs to run -----------------------------------------------------------------------------


def test_a_scenario_gives_what_the_first_request_asked_with():
    made = Scenario.of(list_dir())
    assert made.messages == [TASK]
    assert (made.tools, made.system, made.model, made.max_tokens) == (TOOLS, None, MODEL, 1024)


def test_an_ordinary_loop_runs_on_it_to_the_end():
    session = Scenario.of(list_dir()).start()
    assert plain_loop(session).content[0].text == "There are two files."
    assert session.replay.requests == 2


def test_both_clients_of_a_run_are_on_the_same_replay():
    session = Scenario.of(list_dir()).start()
    session.client.messages.create(**request(TASK))
    asyncio.run(session.async_client.messages.create(**request(TASK)))
    assert session.replay.requests == 2


def test_a_client_with_other_options_stays_on_the_replay():
    session = Scenario.of(list_dir()).start()
    session.client.with_options(timeout=5, max_retries=1).messages.create(**request(TASK))
    session.client.copy().messages.create(**request(TASK))
    assert session.replay.requests == 2


def test_a_run_cannot_change_the_scenario_or_the_next_run():
    made = Scenario.of(list_dir())
    session = made.start()
    session.messages[0]["content"] = "Something else."
    session.messages.append(TASK)
    session.tools.clear()
    session.handlers.clear()
    again = made.start()
    assert again.messages == [TASK]
    assert again.tools == TOOLS
    assert "list_dir" in again.handlers


def test_the_cap_can_be_chosen():
    session = Scenario.of(list_dir()).start(max_requests=1)
    session.client.messages.create(**request(TASK))
    with pytest.raises(BaseException, match="may send 1"):
        session.client.messages.create(**request(TASK))


# --- the story, and what is true without one -----------------------------------------------------------


def test_a_cassette_without_a_story_is_a_recording_named_by_its_file():
    made = Scenario.of(list_dir())
    assert (made.name, made.title, made.story) == ("made", "made", "")
    assert (made.provenance.kind, made.provenance.model, made.provenance.date) == ("recorded", MODEL, None)


def test_the_main_line_is_the_first_conversation():
    other = {"role": "user", "content": "And what time is it?"}
    made = recording(
        exchange(0, request(TASK), ASKED),
        exchange(1, request(other), DONE),
        exchange(2, request(TASK), ASKED),
        exchange(3, request(TASK, ASKED, ANSWERED), DONE),
        exchange(4, request(other, said("Noon."), told("Thanks.")), DONE),
    )
    assert Scenario.of(made).about.main == (0, 3)


def test_a_story_is_told_in_the_language_of_the_run(monkeypatch):
    made = list_dir(title="List", title_es="Listar", story="It lists.", main=[0, 1])
    assert (Scenario.of(made).title, Scenario.of(made).story) == ("List", "It lists.")
    monkeypatch.setenv("SIMULATOR_LANG", "es")
    assert (Scenario.of(made).title, Scenario.of(made).story) == ("Listar", "It lists.")


def test_a_scripted_cassette_says_so():
    made = list_dir(provenance={"kind": "scripted", "model": MODEL, "date": "2026-11-30"})
    assert Scenario.of(made).provenance.kind == "scripted"


@pytest.mark.parametrize(
    ("story", "place"),
    [
        ({"title": 7}, "metadata.scenario.title"),
        ({"main": "all"}, "metadata.scenario.main"),
        ({"main": [0, 2]}, "metadata.scenario.main"),
        ({"main": [True]}, "metadata.scenario.main"),
        ({"provenance": {"kind": "live"}}, "metadata.scenario.provenance"),
        ({"provenance": {"kind": ["scripted"]}}, "metadata.scenario.provenance"),
        ({"provenance": "scripted"}, "metadata.scenario.provenance"),
        ({"branches": {"name": "a"}}, "metadata.scenario.branches"),
        ({"branches": [{"name": "a"}]}, "metadata.scenario.branches.0"),
        ({"branches": [{"name": "a", "exchanges": [9]}]}, "metadata.scenario.branches.0.exchanges"),
        (
            {"branches": [{"name": "a", "exchanges": [0], "when": {"befor": 1}}]},
            "metadata.scenario.branches.0.when.befor",
        ),
        ({"handlers": [{"name": "a", "input": {}}]}, "metadata.scenario.handlers.0"),
        ({"skin": {"words": {"a": "b"}}}, "metadata.scenario.skin.words"),
        ({"skin": "red"}, "metadata.scenario.skin.words"),
    ],
)
def test_a_wrong_story_is_an_error_that_names_the_place(story, place):
    with pytest.raises(CassetteError) as caught:
        Scenario.of(list_dir(**story))
    assert caught.value.place == place
    assert "made.yaml" in str(caught.value)


@pytest.mark.parametrize("metadata", [{"scenario": []}, {"scenario": "x"}, {"scenario": None}])
def test_a_story_that_is_no_object_is_an_error_or_none(metadata):
    made = list_dir()
    made.metadata.update(metadata)
    if metadata["scenario"] is None:
        assert Scenario.of(made).title == "made"
    else:
        with pytest.raises(CassetteError):
            Scenario.of(made)


# --- the shipped ones ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in scenarios() if is_calm(scenario(name))])
def test_an_ordinary_loop_plays_every_calm_scenario_along_its_main_line(name):
    heard = []

    class Ear:
        def request(self, body, digest): ...

        def answered(self, answer):
            heard.append(answer.exchange)

        def stopped(self, stop): ...

        def ignored(self, stop): ...

    made = scenario(name)
    session = made.start(listener=Ear())
    messages = session.messages
    while True:
        response = session.client.messages.create(
            model=session.model, max_tokens=session.max_tokens, tools=session.tools, messages=messages
        )
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            break
        messages.append(
            {"role": "user", "content": [run(session, b) for b in response.content if b.type == "tool_use"]}
        )
    assert tuple(heard) == made.about.main


def run(session, block):
    outcome = {"type": "tool_result", "tool_use_id": block.id}
    try:
        return outcome | {"content": session.handlers[block.name](**block.input)}
    except Exception as error:
        return outcome | {"content": str(error), "is_error": True}


@pytest.mark.parametrize("nonsense", [None, 5, b"list_then_read", []])
def test_what_is_neither_a_name_nor_a_path_is_told_so(nonsense: object) -> None:
    with pytest.raises(TypeError, match=r"^A scenario is named by a text or a path"):
        scenario(nonsense)
