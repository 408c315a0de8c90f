"""The client of a Recuerdo server, for programs: asynchronous and synchronous, with the library's words and errors."""

from recuerdo.core.errors import needing

with needing("The client", "client"):
    import httpx as _httpx

from recuerdo.client.client import AsyncClient
from recuerdo.client.synchronous import Client

del _httpx

__all__ = ["AsyncClient", "Client"]
