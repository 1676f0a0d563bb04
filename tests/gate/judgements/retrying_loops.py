"""Loops that differ in what they do when the API fails: right ones and wrong ones, all ordinary otherwise."""

import asyncio
import copy
import random
import threading
import time

import anthropic

MODEL = {"model": "claude-sonnet-5-5", "max_tokens": 1024}
PASSING = (408, 409, 429, 500, 502, 503, 504, 529)


def results(response, handlers):
    return [
        {"type": "tool_result", "tool_use_id": block.id, "content": handlers[block.name](**block.input)}
        for block in response.content
        if block.type == "tool_use"
    ]


def ordinary(ask, client, messages, tools, handlers):
    """Run an ordinary loop whose requests are sent by ``ask(client, request)``."""
    history = copy.deepcopy(messages)
    while True:
        response = ask(client, {**MODEL, "messages": history, "tools": tools})
        history.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        history.append({"role": "user", "content": results(response, handlers)})


def asked_for(error):
    """Return the seconds that *error* asks to wait, or None."""
    value = error.response.headers.get("retry-after")
    return float(value) if value else None


def passes(error):
    return error.status_code in PASSING


def trying(client, request, pause, tries):
    """Ask up to so many times, ``pause(error, attempt)`` in between."""
    quiet = client.with_options(max_retries=0)
    for attempt in range(tries):
        try:
            return quiet.messages.create(**request)
        except anthropic.APIStatusError as error:
            if not passes(error) or attempt == tries - 1:
                raise
            pause(error, attempt)
    raise AssertionError("the last try returns or raises")


# --- right -----------------------------------------------------------------------------------------------


def leaves_it_to_the_sdk(client, messages, tools, handlers):
    return ordinary(lambda c, request: c.messages.create(**request), client, messages, tools, handlers)


def with_full_jitter(client, messages, tools, handlers):
    def pause(error, attempt):
        time.sleep(asked_for(error) or random.uniform(0, min(20, 2**attempt)))

    return ordinary(lambda c, request: trying(c, request, pause, 7), client, messages, tools, handlers)


def always_two_seconds(client, messages, tools, handlers):
    def pause(error, attempt):
        time.sleep(max(2.0, asked_for(error) or 0))

    return ordinary(lambda c, request: trying(c, request, pause, 5), client, messages, tools, handlers)


def waits_on_an_event(client, messages, tools, handlers):
    """It can be woken; nobody wakes it."""
    stop = threading.Event()

    def pause(error, attempt):
        stop.wait(asked_for(error) or 0.6)

    return ordinary(lambda c, request: trying(c, request, pause, 2), client, messages, tools, handlers)


def once_at_once_then_slowly(client, messages, tools, handlers):
    """The first try again comes at once, where nothing was said: a dropped connection is over by then."""

    def pause(error, attempt):
        time.sleep(asked_for(error) or (0, 1, 2, 4)[attempt])

    return ordinary(lambda c, request: trying(c, request, pause, 5), client, messages, tools, handlers)


def by_recursion(client, messages, tools, handlers):
    def ask(c, request, tried=0):
        try:
            return c.with_options(max_retries=0).messages.create(**request)
        except anthropic.APIStatusError as error:
            if not passes(error) or tried == 3:
                raise RuntimeError(f"the API is not there: {error.status_code}") from error
            time.sleep(asked_for(error) or 2**tried)
            return ask(c, request, tried + 1)

    return ordinary(ask, client, messages, tools, handlers)


def twice_around_the_sdk(client, messages, tools, handlers):
    def ask(c, request):
        try:
            return c.messages.create(**request)
        except (anthropic.RateLimitError, anthropic.InternalServerError):
            time.sleep(5)
            return c.messages.create(**request)

    return ordinary(ask, client, messages, tools, handlers)


async def in_an_event_loop(client, messages, tools, handlers):
    history = copy.deepcopy(messages)
    quiet = client.with_options(max_retries=0)

    async def ask(tried=0):
        try:
            return await quiet.messages.create(**MODEL, messages=history, tools=tools)
        except anthropic.APIStatusError as error:
            if not passes(error) or tried == 4:
                raise
            await asyncio.sleep(asked_for(error) or 2**tried)
            return await ask(tried + 1)

    while True:
        response = await ask()
        history.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            return response
        history.append({"role": "user", "content": results(response, handlers)})


def returns_what_happened(client, messages, tools, handlers):
    try:
        response = ordinary(
            lambda c, request: c.messages.create(**request), client, messages, tools, handlers
        )
    except anthropic.APIStatusError as error:
        return {"ok": False, "why": f"API {error.status_code}", "text": None}
    return {"ok": True, "why": None, "text": response.content[-1].text}


def takes_another_model(client, messages, tools, handlers):
    def ask(c, request):
        try:
            return c.messages.create(**request)
        except (anthropic.NotFoundError, anthropic.InternalServerError):
            return c.messages.create(**request | {"model": "claude-haiku-5-5"})

    return ordinary(ask, client, messages, tools, handlers)


# --- wrong -----------------------------------------------------------------------------------------------


def gives_up_at_once(client, messages, tools, handlers):
    """retries.asks_again_later: retries.gave_up"""
    return ordinary(lambda c, r: trying(c, r, None, 1), client, messages, tools, handlers)


def tells_the_model(client, messages, tools, handlers):
    """retries.asks_again_later: retries.changed"""

    def ask(c, request):
        try:
            return c.with_options(max_retries=0).messages.create(**request)
        except anthropic.APIStatusError as error:
            if not passes(error):
                raise
            time.sleep(5)
            request["messages"].append(
                {"role": "user", "content": f"The API failed ({error}). Please go on."}
            )
            return c.messages.create(**request)

    return ordinary(ask, client, messages, tools, handlers)


def asks_for_less(client, messages, tools, handlers):
    """retries.asks_again_later: retries.settings"""

    def ask(c, request):
        def pause(error, attempt):
            request["max_tokens"] = 256
            time.sleep(asked_for(error) or 1)

        quiet = c.with_options(max_retries=0)
        try:
            return quiet.messages.create(**request)
        except anthropic.APIStatusError as error:
            if not passes(error):
                raise
            pause(error, 0)
            return c.messages.create(**request)

    return ordinary(ask, client, messages, tools, handlers)


def counts_down(client, messages, tools, handlers):
    """retries.backs_off: retries.shrinking"""

    def pause(error, attempt):
        time.sleep(asked_for(error) or 8 / 2**attempt)

    return ordinary(lambda c, request: trying(c, request, pause, 6), client, messages, tools, handlers)


def never_gives_up(client, messages, tools, handlers):
    """retries.gives_up_in_time: retries.endless"""

    def pause(error, attempt):
        time.sleep(asked_for(error) or min(60, 2**attempt))

    return ordinary(lambda c, request: trying(c, request, pause, 10**6), client, messages, tools, handlers)


def comes_back_with_what_it_has(client, messages, tools, handlers):
    """retries.gives_up_in_time: retries.silent"""
    history, response = copy.deepcopy(messages), None
    while response is None or response.stop_reason == "tool_use":
        try:
            response = client.messages.create(**MODEL, messages=history, tools=tools)
        except anthropic.APIStatusError:
            return response
        history.append({"role": "assistant", "content": response.content})
        history.append({"role": "user", "content": results(response, handlers)})
    return response


def asks_the_model_about_a_refusal(client, messages, tools, handlers):
    """retries.fails_at_once: retries.went_on"""

    def ask(c, request):
        try:
            return c.messages.create(**request)
        except anthropic.APIStatusError as error:
            if passes(error):
                raise
            request["messages"].append({"role": "user", "content": f"The API says: {error}. Try otherwise."})
            return c.messages.create(**request)

    return ordinary(ask, client, messages, tools, handlers)


def shrugs(client, messages, tools, handlers):
    """retries.fails_at_once: retries.hushed"""
    try:
        return leaves_it_to_the_sdk(client, messages, tools, handlers)
    except anthropic.APIStatusError as error:
        if passes(error):
            raise
        return ""


def does_the_step_again(client, messages, tools, handlers):
    """retries.runs_tools_once: retries.twice"""
    history = copy.deepcopy(messages)
    quiet = client.with_options(max_retries=0)

    def step(said, tried=0):
        new = [{"role": "user", "content": results(said, handlers)}] if said else []
        try:
            return new, quiet.messages.create(**MODEL, messages=history + new, tools=tools)
        except anthropic.APIStatusError as error:
            if not passes(error) or tried == 3:
                raise
            time.sleep(asked_for(error) or 1)
            return step(said, tried + 1)

    response = None
    while response is None or response.stop_reason == "tool_use":
        new, response = step(response)
        history += [*new, {"role": "assistant", "content": response.content}]
    return response
