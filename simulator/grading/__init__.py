"""The kata tooling: catalogue, pytest plugin, and the commands a learner types."""
