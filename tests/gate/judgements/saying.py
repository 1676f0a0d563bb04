"""What is said of a verdict: each of its sentences, in both languages."""

from simulator.gate.messages import PARTS
from simulator.text import LANGUAGES, say


def said(finding, turn, facts):
    """Return every sentence about *finding*. Raises KeyError where one is missing, or a fact for it."""
    known = {"turn": turn, **facts}
    return [say(f"{finding}.{part}", lang, **known) for lang in LANGUAGES for part in PARTS]


def check(verdict, finding):
    """Hold that *verdict* is the failure *finding*, and that it can be told."""
    assert (verdict.outcome, verdict.finding) == ("fail", finding), verdict
    assert all(said(finding, verdict.turn, verdict.facts))
