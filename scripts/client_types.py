#!/usr/bin/env python3
"""Writes what the clients know of the API, from the OpenAPI document of the server's code.

python scripts/client_types.py

For Python these are the answers (structs) and the operations with their optional parameters, for TypeScript the same
types and operations.
"""

import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

import msgspec

import recuerdo.core
from recuerdo.core import errors
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.memories import Attribute
from recuerdo.server import create_app
from recuerdo.server.errors import code_of

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / "src" / "recuerdo" / "client"
TYPESCRIPT = ROOT / "clients" / "typescript" / "src"
WIDTH = 120

BESIDE_V1 = frozenset(
    (
        *("ok", "ready", "info"),
        *("create_assistant", "get_assistant", "update_assistant", "delete_assistant", "search_assistants"),
        *("create_run", "wait_for_run", "stream_run", "get_run", "join_run", "join_run_stream", "cancel_run"),
    )
)
"""The operations outside `/v1` that the clients have: other clients speak the rest of the LangGraph API."""

READING = re.compile(r"^(search_|get_|list_)")
"""Operations that change nothing, whatever their method is."""

FIELDS = {
    "RecuerdoError": """
  /** The HTTP status, if a server has told the error. */
  status?: number;

  override get name(): string {
    return this.constructor.name;
  }
""",
    "InvalidInput": """
  /** The part at fault, such as `messages[0].role`. */
  field = "request";
  /** What is wrong with it. */
  problem = "";

  static of(field: string, problem: string): InvalidInput {
    return Object.assign(new InvalidInput(`${field}: ${problem}`), { field, problem });
  }
""",
    "Unavailable": """
  /** The seconds to wait before another attempt. */
  retryAfter = 0;
""",
}
"""The fields that errors of TypeScript have besides a message."""

NOTICE = "Made by scripts/client_types.py from the OpenAPI document: change the server, and run it again."


class Described(NamedTuple):
    """One operation of the document, as both languages need it."""

    name: str
    method: str
    path: str
    summary: str
    answer: dict[str, Any] | None
    query: list[str]
    required: dict[str, Any]
    optional: dict[str, Any]

    @property
    def reads(self) -> bool:
        return self.method == "GET" or READING.match(self.name) is not None

    @property
    def options(self) -> str:
        return f"{_pascal(self.name)}Options"


def document() -> dict[str, Any]:
    """The OpenAPI document that this code serves."""
    return json.loads(json.dumps(create_app(nullcontext(cast(Any, None))).openapi()))


def described(api: dict[str, Any]) -> list[Described]:
    """The operations that the clients have, in the order of their names."""
    found = [
        _described(api, method, path, operation)
        for path, operations in api["paths"].items()
        for method, operation in operations.items()
        if path.startswith("/v1/") or operation["operationId"] in BESIDE_V1
    ]
    return sorted(found, key=lambda each: each.name)


def _described(api: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> Described:
    query = {each["name"]: each["schema"] for each in operation.get("parameters", []) if each["in"] == "query"}
    ids = re.findall(r"\{(\w+)\}", path)
    body = _body(api, operation)
    fields: dict[str, Any] = {name: each for name, each in body.get("properties", {}).items() if name not in ids}
    needed = body.get("required", [])
    return Described(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("description", operation.get("summary", "")).split("\n")[0],
        answer=_answer(operation),
        query=[name for name in query if name not in fields],
        required={name: fields[name] for name in needed},
        optional={name: schema for name, schema in {**query, **fields}.items() if name not in needed},
    )


def _body(api: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    for schema in _alternatives(content.get("schema", {})):
        if "$ref" in schema:
            return api["components"]["schemas"][_name(schema)]
    return {}


def _answer(operation: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of the good answer; None for an empty one, a text, or a stream."""
    status = min(status for status in operation["responses"] if status.startswith("2"))
    content = operation["responses"][status].get("content", {})
    return None if "text/event-stream" in content else content.get("application/json", {}).get("schema")


def _alternatives(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return schema.get("anyOf", [schema])


def _name(schema: dict[str, Any]) -> str:
    return schema["$ref"].rpartition("/")[2]


def _pascal(name: str) -> str:
    return "".join(part.title() for part in name.split("_"))


def _needed(api: dict[str, Any], roots: list[dict[str, Any]]) -> list[str]:
    """The names of the schemas that these schemas lead to, each behind those that it needs."""
    found: dict[str, None] = {}

    def visit(name: str) -> None:
        if name in found:
            return
        for inner in _references(api["components"]["schemas"][name]):
            if inner != name:
                visit(inner)
        found[name] = None

    for root in roots:
        for name in _references(root):
            visit(name)
    return list(found)


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        fields = cast(dict[str, Any], schema)
        if isinstance(fields.get("$ref"), str):
            yield _name(fields)
        for key, each in fields.items():
            if key not in ("examples", "example", "default"):
                yield from _references(each)
    elif isinstance(schema, list):
        for each in cast(list[Any], schema):
            yield from _references(each)


# Python


def entities() -> dict[str, str]:
    """The structs of the core, by name, with their modules: an answer that has them is decoded to the same."""
    found: dict[str, str] = {}
    for module in pkgutil.iter_modules(recuerdo.core.__path__, "recuerdo.core."):
        for name, each in vars(importlib.import_module(module.name)).items():
            if isinstance(each, type) and issubclass(each, msgspec.Struct) and each.__module__ == module.name:
                found[name] = module.name
    return found


class PythonTypes:
    """Schemas as annotations: those of answers, or of options.

    Answers have texts for choices, since a later server may know more of them; what options nest is an object.
    """

    def __init__(self, known: dict[str, str], *, choices: bool) -> None:
        self._known = known
        self._choices = choices
        self.imported: set[str] = set()

    def of(self, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            return "dict[str, Any]" if self._choices else self.named(_name(schema))
        if schema.get("contentMediaType") == "application/json":
            return "Mapping[str, Any]"
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.of(each) for each in schema["anyOf"]))
        if "enum" in schema or "const" in schema:
            values = schema.get("enum", [schema.get("const")])
            if self._choices and values == [*get_args(Attribute)]:
                return "Attribute"
            if self._choices or not isinstance(values[0], str):
                return f"Literal[{', '.join('True' if each is True else json.dumps(each) for each in values)}]"
            return "str"
        match schema.get("type"):
            case "array":
                return f"list[{self.of(schema.get('items', {}))}]"
            case "object":
                more = schema.get("additionalProperties")
                inner = self.of(cast(dict[str, Any], more)) if isinstance(more, dict) else "Any"
                return f"dict[str, {inner}]"
            case "string":
                return "datetime" if schema.get("format") == "date-time" else "str"
            case kind:
                return {"integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(kind or "", "Any")

    def named(self, name: str) -> str:
        if name in self._known:
            self.imported.add(name)
            return name
        return python_name(name)


def python_name(schema: str) -> str:
    """`KnownMemory` of the document is MemoryData: the server has classes of the document's own names."""
    return f"{schema.removeprefix('Known')}Data"


def python_answers(api: dict[str, Any]) -> str:
    """The module `answers`."""
    known = entities()
    types = PythonTypes(known, choices=False)
    roots = [each.answer for each in described(api) if each.answer] + [
        {"$ref": f"#/components/schemas/{name}"} for name in ("ChatStart", "ErasureProgress")
    ]
    classes = [
        _struct(name, api["components"]["schemas"][name], types) for name in _needed(api, roots) if name not in known
    ]
    head = f'"""The answers of the server.\n\n{NOTICE}\n"""\n\n'
    imports = [
        "from datetime import datetime",
        "from typing import Any, Literal",
        "import msgspec",
        *sorted(f"from {known[name]} import {name}" for name in types.imported),
    ]
    return _formatted(head + "\n".join(imports) + "\n\n" + "\n\n".join(classes))


def _struct(name: str, schema: dict[str, Any], types: PythonTypes) -> str:
    text = re.sub(r"\n[ ]{4}", "\n", schema.get("description", "")).replace("\n", "\n    ")
    one_line = "" if "\n" not in text else "\n    "
    lines = [
        f"class {python_name(name)}(msgspec.Struct, frozen=True, kw_only=True):",
        f'    """{text}{one_line}"""',
        "",
    ]
    for field, each in schema.get("properties", {}).items():
        default = "" if field in schema.get("required", ()) else f" = {each.get('default', None)!r}"
        annotation = types.of(each)
        if default == " = None" and "None" not in annotation:
            annotation += " | None"
        lines.append(f"    {field}: {annotation}{default}")
    return "\n".join(lines)


def python_options(api: dict[str, Any]) -> str:
    """The module `options`, with those that the client's methods take."""
    types = PythonTypes({}, choices=True)
    head = f'"""The optional parameters of the operations.\n\n{NOTICE}\n"""\n\n'
    imports = """from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict

from recuerdo.core.memories import Attribute

"""
    first: dict[str, str] = {}
    lines: list[str] = []
    methods = "\n".join(path.read_text("utf-8") for path in PYTHON.glob("*.py") if path.name != "options.py")
    for each in described(api):
        if each.optional and each.options in methods:
            same = first.setdefault(json.dumps(each.optional), each.options)
            lines.append(_options(each, types) if same == each.options else f"{each.options} = {same}")
    return _formatted(head + imports + "\n\n".join(lines))


def python_operations(api: dict[str, Any]) -> str:
    """The module `operations`."""
    known = entities()
    types = PythonTypes(known, choices=False)
    lines: list[str] = []
    for each in described(api):
        answer = None if each.answer is None else types.of(each.answer)
        kind = {None: "type(None)", "Any": "object"}.get(answer) or answer or ""
        given = [repr(each.method), repr(each.path), f"answers.{kind}" if kind.endswith("Data") else kind]
        if each.query:
            given.append(f"query={' '.join(sorted(each.query))!r}")
        if each.reads:
            given.append("reads=True")
        any_answer = ": Operation[Any]" if answer == "Any" else ""
        lines.append(f"{each.name.upper()}{any_answer} = Operation({', '.join(given)})")
    head = f'"""The operations of the server.\n\n{NOTICE}\n"""\n\n'
    imports = [
        "from typing import Any",
        "from recuerdo.client import answers",
        "from recuerdo.client.requests import Operation",
        *sorted(f"from {known[name]} import {name}" for name in types.imported),
    ]
    return _formatted(head + "\n".join(imports) + "\n\n" + "\n".join(lines) + "\n")


def _options(each: Described, types: PythonTypes) -> str:
    fields = "\n".join(f"    {name}: {types.of(schema)}" for name, schema in each.optional.items())
    return f"class {each.options}(TypedDict, total=False):\n{fields}"


def _formatted(source: str) -> str:
    """As ruff formats it, without imports that nothing needs."""
    fixing = ("check", "--fix", "--unsafe-fixes", "--exit-zero", "--select", "F401,I,UP028")
    for command in (fixing, ("format",)):
        ruff = [sys.executable, "-m", "ruff", *command, "--quiet", "--stdin-filename", "src/client.py", "-"]
        source = subprocess.run(ruff, input=source, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return source


# TypeScript


class TypeScriptTypes:
    """Schemas as types. Choices of answers stay open: a later server may know more of them."""

    def of(self, schema: dict[str, Any], *, choices: bool = False) -> str:
        if "$ref" in schema:
            return _name(schema)
        if schema.get("contentMediaType") == "application/json":
            return "Record<string, unknown>"
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self.of(each, choices=choices) for each in schema["anyOf"]))
        if "enum" in schema or "const" in schema:
            values = schema.get("enum", [schema.get("const")])
            text = " | ".join(json.dumps(each) for each in values)
            return text if choices or not isinstance(values[0], str) else f"{text} | (string & {{}})"
        match schema.get("type"):
            case "array":
                inner = self.of(schema.get("items", {}), choices=choices)
                return f"Array<{inner}>"
            case "object":
                more = schema.get("additionalProperties")
                inner = self.of(cast(dict[str, Any], more), choices=choices) if isinstance(more, dict) else "unknown"
                return f"Record<string, {inner}>"
            case "string":
                return "string"
            case kind:
                return {"integer": "number", "number": "number", "boolean": "boolean", "null": "null"}.get(
                    kind or "", "unknown"
                )


def typescript_types(api: dict[str, Any]) -> str:
    """The module `types`: answers, bodies that requests nest, and options."""
    types = TypeScriptTypes()
    operations = described(api)
    roots = [each.answer for each in operations if each.answer]
    roots += [{"$ref": f"#/components/schemas/{name}"} for name in ("ChatStart", "ErasureProgress")]
    answers = _needed(api, roots)
    nested = [schema for each in operations for schema in (*each.required.values(), *each.optional.values())]
    bodies = [name for name in _needed(api, nested) if name not in answers]
    schemas = api["components"]["schemas"]
    parts = [f"// {NOTICE}"]
    parts += [_interface(name, schemas[name], types, choices=False) for name in answers]
    parts += [_interface(name, schemas[name], types, choices=True) for name in bodies]
    for each in operations:
        if each.optional:
            schema = {"properties": each.optional, "description": f"Optional parameters of `{each.name}`."}
            parts.append(_interface(each.options, schema, types, choices=True))
    return "\n\n".join(parts) + "\n"


def _interface(name: str, schema: dict[str, Any], types: TypeScriptTypes, *, choices: bool) -> str:
    lines = [_jsdoc(schema.get("description", ""), ""), f"export interface {name} {{"]
    for field, each in schema.get("properties", {}).items():
        # what the server leaves out at its default is absent in answers, too
        mark = "" if field in schema.get("required", ()) else "?"
        lines += [_jsdoc(each.get("description", ""), "  "), f"  {field}{mark}: {types.of(each, choices=choices)};"]
    return "\n".join(line for line in [*lines, "}"] if line)


def _jsdoc(text: str, indent: str) -> str:
    words = " ".join(text.split()).replace("*/", "* /")
    return f"{indent}/** {words} */" if words else ""


def typescript_operations(api: dict[str, Any]) -> str:
    """The module `operations`."""
    types = TypeScriptTypes()
    lines: list[str] = []
    used: set[str] = set()
    for each in described(api):
        answer = "unknown" if each.answer == {} else "void" if each.answer is None else types.of(each.answer)
        if each.answer and "$ref" in each.answer:
            used.add(answer)
        given = [json.dumps(each.method), json.dumps(each.path), json.dumps(sorted(each.query)), json.dumps(each.reads)]
        lines.append(f"/** {each.summary} */")
        lines.append(f"export const {_camel(each.name)} = operation<{answer}>({', '.join(given)});")
    imports = f'import type {{\n{"".join(f"  {name},{chr(10)}" for name in sorted(used))}}} from "./types.js";'
    return f'// {NOTICE}\n\nimport {{ operation }} from "./requests.js";\n{imports}\n\n' + "\n".join(lines) + "\n"


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def typescript_errors() -> str:
    """The module `errors`: the library's tree of errors, and which code means which."""
    tree = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, RecuerdoError)]
    parts = [f"// {NOTICE}"]
    for each in tree:
        parent = "Error" if each is RecuerdoError else each.__bases__[0].__name__
        about = _jsdoc((each.__doc__ or "").split("\n\n")[0], "")
        parts.append(f"{about}\nexport class {each.__name__} extends {parent} {{{FIELDS.get(each.__name__, '')}}}")
    codes = "\n".join(f"  {code}: {each.__name__}," for each in tree if (code := code_of(each.__new__(each))))
    parts.append(
        "/** The error of each code. */\n"
        "export const BY_CODE: Readonly<\n"
        "  Record<string, new (message: string, options?: ErrorOptions) => RecuerdoError>\n"
        "> = {\n"
        f"{codes}\n}};"
    )
    return "\n\n".join(parts) + "\n"


def files() -> dict[Path, str]:
    """Every file that this script writes, and its text."""
    api = document()
    return {
        PYTHON / "answers.py": python_answers(api),
        PYTHON / "operations.py": python_operations(api),
        PYTHON / "options.py": python_options(api),
        TYPESCRIPT / "types.ts": typescript_types(api),
        TYPESCRIPT / "operations.ts": typescript_operations(api),
        TYPESCRIPT / "errors.ts": typescript_errors(),
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
