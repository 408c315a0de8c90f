"""Entities, errors and ports. Pure: no I/O and no framework."""
