"""The settings in a langgraph.json, which `recuerdo serve` uses, or refuses to start."""

import os
from typing import Any

from recuerdo.app.settings import Settings, read_settings
from recuerdo.core.errors import ConfigurationError
from recuerdo.runs.sources import LANGGRAPH_DATABASES, GraphSources, read_sources


def read_served_settings(**flags: Any) -> Settings:
    """Like `read_settings`, with further settings from the variables of the langgraph.json.

    Also raises ConfigurationError if the file names a database and no setting of ours does: its data would go to a
    local file.
    """
    settings = read_settings(**flags)
    if settings.config is None:
        return settings
    sources = read_sources(settings.config)
    ours = {name: value for name, value in sources.environment.items() if name.startswith("RECUERDO_")}
    for name, value in ours.items():
        os.environ.setdefault(name, value)
    settings = read_settings(**flags) if ours else settings
    _check_database(settings, sources)
    _check_retention(settings, sources)
    return settings


def _check_database(settings: Settings, sources: GraphSources) -> None:
    named = [*sources.databases, *(name for name in LANGGRAPH_DATABASES if os.environ.get(name))]
    if named and "database_url" not in settings.model_fields_set:
        raise ConfigurationError(
            f"{' and '.join(dict.fromkeys(named))} would not be used: Recuerdo keeps everything in one database of its "
            "own choice. Set RECUERDO_DATABASE_URL (or --database-url) to that URL, or to another."
        )


def _check_retention(settings: Settings, sources: GraphSources) -> None:
    if sources.retention is not None and settings.retention is None:
        raise ConfigurationError(
            f"checkpointer.ttl of the langgraph.json would not be used. Set RECUERDO_RETENTION={sources.retention}, or "
            "leave it out."
        )
