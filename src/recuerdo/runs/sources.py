"""langgraph.json: where a user's own graphs are, and what they need."""

import importlib.util
import os
import re
import sys
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple, TypeGuard, cast

import msgspec
from dotenv import dotenv_values

from recuerdo.core.checks import UNREADABLE
from recuerdo.core.errors import ConfigurationError

LANGGRAPH_DATABASES = ("POSTGRES_URI", "POSTGRES_URI_CUSTOM", "DATABASE_URI")
"""The variables that name the database of LangGraph's own server."""

_DATABASES = ("uri", "url", "conn_string", "connection_string")
_MINUTES_OF_A_DAY = 24 * 60
_MOST_MINUTES = 10**8


class GraphSources(NamedTuple):
    """Graphs by their ids, each as `path:name`, relative to a folder.

    `store_index` is how the store finds items by meaning, as LangGraph's IndexConfig has it, and `store_ttl` how long
    it keeps them, as its TTLConfig. `auth` and `app` are the sources of handlers that say who may do what, and of an
    application to serve beside the API; its callers have to be authenticated where `guards_app` says so.
    `databases` names what names a database there, and `retention` says what `checkpointer.ttl` means. `state_types` are
    those that states may hold besides the ones of the graphs' schemas, by module and name; True for all.
    """

    graphs: Mapping[str, str]
    folder: Path
    descriptions: Mapping[str, str]
    dependencies: tuple[str, ...] = (".",)
    environment: Mapping[str, str] = {}
    store_index: Mapping[str, Any] | None = None
    auth: str | None = None
    app: str | None = None
    guards_app: bool = False
    state_types: tuple[tuple[str, ...], ...] | Literal[True] = ()
    store_ttl: Mapping[str, Any] | None = None
    databases: tuple[str, ...] = ()
    retention: str | None = None

    def prepare(self) -> None:
        """Let the graphs import what lies beside them, and see their variables; those of the process count more."""
        for dependency in self.dependencies:
            place = (self.folder / dependency).resolve()
            for folder in (place / "src", place):
                if folder.is_dir() and str(folder) not in sys.path:
                    sys.path.insert(0, str(folder))
        for name, value in self.environment.items():
            os.environ.setdefault(name, value)

    def load(self, what: str, source: str) -> Any:
        """Import the object that a source names. Raises ConfigurationError, which calls it `what`."""
        self.prepare()
        place, _, variable = source.rpartition(":")
        try:
            return getattr(_module(what, place, self.folder), variable)
        except AttributeError as error:
            raise ConfigurationError(f"The {what} is not there: {error}. Look at {source!r}.") from error
        except Exception as error:
            raise ConfigurationError(
                f"The {what} can't be loaded from {source!r}: {type(error).__name__}: {error}"
            ) from error

    def load_index(self) -> Mapping[str, Any] | None:
        """The store's index, with the function that `embed` names if it names a file. Raises ConfigurationError."""
        embed = (self.store_index or {}).get("embed")
        if self.store_index is None or not (isinstance(embed, str) and _is_path(embed)):
            return self.store_index
        return {**self.store_index, "embed": self.load("embedding function of `store.index.embed`", embed)}


def read_sources(path: str | Path) -> GraphSources:
    """The sources that a langgraph.json names. Raises ConfigurationError, saying what is wrong with it."""
    file = Path(path).expanduser().resolve()
    try:
        content: Any = msgspec.json.decode(file.read_bytes())
    except OSError as error:
        raise ConfigurationError(f"Can't read {file}: {error.strerror}. Name a langgraph.json with --config.") from None
    except UNREADABLE as error:
        raise ConfigurationError(f"{file} is not JSON that can be read: {error}.") from None
    graphs = _graphs(file, content)
    store, auth, http, checkpointer = (
        _object(file, content, name) for name in ("store", "auth", "http", "checkpointer")
    )
    environment = _environment(file, content.get("env"))
    _check_kept_by_us(file, content, store, checkpointer)
    return GraphSources(
        graphs={name: path for name, (path, _) in graphs.items()},
        folder=file.parent,
        descriptions={name: description for name, (_, description) in graphs.items() if description},
        dependencies=_dependencies(file, content.get("dependencies") or ["."]),
        environment=environment,
        store_index=_index(file, store),
        auth=_source(file, "auth.path", auth.get("path")),
        app=_source(file, "http.app", http.get("app")),
        guards_app=http.get("enable_custom_route_auth") is True,
        state_types=_state_types(file, content),
        store_ttl=_ttl(file, "store", store),
        databases=(
            *(f"store.{name} of the langgraph.json" for name in _DATABASES if store.get(name)),
            *(f"checkpointer.{name} of the langgraph.json" for name in _DATABASES if checkpointer.get(name)),
            *(f"{name} in the env of the langgraph.json" for name in LANGGRAPH_DATABASES if environment.get(name)),
        ),
        retention=_retention(_ttl(file, "checkpointer", checkpointer)),
    )


def _check_kept_by_us(file: Path, content: dict[str, Any], store: dict[str, Any], checkpointer: dict[str, Any]) -> None:
    """Refuse a place or a cipher of the user's own: everything would be stored elsewhere, and not by that cipher."""
    backend = checkpointer.get("backend", "default")
    given = {
        "store.path": store.get("path"),
        "checkpointer.path": checkpointer.get("path"),
        "checkpointer.backend": backend if backend not in ("default", "postgres") else None,
        "encryption": content.get("encryption"),
    }
    for name, value in given.items():
        if value:
            raise ConfigurationError(
                f"{file}: {name} can't be used: Recuerdo keeps checkpoints and items itself, in the database of "
                "RECUERDO_DATABASE_URL, and encrypts texts with RECUERDO_ENCRYPTION_KEY. Leave it out."
            )


def _index(file: Path, store: dict[str, Any]) -> dict[str, Any] | None:
    if store.get("index") is None:
        return None
    index = _object(file, store, "index")
    dims: Any = index.get("dims", 1)
    fields: Any = index.get("fields") or []
    if isinstance(dims, bool) or not (dims is None or isinstance(dims, int)):
        raise ConfigurationError(f"{file}: write store.index.dims as a number, such as 1536.")
    if not _is_list_of_texts(fields):
        raise ConfigurationError(f'{file}: write store.index.fields as a list of paths, such as ["text"].')
    return index


def _ttl(file: Path, place: str, holder: dict[str, Any]) -> dict[str, Any] | None:
    given: Any = holder.get("ttl")
    if given is None:
        return None
    ttl = cast(dict[str, Any], given) if isinstance(given, dict) else {"default_ttl": given}
    minutes: Any = ttl.get("default_ttl")
    is_number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    if not isinstance(given, dict) or not (minutes is None or (is_number and 0 < minutes <= _MOST_MINUTES)):
        raise ConfigurationError(
            f'{file}: write {place}.ttl as an object with a number of minutes, such as {{"default_ttl": 43200}}.'
        )
    return ttl


def _retention(ttl: dict[str, Any] | None) -> str | None:
    """The `ttl` of a langgraph.json as a retention policy."""
    if ttl is None or ttl.get("default_ttl") is None:
        return None
    what = "checkpoints" if ttl.get("strategy") == "keep_latest" else "threads"
    return f"{what}={max(1, round(ttl['default_ttl'] / _MINUTES_OF_A_DAY))}d"


def _is_path(source: str) -> bool:
    place = source.rpartition(":")[0]
    return place.endswith(".py") or "/" in place


def _object(file: Path, content: dict[str, Any], name: str) -> dict[str, Any]:
    given: Any = content.get(name) or {}
    if not isinstance(given, dict):
        raise ConfigurationError(f"{file}: {name!r} must be an object.")
    return cast(dict[str, Any], given)


def _source(file: Path, name: str, given: Any) -> str | None:
    if given is not None and not (isinstance(given, str) and given.rpartition(":")[0]):
        raise ConfigurationError(f"{file}: write {name} as 'path/to/file.py:variable' or 'package.module:variable'.")
    return given


def _state_types(file: Path, content: dict[str, Any]) -> tuple[tuple[str, ...], ...] | Literal[True]:
    checkpointer = _object(file, content, "checkpointer")
    given: Any = _object(file, checkpointer, "serde").get("allowed_msgpack_modules") or []
    if given is True:
        return True
    if not isinstance(given, list) or not all(_is_type_name(each) for each in cast(list[Any], given)):
        raise ConfigurationError(
            f'{file}: write checkpointer.serde.allowed_msgpack_modules as [["package.module", "Class"], ...].'
        )
    return tuple((".".join(each[:-1]), each[-1]) for each in cast(list[list[str]], given))


def _is_type_name(given: Any) -> bool:
    parts = cast(list[Any], given) if isinstance(given, list) else []
    return len(parts) > 1 and all(isinstance(each, str) for each in parts)


def _graphs(file: Path, content: Any) -> dict[str, tuple[str, str | None]]:
    given: Any = cast(dict[str, Any], content).get("graphs") if isinstance(content, dict) else None
    if not isinstance(given, dict) or not given:
        raise ConfigurationError(f'{file} names no graphs. Add: "graphs": {{"agent": "./agent.py:graph"}}')
    graphs: dict[str, tuple[str, str | None]] = {}
    for name, value in cast(dict[str, Any], given).items():
        entry: dict[str, Any] = cast(dict[str, Any], value) if isinstance(value, dict) else {"path": value}
        path, description = entry.get("path"), entry.get("description")
        graphs[name] = _source(file, f"the graph {name!r}", path or "") or "", description
    return graphs


def _dependencies(file: Path, given: Any) -> tuple[str, ...]:
    if not _is_list_of_texts(given):
        raise ConfigurationError(f'{file}: write "dependencies" as a list of folders and packages, such as ["."].')
    return tuple(given)


def _is_list_of_texts(given: Any) -> TypeGuard[list[str]]:
    return isinstance(given, list) and all(isinstance(each, str) for each in cast(list[Any], given))


def _environment(file: Path, given: Any) -> dict[str, str]:
    if isinstance(given, str):
        return _variables(file, given)
    if not isinstance(given, dict | None):
        raise ConfigurationError(f'{file}: "env" must be an object of variables, or the name of a file of them.')
    variables = cast(dict[str, Any], given or {})
    for name, value in variables.items():
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ConfigurationError(f"{file}: write the variable {name!r} of env as a text.")
    return {name: str(value) for name, value in variables.items()}


def _variables(file: Path, name: str) -> dict[str, str]:
    """The variables of a file, which may have comments, quoted values of several lines, and values of others."""
    try:
        text = (file.parent / name).read_text("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{file} names {name!r} as its env, which can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConfigurationError(
            f"{file} names {name!r} as its env, which is not text in UTF-8. Save it as such."
        ) from None
    return {name: value for name, value in dotenv_values(stream=StringIO(text)).items() if value is not None}


def _module(what: str, place: str, folder: Path) -> ModuleType:
    if not place.endswith(".py") and "/" not in place:
        return importlib.import_module(place)
    path = (folder / place).resolve()
    known = next((module for module in [*sys.modules.values()] if _file(module) == path), None)
    if known is not None:
        return known
    if (name := _importable(path)) is not None:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(_own_name(path, folder), path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"The {what}: {path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise
    return module


def _importable(path: Path) -> str | None:
    """The name under which other programs import the file, if they can.

    States name types by their modules, so a module has the same name in each process, and no two have the same.
    """
    roots = [root for each in sys.path if path.is_relative_to(root := Path(each).resolve())]
    if not roots:
        return None
    name = ".".join(path.relative_to(max(roots, key=lambda root: len(root.parts))).with_suffix("").parts)
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # a folder that is not a package, or whose package can't be imported
        return None
    return name if spec is not None and spec.origin is not None and Path(spec.origin).resolve() == path else None


def _own_name(path: Path, folder: Path) -> str:
    """A name for a file that can't be imported by one: `agent.py` in two folders are two modules."""
    return "recuerdo_graph_" + re.sub(r"\W", "_", os.path.relpath(path.with_suffix(""), folder))


def _file(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if file else None
