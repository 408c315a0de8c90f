"""Runs: graphs that are executed on threads, queued, streamed, cancelled, recovered and scheduled."""
