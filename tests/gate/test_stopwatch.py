"""What is slept and what is really waited both count as waiting; what work takes does not."""

import threading
import time

from simulator.gate import waits


def test_a_counted_sleep_is_waiting() -> None:
    watch = waits.Stopwatch()
    waits.advance(7)
    assert watch() == 7
    waits.advance(0.25)
    assert watch() == 7.25


def test_a_wait_on_an_event_is_waiting() -> None:
    watch = waits.Stopwatch()
    threading.Event().wait(0.55)
    assert watch() == 0.5


def test_a_little_work_is_no_waiting() -> None:
    watch = waits.Stopwatch()
    time.sleep(0.02)
    assert watch() == 0.0
