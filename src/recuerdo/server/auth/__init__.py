"""Authentication: the principal of a request, and which requests are accepted at all."""
