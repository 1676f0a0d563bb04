"""What the proofs of the gate share: the children that judge loops."""

from collections.abc import Iterator

import pytest

from tests.gate.proving import Provers


@pytest.fixture(scope="session")
def provers() -> Iterator[Provers]:
    """Return the children; they start with the first test that needs them."""
    one = Provers()
    yield one
    one.close()
