"""Recorded conversations: read and write cassettes, and answer requests from them."""
