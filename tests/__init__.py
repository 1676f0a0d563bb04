"""The tests, in the folders of the rooms they test."""
