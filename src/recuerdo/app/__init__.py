"""The composition root: puts adapters behind ports, and features into a program or a server."""
