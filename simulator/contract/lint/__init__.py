"""Finds the known anti-patterns of agent loops in anybody's source, by its syntax tree."""
