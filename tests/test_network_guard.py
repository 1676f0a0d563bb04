"""The guard of tests/conftest.py: what it refuses and what it lets pass."""

import contextlib
import socket

import pytest

from tests import network_guard


@pytest.mark.parametrize(
    ("address", "stays"),
    [
        (("127.0.0.1", 80), True),
        (("127.8.9.1", 80), True),
        (("::1", 80, 0, 0), True),
        (("localhost", 80), True),
        ("/run/a.socket", True),
        (None, True),
        (("", 0), False),
        (("0.0.0.0", 0), False),
        (("192.0.2.7", 443), False),
        (("api.anthropic.com", 443), False),
        ("api.anthropic.com", False),
        (b"api.anthropic.com", False),
    ],
)
def test_only_addresses_of_this_machine_are_let_through(address: object, stays: bool) -> None:
    assert network_guard.is_loopback(address) is stays


def test_a_connection_to_another_machine_is_refused_before_it_is_made() -> None:
    with (
        socket.socket() as unused,
        pytest.raises(network_guard.OutsideLoopbackError, match="nothing here may leave loopback"),
    ):
        unused.connect(("192.0.2.7", 443))
    assert network_guard.breaches == ["socket.connect ('192.0.2.7', 443)"]
    network_guard.breaches.clear()


def test_looking_up_a_host_is_refused_and_remembered_even_when_the_refusal_is_swallowed() -> None:
    with contextlib.suppress(Exception):
        socket.getaddrinfo("api.anthropic.com", 443)
    assert len(network_guard.breaches) == 1
    network_guard.breaches.clear()


def test_a_server_on_loopback_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    assert network_guard.breaches == []
