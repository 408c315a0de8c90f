"""Answers that come in pieces."""
