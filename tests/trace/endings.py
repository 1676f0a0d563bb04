"""Loops that end in every way a loop can end. The comments at line ends are marks that tests look for."""

import contextlib
import sys
import threading
import time

from tests.trace.shapes import ask


def crashes(client, messages, tools, handlers):
    response = ask(client, messages, tools)
    return helper(response)  # calls the helper


def helper(response):
    return response.contents  # crashes here


def exits(client, messages, tools):
    ask(client, messages, tools)
    sys.exit("enough")  # exits here


def is_interrupted(client, messages, tools):
    ask(client, messages, tools)
    raise KeyboardInterrupt


def recurses_without_end(messages):
    return recurses_without_end(messages)


def asks_in_a_recursion_without_end(client, messages, tools):
    ask(client, messages, tools)
    return asks_in_a_recursion_without_end(client, messages, tools)


class Odd(BaseException):
    def __str__(self):
        raise RuntimeError("no text for you")


def raises_something_odd(client, messages, tools):
    raise Odd


def forgets_to_append(client, messages, tools, handlers):
    while True:
        response = ask(client, messages, tools)  # asks again
        if response.stop_reason != "tool_use":
            return response
        for block in response.content:
            if block.type == "tool_use":
                handlers[block.name](**block.input)


def swallows_everything(client, messages, tools):
    for _ in range(100):
        try:
            ask(client, messages, tools)
        except BaseException:
            continue
    return "done"


def sends_something_new(client, messages, tools):
    messages.append({"role": "user", "content": "And the weather?"})
    return ask(client, messages, tools)


def breaks_a_rule(client, messages, tools):
    messages[0]["content"] = ""
    return ask(client, messages, tools)


def reads_another_file(client, messages, tools, handlers):
    ask(client, messages, tools)
    try:
        return handlers["read_file"](path="/etc/passwd")
    except Exception:
        return "swallowed"


def never_asks(messages):
    n = 0
    while True:
        n += 1


async def waits_for_ever(messages):
    import asyncio

    await asyncio.Event().wait()


def sleeps_in_small_steps(messages):
    while True:
        time.sleep(0.01)


def asks_from_a_thread(client, messages, tools):
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(ask(client, messages, tools)))  # in a thread
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(answers)


def prints_a_lot(client, messages, tools):
    for n in range(5000):
        print("line", n)
    return ask(client, messages, tools)


def tries_a_failing_tool_again(client, messages, tools, handlers):
    response = ask(client, messages, tools)
    call = next(block for block in response.content if block.type == "tool_use")
    for _ in range(2):
        try:
            handlers[call.name](**call.input)
        except Exception:
            continue


def gives_a_wrong_argument(client, messages, tools):
    return client.messages.create(
        model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools={1, 2}, nonsense=3
    )


def swallows_everything_for_ever(client, messages, tools):
    while True:
        try:
            ask(client, messages, tools)
        except:  # noqa: E722
            continue


def goes_on_in_a_finally(client, messages, tools):
    while True:
        try:
            ask(client, messages, tools)
        finally:
            continue  # noqa: B012


def suppresses_everything(client, messages, tools):
    while True:
        with contextlib.suppress(BaseException):
            ask(client, messages, tools)


def swallows_at_two_levels(client, messages, tools):
    def once():
        for _ in range(1000):
            try:
                ask(client, messages, tools)
            except BaseException:
                continue

    while True:
        try:
            once()
        except BaseException as error:
            print(error)


async def swallows_everything_while_it_waits(client, messages, tools):
    while True:
        try:
            await client.messages.create(
                model="claude-sonnet-5-5", max_tokens=1024, messages=messages, tools=tools
            )
        except BaseException:
            continue


CLEANED = []


def cleans_up_after_the_stop(client, messages, tools):
    try:
        while True:
            ask(client, messages, tools)
    except BaseException:
        CLEANED.append("all")
        for _ in range(3):
            with contextlib.suppress(BaseException):
                ask(client, messages, tools)
        raise
