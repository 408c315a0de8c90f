"""LangGraph's own serializer, made strict at the right end, and the types that a graph allows by naming them.

A value that may not be read is refused when it is written. LangGraph collects the types of a graph's schemas, and tells
a saver only where LANGGRAPH_STRICT_MSGPACK is on, which no default is. Ours is strict always, and so has to be told
always: see ADR 0033.
"""

import functools
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice
from types import CodeType, FunctionType, ModuleType
from typing import Annotated, Any, Literal, Self, TypeVar, cast, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

import ormsgpack
from langchain_core.runnables import RunnableSequence
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_METHODS, SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import (
    EXT_DELTA_SNAPSHOT,
    EXT_METHOD_SINGLE_ARG,
    EXT_NUMPY_ARRAY,
    JsonPlusSerializer,
)
from langgraph.func import _TaskFunction as Task  # pyright: ignore[reportPrivateUsage]
from langgraph.pregel import Pregel

from recuerdo.core.errors import InvalidInput

OPTIONS = (
    ormsgpack.OPT_NON_STR_KEYS
    | ormsgpack.OPT_PASSTHROUGH_DATACLASS
    | ormsgpack.OPT_PASSTHROUGH_DATETIME
    | ormsgpack.OPT_PASSTHROUGH_ENUM
    | ormsgpack.OPT_PASSTHROUGH_UUID
    | ormsgpack.OPT_REPLACE_SURROGATES
)
"""LangGraph's options of packing: types that MessagePack does not have are left to the extension types."""


_LENIENT = ("0", "false", "no")


_log = logging.getLogger(__name__)
TypeName = tuple[str, str]
_ROOTS = ("pydantic.", "enum", "builtins", "langchain_core.load.")
"""Modules of classes that are so general that naming one names none of its subclasses."""

_known: "WeakKeyDictionary[Any, frozenset[TypeName]]" = WeakKeyDictionary()


def advise(module: str, name: str) -> str:
    """How a program allows a type."""
    return f"RecuerdoSaver(..., allow=[{name}])"


class StrictSerializer(JsonPlusSerializer):
    """Packs only plain data, the types that LangGraph considers safe, and the allowed ones.

    LangGraph checks types when it reads; then the state is in the database, and comes back as something else. Here a
    value of another type raises InvalidInput when it is written; `advice` says of its module and name how it would be
    allowed. Where LANGGRAPH_STRICT_MSGPACK says `false`, or `allow` is True, LangGraph's own serializer decides: it
    takes them all, and warns.
    """

    def __init__(
        self, allow: Iterable[tuple[str, ...] | type] | Literal[True] = (), advice: Callable[[str, str], str] = advise
    ) -> None:
        is_lenient = allow is True or os.environ.get("LANGGRAPH_STRICT_MSGPACK", "").lower() in _LENIENT
        super().__init__(allowed_msgpack_modules=True if is_lenient else [*cast(Iterable[Any], allow)] or None)
        self._advice = advice
        self._wider: dict[frozenset[tuple[str, ...]], Self] = {}

    def with_msgpack_allowlist(self, extra_allowlist: Iterable[tuple[str, ...] | type]) -> Self:
        """A serializer that allows more types."""
        extra = frozenset(cast(Iterable[Any], extra_allowlist))
        if extra not in self._wider:
            wider = cast(Self, super().with_msgpack_allowlist(extra))
            if wider is not self:
                wider._wider = {}
            self._wider[extra] = wider
        return self._wider[extra]

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The type and the bytes of a value. Raises InvalidInput when it holds what may not be read."""
        if type(obj) is bytearray:
            return super().dumps_typed(obj)  # MessagePack would make bytes of it
        try:
            return "msgpack", ormsgpack.packb(obj, option=OPTIONS)
        except ormsgpack.MsgpackEncodeError:
            pass  # not only plain data
        try:
            kind, data = super().dumps_typed(obj)
        except (TypeError, ormsgpack.MsgpackEncodeError) as error:
            raise InvalidInput("checkpoint", f"{_name(obj)} can't be saved: {error}") from error
        if kind == "msgpack" and (forbidden := self._forbidden_type(data)) is not None:
            raise InvalidInput(
                "checkpoint",
                f"{'.'.join(forbidden)} is not a type that may be read from a checkpoint. If it is yours, name it in "
                f"the graph's schema, or allow it: {self._advice(*forbidden)}.",
            )
        return kind, data

    def _forbidden_type(self, data: bytes) -> tuple[str, str] | None:
        """The first type in the data that may not be read, by its module and name."""
        forbidden: list[tuple[str, str]] = []
        self._look(data, forbidden)
        return forbidden[0] if forbidden else None

    def _look(self, data: bytes, forbidden: list[tuple[str, str]]) -> Any:
        def hook(code: int, inner: bytes) -> Any:
            if code == EXT_NUMPY_ARRAY:
                return None
            found = self._look(inner, forbidden)
            if code != EXT_DELTA_SNAPSHOT and not self._may_be_read(code, found):
                forbidden.append((found[0], found[1]))
            return None

        return ormsgpack.unpackb(data, ext_hook=hook, option=ormsgpack.OPT_NON_STR_KEYS)

    def _may_be_read(self, code: int, found: Any) -> bool:
        if code == EXT_METHOD_SINGLE_ARG:
            return (found[0], found[1], found[3]) in SAFE_MSGPACK_METHODS
        allowed = self._allowed_msgpack_modules
        if allowed is True:
            return True
        return (found[0], found[1]) in SAFE_MSGPACK_TYPES or (isinstance(allowed, set) and tuple(found[:2]) in allowed)


def _name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


_DEEPEST, _MOST_LOOKED_AT = 4, 100
"""How far into what a function encloses: the format of an agent's answers is in a table there."""


def types_of(graph: Any) -> frozenset[TypeName]:
    """The classes of data, by module and name, that the graph's schemas, nodes and tasks name, and its subgraphs'."""
    nodes = graph.nodes.values()
    node = next(iter(nodes), None)  # copies of a graph share their nodes
    if node is None:
        return frozenset()
    if node not in _known:
        types = _Types()
        for each in _schemas(graph):
            types.add(each)
        for each in nodes:
            for function in _functions(each.bound):
                types.add_named_by(function)
        inner = (types_of(each) for each in _subgraphs(nodes))
        _known[node] = frozenset(types.found).union(*inner)
    return _known[node]


def _schemas(graph: Any) -> Iterator[Any]:
    yield graph.context_schema
    for channel in graph.channels.values():
        yield getattr(channel, "ValueType", None)
        yield getattr(channel, "UpdateType", None)
    builder = getattr(graph, "builder", None)
    if builder is None:
        return
    yield from (builder.state_schema, builder.input_schema, builder.output_schema)
    yield from builder.schemas
    for node in builder.nodes.values():
        yield node.input_schema
    for branches in builder.branches.values():
        yield from (branch.input_schema for branch in branches.values())


def _subgraphs(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        for graph in node.subgraphs or ():
            if isinstance(graph, Pregel):  # and none that runs elsewhere
                yield cast(Any, graph)


def _functions(runnable: Any) -> Iterator[Any]:
    if isinstance(runnable, RunnableSequence):
        for step in cast(Any, runnable).steps:
            yield from _functions(step)
        return
    for name in ("func", "afunc"):
        if (function := getattr(runnable, name, None)) is not None:
            yield function


class _Types:
    """Gathers classes of data: models, dataclasses, enumerations, named tuples, and what they are made of."""

    def __init__(self) -> None:
        self.found: set[TypeName] = set()
        self._seen: list[Any] = []
        self._seen_ids: set[int] = set()

    def add(self, named: Any) -> None:
        """Take the type, and all that it names."""
        if named is None or id(named) in self._seen_ids:
            return
        self._seen_ids.add(id(named))
        self._seen.append(named)  # so that no other gets its id
        if isinstance(named, TypeVar):
            self._add_all((named.__bound__, *named.__constraints__))
        elif (plain := getattr(named, "__supertype__", None) or _aliased(named)) is not None:
            self.add(plain)
        elif (origin := get_origin(named)) is not None:
            self._add_generic(origin, get_args(named))
        elif hasattr(named, "__required_keys__"):
            self._add_all(_hints(named).values())
        elif isinstance(named, type):
            self._add_class(cast(type[Any], named))

    def add_named_by(self, function: Any) -> None:
        """Take what the function's annotations name, and the classes and tasks that its body does."""
        function = _plain_function(function)
        if function is None or id(function) in self._seen_ids:
            return
        self._seen_ids.add(id(function))
        self._seen.append(function)
        self._add_all(_hints(function).values())
        names = {*_names(function.__code__)}
        self._add_held(_named_in(function.__globals__, names, set()), _DEEPEST)
        self._add_held(_enclosed(function), 0)

    def _add_held(self, values: Iterable[Any], depth: int) -> None:
        """Take classes and tasks that a function refers to, and those inside it."""
        for each in values:
            if isinstance(each, Task):
                self.add_named_by(cast(Any, each).func)
            elif isinstance(each, type):
                self.add(each)
            elif depth < _DEEPEST and isinstance(each, FunctionType):
                self.add_named_by(each)
            elif depth < _DEEPEST:
                self._add_held(_within(each), depth + 1)

    def _add_all(self, named: Iterable[Any]) -> None:
        for each in named:
            self.add(each)

    def _add_generic(self, origin: Any, arguments: tuple[Any, ...]) -> None:
        if origin is Literal:
            self._add_all(type(each) for each in arguments if isinstance(each, Enum))
            return
        self._add_all(arguments[:1] if origin is Annotated else arguments)
        self.add(origin)

    def _add_class(self, named: type[Any]) -> None:
        inner = _parts(named)
        if named.__module__.startswith(_ROOTS) and not _is_secret(named):
            return
        if inner is None:
            return
        self.found.add((named.__module__, named.__name__))
        self._add_all(inner)
        self._add_all(type.__subclasses__(named))  # a value may be of any of them


def _parts(named: type[Any]) -> list[Any] | None:
    """The types of the fields of a class of data; None of another class."""
    known: Any = named
    if hasattr(named, "__pydantic_generic_metadata__"):  # a model of pydantic 2
        generic = known.__pydantic_generic_metadata__
        return [*(field.annotation for field in known.model_fields.values()), generic["origin"], *generic["args"]]
    if hasattr(named, "__fields__") and hasattr(named, "parse_obj"):  # and of pydantic 1
        return [field.outer_type_ for field in known.__fields__.values()]
    if is_dataclass(named):
        return [*_hints(named).values()] or [field.type for field in fields(named)]
    if issubclass(named, tuple) and hasattr(known, "_fields"):
        return [*_hints(named).values()]
    return [] if issubclass(named, Enum) or _is_secret(named) else None


def _is_secret(named: Any) -> bool:
    """Whether it is SecretStr of pydantic, or another of its kind."""
    return hasattr(named, "get_secret_value")


def _hints(named: Any) -> dict[str, Any]:
    try:
        module = sys.modules.get(getattr(named, "__module__", ""))
        return get_type_hints(named, globalns=vars(module) if module else None, include_extras=True)
    except Exception:  # names that are not there at run time
        return {}


def _aliased(named: Any) -> Any:
    return getattr(named, "__value__", None) if type(named).__name__ == "TypeAliasType" else None


def _plain_function(function: Any) -> FunctionType | None:
    while isinstance(function, functools.partial):
        function = cast("functools.partial[Any]", function).func
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType):
        function = getattr(cast(Any, type(function)), "__call__", None)  # noqa: B004 - an object that is called as a node
    return function if isinstance(function, FunctionType) else None


def _enclosed(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # nothing is in it yet
            continue


def _named_in(space: Mapping[str, Any], names: set[str], seen: set[str]) -> Iterator[Any]:
    """The values that have one of the names, also as `module.Name`."""
    for name in names & space.keys():
        yield (value := space[name])
        if isinstance(value, ModuleType) and value.__name__ not in seen:
            seen.add(value.__name__)
            yield from _named_in(vars(value), names, seen)


def _within(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*islice(cast(dict[Any, Any], value).values(), _MOST_LOOKED_AT)]
    if isinstance(value, list | tuple):
        return cast(list[Any], value)[:_MOST_LOOKED_AT]
    if is_dataclass(value):
        return [getattr(value, field.name, None) for field in fields(value)]
    return ()


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def announce_types(wants: Callable[[Any], bool]) -> None:
    """Pass the types of each graph to savers that take them, by `with_allowlist`, before the graph runs.

    Other savers are told as LangGraph tells them. Where LangGraph has no hook for it, nothing is passed.
    """
    theirs: Any = getattr(Pregel, "_apply_checkpointer_allowlist", None)
    if theirs is None:
        return

    def told(graph: Any, checkpointer: Any) -> Any:
        if not wants(checkpointer):
            return theirs(graph, checkpointer)
        try:
            types = types_of(graph)
        except Exception as error:  # of a user's own classes: the run continues with the types that are listed
            _log.warning("the types of a graph can't be read: %s", type(error).__name__, exc_info=error)
            types = frozenset[TypeName]()
        return checkpointer.with_allowlist(types)

    cast(Any, Pregel)._apply_checkpointer_allowlist = told
