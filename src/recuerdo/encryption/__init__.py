"""Encryption of texts at rest, above the databases: wrappers of ports, and the keys that they use."""
