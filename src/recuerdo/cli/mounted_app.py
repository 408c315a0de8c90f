"""The application that a langgraph.json wants to be served beside the API."""

from recuerdo.app.settings import Settings
from recuerdo.runs.sources import read_sources
from recuerdo.server.mounted_app import MountedApp


def find_mounted_app(settings: Settings) -> MountedApp | None:
    """What `http.app` names, if there is something. Raises ConfigurationError."""
    sources = read_sources(settings.config) if settings.config is not None else None
    if sources is None or sources.app is None:
        return None
    return MountedApp.checked(sources.load("application of `http.app`", sources.app), sources.guards_app)
