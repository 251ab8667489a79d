"""Programs that make the small recorded tables in `data/` again: `python -m benchmarks.record.NAME`."""
