"""The mappings of well-known libraries, and those that people write in a TOML file or on the command line."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.sources import SourceMapping

_LANGCHAIN = {"format": "langchain", "conversation": "session_id", "message": "message", "order": ["id"], "id": "id"}

BUILT_IN: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "redis": {
        "langchain": {"source": "message_store:{conversation}", "format": "langchain", "newest_first": True},
        "langchain4j": {"source": "{conversation}", "format": "langchain4j"},
    },
    "sql": {
        "langchain": {**_LANGCHAIN, "source": "message_store"},
        "langchain-postgres": {**_LANGCHAIN, "source": "chat_history", "created_at": "created_at"},
        "spring-ai": {
            "source": "spring_ai_chat_memory",
            "conversation": "conversation_id",
            "order": ["timestamp"],
            "role": "type",
            "content": "content",
            "created_at": "timestamp",
        },
    },
    "mongodb": {
        "langchain": {
            "source": "message_store",
            "format": "langchain",
            "conversation": "SessionId",
            "message": "History",
            "id": "_id",
        }
    },
}
"""By system, what libraries store there when nothing else is said: see docs/reference/cli.md for their versions."""


def read_mapping(system: str, named: str | None, changes: Sequence[str] = ()) -> SourceMapping:
    """The mapping of a TOML file, or a built-in one, with changes like `source=messages`.

    Names in a list are separated by commas. Raises InvalidInput, and ConfigurationError for a file that can't be read.
    """
    fields: dict[str, Any] = {}
    if named is not None:
        fields |= BUILT_IN[system].get(named) or _from_file(system, named)
    for change in changes:
        name, is_one, value = change.partition("=")
        if not is_one:
            raise InvalidInput("--set", f"{change!r} is not a change; it looks like source=messages")
        fields[name] = _value(name, value)
    try:
        return msgspec.convert(fields, SourceMapping)
    except msgspec.ValidationError as error:
        raise InvalidInput("--mapping", f"{error}. {_advice(system)}") from None


def _from_file(system: str, name: str) -> dict[str, Any]:
    if not name.endswith(".toml"):
        raise InvalidInput("--mapping", f"{name!r} is unknown. {_advice(system)}")
    try:
        return tomllib.loads(Path(name).read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput("--mapping", f"{name} is not TOML: {error}") from None
    except OSError as error:
        raise ConfigurationError(f"Can't read {name}: {error.strerror}. Name another file.") from None


def _value(name: str, text: str) -> Any:
    if name in ("order", "metadata"):
        return [each for each in text.split(",") if each]
    return text == "true" if name == "newest_first" else text


def _advice(system: str) -> str:
    return f"Name a TOML file with the fields, or {', '.join(BUILT_IN[system])}."
