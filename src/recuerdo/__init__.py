"""Recuerdo: the memory that conversational agents run on."""

__version__ = "0.1.0"
