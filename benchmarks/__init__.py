"""The promised ratios of time and size, measured: ``python -m benchmarks``."""
