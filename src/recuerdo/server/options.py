"""How a server behaves, as far as that is a matter of choice."""

from typing import NamedTuple


class ServerOptions(NamedTuple):
    """Choices of whoever starts the server.

    `local_user` is the user that the page acts as until somebody names another. `embeddings` is the embedding model's name as /info shows it. Without authentication the server answers to loopback
    names only; `hosts` are further names that it may be called by, and `origins` are sites (`https://chat.example`)
    whose pages may change things here.
    """

    local_user: str = "local"
    embeddings: str | None = None
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
