"""The application that a langgraph.json wants to be served beside the API."""

from recuerdo.runs.sources import read_sources
from recuerdo.server.beside import Beside
from recuerdo.settings import Settings


def beside(settings: Settings) -> Beside | None:
    """What `http.app` names, if there is something. Raises ConfigurationError."""
    sources = read_sources(settings.config) if settings.config is not None else None
    if sources is None or sources.app is None:
        return None
    return Beside.checked(sources.load("application of `http.app`", sources.app), sources.guards_app)
