"""The reference is complete: what exists and is not documented fails the build, and so does what is only documented."""

import inspect
import re
from contextlib import nullcontext
from typing import Any, cast

import jsonschema_rs
import pytest
import typer
from markdown_blocks import ROOT

import recuerdo
from recuerdo import Message, Recuerdo
from recuerdo.agents.chat import Chat
from recuerdo.app.settings import Settings
from recuerdo.cli.commands import application
from recuerdo.core import errors
from recuerdo.history import ThreadHistory
from recuerdo.memories import TenantMemory, UserMemory
from recuerdo.memories.user import OwnedMemory
from recuerdo.server import create_app
from recuerdo.server.fields import DESCRIPTIONS, EXAMPLES

REFERENCE = ROOT / "docs" / "reference"
ROUTE = re.compile(r"`((?:GET|POST|PUT|PATCH|DELETE) /[^`]*)`")
BESIDE_THE_SCHEMA = {"GET /", "GET /openapi.json"}


def test_every_setting_is_documented_with_its_default() -> None:
    page = _page("settings")
    for name, field in Settings.model_fields.items():
        row = next((line for line in page.splitlines() if line.startswith(f"| `RECUERDO_{name.upper()}`")), None)
        assert row, f"RECUERDO_{name.upper()} is missing in docs/reference/settings.md"
        assert field.default is None or f"| `{field.default}` |" in row, f"{name}: the default is {field.default!r}"


def test_no_setting_is_documented_that_does_not_exist() -> None:
    named = set(re.findall(r"RECUERDO_\w+", "".join(path.read_text("utf-8") for path in REFERENCE.glob("*.md"))))
    assert named == {f"RECUERDO_{name.upper()}" for name in Settings.model_fields}


@pytest.mark.parametrize("name", sorted(cast(Any, typer.main.get_command(application())).commands))
def test_every_command_and_its_flags_are_documented(name: str) -> None:
    """One section a command, with exactly its flags."""
    command = cast(Any, typer.main.get_command(application())).commands[name]
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    flags = {flag for parameter in shown for flag in parameter.opts if flag.startswith("--") and flag != "--help"}
    section = _section("cli", f"recuerdo {name}")
    assert set(re.findall(r"^\| `(--[\w-]+)` \|", section, re.MULTILINE)) == flags


def test_every_error_is_documented_with_its_parents() -> None:
    page = _page("errors")
    for name, error in inspect.getmembers(errors, inspect.isclass):
        if error.__module__ == errors.__name__:
            parents = ", ".join(f"`{parent.__name__}`" for parent in error.__bases__)
            assert f"| `{name}` | {parents} |" in page, f"docs/reference/errors.md lacks: | `{name}` | {parents} |"


def test_every_field_of_the_openapi_document_has_a_description_and_an_example_that_fits() -> None:
    document = create_app(nullcontext(cast(Any, None))).openapi()
    schemas = document["components"]["schemas"]
    fields = [
        (f"{name}.{field}", each)
        for name, schema in schemas.items()
        for field, each in schema.get("properties", {}).items()
    ]
    assert not [name for name, field in fields if not field.get("description")]
    for name, field in fields:
        form = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": {"schemas": schemas}, **field}
        assert jsonschema_rs.validator_for(form).is_valid(field["examples"][0]), name
    operations = [each for path in document["paths"].values() for each in path.values()]
    assert not [p["name"] for each in operations for p in each.get("parameters", []) if not p.get("description")]


def test_a_bare_name_describes_fields_of_one_json_type_only() -> None:
    types: dict[str, set[str]] = {}
    for entry, schema in _described():
        types.setdefault(entry, set()).update(_json_types(schema))
    assert not {entry: found for entry, found in types.items() if "." not in entry and len(found) > 1}


def test_no_description_or_example_is_of_a_field_that_does_not_exist() -> None:
    assert not DESCRIPTIONS.keys() - {entry for entry, _ in _described()}
    fields = {f"{name}.{field}" for name, field, _ in _all_fields()}
    assert not EXAMPLES.keys() - fields - {each.partition(".")[2] for each in fields}


def test_exactly_the_routes_that_exist_are_documented() -> None:
    documented = {route.partition("?")[0] for route in ROUTE.findall(_page("http"))}
    assert documented - BESIDE_THE_SCHEMA == set(_routes())


def test_every_parameter_of_a_route_is_documented() -> None:
    """By its name, in the page: parameters in URLs, headers, and fields of bodies."""
    page = _page("http")
    missing = {f"{route}: {name}" for route, names in _routes().items() for name in names if not _is_named(name, page)}
    assert not missing


@pytest.mark.parametrize(
    "holder",
    [Recuerdo, ThreadHistory, OwnedMemory, UserMemory, TenantMemory, Chat, Message],
    ids=lambda each: each.__name__,
)
def test_every_public_call_is_documented(holder: type) -> None:
    page = _page("library") + _page("windows")
    public = [name for name in vars(holder) if not name.startswith("_") and callable(getattr(holder, name))]
    missing = [name for name in public if name != "aclose" and not re.search(rf"\b{name}\(", page)]
    assert not missing


def test_every_public_name_is_documented() -> None:
    page = _page("library") + _page("windows")
    assert not [name for name in recuerdo.__all__ if not _is_named(name, page)]


def _all_fields() -> list[tuple[str, str, dict[str, Any]]]:
    schemas = create_app(nullcontext(cast(Any, None))).openapi()["components"]["schemas"]
    return [(name, *field) for name, schema in schemas.items() for field in schema.get("properties", {}).items()]


def _described() -> list[tuple[str, dict[str, Any]]]:
    """The entries that describe fields and parameters, each with the schema of one of these."""
    paths = create_app(nullcontext(cast(Any, None))).openapi()["paths"].values()
    operations = [each for path in paths for each in path.values()]
    parameters = [(each["name"], each) for operation in operations for each in operation.get("parameters", [])]
    fields = [(f"{name}.{field}", each) for name, field, each in _all_fields()]
    named = [(full if full in DESCRIPTIONS else full.partition(".")[2], each) for full, each in fields]
    return [(entry, each) for entry, each in named + parameters if each["description"] == DESCRIPTIONS.get(entry)]


def _json_types(schema: dict[str, Any]) -> set[str]:
    """`string`, `array of object`, or for alternatives `array or string`; none for a schema of any value."""
    form = schema.get("schema", schema)
    types = sorted({_json_type(each) for each in form.get("anyOf", [form])} - {"null", ""})
    return {" or ".join(types)} if types else set()


def _json_type(schema: dict[str, Any]) -> str:
    if schema.get("type") == "array":
        return "array of " + "".join(_json_types(schema["items"]))
    if "$ref" in schema:
        return "object"
    return schema.get("type") or {str: "string", bool: "boolean", int: "integer"}.get(
        type(schema.get("enum", [None])[0]), ""
    )


def _page(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text("utf-8")


def _section(page: str, heading: str) -> str:
    _, found, rest = _page(page).partition(f"\n## {heading}\n")
    assert found, f"docs/reference/{page}.md has no section {heading!r}"
    return rest.partition("\n## ")[0]


def _is_named(name: str, page: str) -> bool:
    return re.search(rf"[`\"{{(.]{re.escape(name)}\b", page) is not None


def _routes() -> dict[str, set[str]]:
    """Each route and the names of what it takes."""
    document = create_app(nullcontext(cast(Any, None))).openapi()
    return {
        f"{method.upper()} {path}": _parameters(operation, document["components"]["schemas"])
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }


def _parameters(operation: dict[str, Any], schemas: dict[str, Any]) -> set[str]:
    names = {parameter["name"] for parameter in operation.get("parameters", [])}
    bodies = re.findall(r"schemas/(\w+)", str(operation.get("requestBody", "")))
    return names | {field for body in bodies for field in _fields(body, schemas)}


def _fields(name: str, schemas: dict[str, Any]) -> set[str]:
    properties = schemas[name]["properties"]
    nested = re.findall(r"schemas/(\w+)", str(properties))
    return set(properties) | {field for each in nested for field in _fields(each, schemas)}
