"""HTTP: the API under /v1 and the page."""

from recuerdo.server.app import create_app
from recuerdo.server.requests import ServerOptions, Services

__all__ = ["ServerOptions", "Services", "create_app"]
