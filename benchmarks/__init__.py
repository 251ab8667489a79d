"""Measurements; each module runs by itself as `python -m benchmarks.NAME`."""
