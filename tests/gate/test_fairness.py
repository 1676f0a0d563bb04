"""No probe fails a loop for being right in another way than its author thought of.

Each variant of ``loops/variants*.py`` differs from the base loop in one policy or form. What a probe cannot
see in one is listed with its reason; what fails is a fault of the probe.
"""

import pytest

from tests.gate.loops import variants, variants_of_form

AFTER_A_FAILURE = "there is no request after a failing tool, so there is nothing in it to judge"
UNSEEN = {
    ("Propagates", "parallel.one_failure_stays_alone"): AFTER_A_FAILURE,
    ("Propagates", "tool_errors.an_error_teaches"): AFTER_A_FAILURE,
}
"""What cannot be seen in a right loop, and why."""


VARIANTS = {name: module.__name__ for module in (variants, variants_of_form) for name in module.VARIANTS}


@pytest.fixture(scope="module", autouse=True)
def _ahead(provers, request):
    """Have the children work on all chosen variants at once."""
    for item in request.session.items:
        if item.path == request.path:
            _asked(provers, item.callspec.params["name"])


def _asked(provers, name):
    return provers.ask(f"{VARIANTS[name]}:run_{name}", 0)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_loop_that_is_right_in_its_own_way_fails_no_probe(name, provers):
    found = _asked(provers, name).result()
    unseen = {probe for probe, one in found.items() if one["state"] != "pass"}
    failed = {probe: one for probe, one in found.items() if one["state"] == "fail"}
    assert not failed, "\n".join(f"{probe}: {one}" for probe, one in failed.items())
    assert unseen == {probe for variant, probe in UNSEEN if variant == name}, {p: found[p] for p in unseen}
