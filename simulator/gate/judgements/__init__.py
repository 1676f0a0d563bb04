"""Judgements: small pure functions from a trace to a verdict, one family of failures per module.

Rules of this package:

1. A judgement reads the trace and nothing else: no scenario names, no source text, no spelling.
2. It states a finding and its facts, never a sentence; sentences belong to whoever asks (a kata, a gate).
3. Where the run ended before the matter came up, it says ``unknown`` and does not guess.
"""
