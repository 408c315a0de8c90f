"""The project's own source, as the rules of the house see it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "recuerdo"


class Module(NamedTuple):
    name: str
    path: Path
    tree: ast.Module

    @property
    def where(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def part(self) -> str:
        return part_of(self.name)


class Import(NamedTuple):
    """One import: `target` is a module's full name, `names` what is taken from it."""

    importer: Module
    line: int
    target: str
    names: tuple[str, ...]
    relative: bool

    def __str__(self) -> str:
        return f"{self.importer.where}:{self.line} imports {self.target}"


@cache
def modules() -> dict[str, Module]:
    return {module.name: module for module in map(_module, sorted(PACKAGE.rglob("*.py")))}


@cache
def imports() -> tuple[Import, ...]:
    return tuple(each for module in modules().values() for each in _imports(module))


def part_of(name: str) -> str:
    """The part of the house that a module is in: `core`, `history`, `cli` ...; empty for the package itself."""
    return name.removeprefix("recuerdo").lstrip(".").partition(".")[0]


def own_targets(one: Import) -> set[str]:
    """The modules of ours that an import leads to: `from recuerdo.core import errors` is `recuerdo.core.errors`."""
    if one.target.partition(".")[0] != "recuerdo":
        return set()
    submodules = {f"{one.target}.{name}" for name in one.names} & modules().keys()
    only_submodules = bool(one.names) and len(submodules) == len(one.names)
    return submodules if only_submodules else {one.target, *submodules}


def functions() -> Iterator[tuple[Module, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield module, node


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of the body, without the docstring."""
    has_docstring = ast.get_docstring(function, clean=False) is not None and len(function.body) > 1
    body = function.body[1:] if has_docstring else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1


def public_names(module: Module) -> list[str]:
    """`__all__` where there is one, else what the module defines without a leading underscore."""
    defined: list[str] = []
    for node in module.tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                defined.append(name)
            case ast.Assign(targets=targets, value=value):
                names = [name for target in targets for name in _names(target)]
                if names == ["__all__"]:
                    return sorted(ast.literal_eval(value))
                defined += names
            case ast.AnnAssign(target=ast.Name(id=name)):
                defined.append(name)
            case _:
                pass
    return sorted(name for name in defined if not name.startswith("_"))


def _names(target: ast.expr) -> list[str]:
    if isinstance(target, ast.Tuple):
        return [name for element in target.elts for name in _names(element)]
    return [target.id] if isinstance(target, ast.Name) else []


def _module(path: Path) -> Module:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, path, ast.parse(path.read_text("utf-8"), str(path)))


def _imports(module: Module) -> Iterator[Import]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, node.lineno, alias.name, (), relative=False)
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            yield Import(module, node.lineno, node.module or "", names, relative=node.level > 0)
