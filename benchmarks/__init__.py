"""Benchmarks against raw peers, in one run: `python -m benchmarks [NAME...]`. See README.md."""
