"""What every test has: no network, one language, and the recordings beside the project where they are."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import network_guard

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"

# A test reads English unless it asks for another language, whatever the machine speaks.
os.environ["SIMULATOR_LANG"] = "en"
os.environ["NO_COLOR"] = "1"

network_guard.start()

# Started in the background by a shell script, a process hears no Ctrl-C; the tests of Ctrl-C have to.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How fast the machine is decides nothing, and CI tries the same examples each time.
settings.register_profile(
    "house",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def offline() -> Iterator[None]:
    """Fail the test that tried to leave loopback, even where the code under test swallowed the refusal."""
    network_guard.breaches.clear()
    yield
    tried = list(network_guard.breaches)
    network_guard.breaches.clear()
    assert not tried, f"this test tried to leave loopback: {'; '.join(tried)}"


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the folder of real recordings; the test is skipped where the project stands alone."""
    if not (CORPUS / "cassettes").is_dir():
        pytest.skip("the shared folder of real recordings is not beside this project")
    return CORPUS
