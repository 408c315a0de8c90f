"""Assistants: configured graphs.

Each graph has one of its own that every user sees. The others are private to a user, or shared by all users of a
tenant, which owns them itself as a TenantOwner.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from recuerdo.core.conditions import check_depth
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentQuery, contains, reader
from recuerdo.core.errors import AlreadyExists, InvalidInput, NotFound
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.ports import Clock
from recuerdo.core.runs import Assistant, Visibility
from recuerdo.core.scope import Owner, TenantOwner

_GRAPHS = uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
"""The name space in which LangGraph's clients expect the id of a graph's own assistant."""

_BEGINNING = datetime(2024, 1, 1, tzinfo=UTC)
_MOST = 1_000_000
T = TypeVar("T")
Changing = Callable[[Owner, str], Awaitable[object]]
"""Called with the owner and the id of an assistant that changes, once for each id that it is known by."""

Check = Callable[[Assistant], Awaitable[object]]
"""Raises InvalidInput for an assistant that can't be what it is configured to be."""

_encode = msgspec.json.Encoder().encode
_decode = reader("assistant", Assistant)


def own_assistant(graph_id: str, description: str | None = None) -> Assistant:
    """The assistant that a graph has without anybody making one."""
    return Assistant(
        assistant_id=str(uuid.uuid5(_GRAPHS, graph_id)),
        graph_id=graph_id,
        metadata={"created_by": "system"},
        name=graph_id,
        description=description,
        visibility="server",
        created_at=_BEGINNING,
        updated_at=_BEGINNING,
    )


class Assistants:
    """The assistants of all users over the graphs that this server has.

    A graph's own assistant is stored only when it is changed: a user for this user alone, a tenant for all of its
    users, whose default it is then. Where both have done so the user's counts. It may also stand for another one, which
    is then the default. To change what a tenant shares, act as its TenantOwner; see `holder`.
    """

    def __init__(
        self,
        documents: DocumentRepository,
        graphs: Mapping[str, str | None],
        clock: Clock,
        changing: Changing | None = None,
        check: Check | None = None,
    ) -> None:
        """`changing` is called before a change is made, and again before it is acknowledged. It may refuse.

        `check` looks at each assistant before it is kept.
        """
        self._check = check
        self._documents = documents
        self._clock = clock
        self._changing = changing
        self._own = {each.assistant_id: each for each in (own_assistant(*graph) for graph in graphs.items())}
        self._graphs = {each.graph_id: each.assistant_id for each in self._own.values()}

    async def get(self, owner: Owner, assistant_id: str) -> Assistant:
        """The assistant of this id: the owner's, the tenant's, or a graph's own. Raises NotFound."""
        mine, shared = await self._stored(owner, assistant_id)
        found = mine or shared or self._own.get(assistant_id)
        if found is None:
            raise NotFound("assistant", assistant_id)
        return found

    async def holder(self, owner: Owner, assistant_id: str) -> Owner:
        """The owner of what `get` finds: the tenant of what its users share. Raises NotFound."""
        mine, shared = await self._stored(owner, assistant_id)
        if mine is None and shared is not None:
            return TenantOwner(owner.tenant)
        if mine is None and assistant_id not in self._own:
            raise NotFound("assistant", assistant_id)
        return owner

    async def _stored(self, owner: Owner, assistant_id: str) -> tuple[Assistant | None, Assistant | None]:
        """The owner's assistant, and that of the tenant, as far as they are stored."""
        key = DocumentKey("assistant", assistant_id)
        mine = self._documents.get(owner, key)
        if isinstance(owner, TenantOwner):
            body, of_tenant = await mine, None
        else:
            body, of_tenant = await asyncio.gather(mine, self._documents.get(TenantOwner(owner.tenant), key))
        return _decode(body) if body else None, _decode(of_tenant) if of_tenant else None

    async def resolve(self, owner: Owner, name: str) -> Assistant:
        """The assistant of this id, or the own one of the graph of this name, or the one that this stands for.

        Raises NotFound or InvalidInput.
        """
        return await answering(await self.get(owner, self.id_of(name)), lambda target: self.get(owner, target))

    def id_of(self, name: str) -> str:
        """The id of the assistant that `resolve` looks for. Raises InvalidInput."""
        if name not in self._graphs and not is_uuid(name):
            known = ", ".join(self._graphs)
            raise InvalidInput("assistant_id", f"must be the UUID of an assistant, or one of the graphs {known}")
        return self._graphs.get(name, name)

    def is_own(self, assistant_id: str) -> bool:
        """Whether it is a graph's own assistant, which no user has created."""
        return assistant_id in self._own

    async def create(
        self, owner: Owner, assistant_id: str, graph_id: str, fields: Mapping[str, Any], *, reuse: bool = False
    ) -> Assistant:
        """Make an assistant; with `reuse`, the one that exists will do. Raises NotFound for an unknown graph,
        AlreadyExists.
        """
        if graph_id not in self._graphs:
            raise NotFound("graph", graph_id)
        now = self._clock()
        made = Assistant(
            assistant_id=assistant_id, graph_id=graph_id, created_at=now, updated_at=now, **_mirrored(fields)
        )
        made = replace(made, name=made.name or "Untitled", visibility=_visibility(owner))
        await self._look_at(made)
        _, shared = await self._stored(owner, assistant_id)

        def decide(documents: Sequence[Document]) -> Decision[Assistant]:
            existing = self._latest(assistant_id, documents, shared)
            if existing is None:
                return Decision(made, _rows(made))
            if not reuse:
                raise AlreadyExists("an assistant", assistant_id)
            return Decision(existing)

        return await self._change(owner, assistant_id, decide)

    async def update(self, owner: Owner, assistant_id: str, fields: Mapping[str, Any]) -> Assistant:
        """Make a new version with other fields; metadata is merged.

        A graph's own assistant `stands_for` another until its next change. Raises NotFound or InvalidInput.
        """
        if fields.get("graph_id") not in (None, *self._graphs):
            raise NotFound("graph", str(fields["graph_id"]))
        if fields.get("stands_for") is not None:
            await self._check_target(owner, assistant_id, str(fields["stands_for"]))
        versions = await self._all_versions(owner, assistant_id)
        now = self._clock()
        _, shared = await self._stored(owner, assistant_id)

        def changed(current: Assistant) -> Assistant:
            metadata = {**current.metadata, **fields.get("metadata", {})}
            version = max([current.version, *(each.version for each in versions)]) + 1
            given = _mirrored({**fields, "metadata": metadata})
            given = {"stands_for": None, **given, "visibility": _visibility(owner)}
            return replace(current, **given, version=version, updated_at=now)

        def decide(documents: Sequence[Document]) -> Decision[Assistant]:
            current = self._latest(assistant_id, documents, shared)
            if current is None:
                raise NotFound("assistant", assistant_id)
            return Decision(after := changed(current), [*_rows(current)[1:], *_rows(after)])

        await self._look_at(changed(await self.get(owner, assistant_id)))
        return await self._change(owner, assistant_id, decide)

    async def share(self, owner: Owner, assistant_id: str) -> Assistant:
        """Hand the owner's assistant over to the tenant, with its versions; one that is shared already stays.

        Raises NotFound, or AlreadyExists where the tenant has another of this id.
        """
        mine, shared = await self._stored(owner, assistant_id)
        if mine is None and shared is None:
            raise NotFound("assistant", assistant_id)
        if mine is None:
            return await self.get(owner, assistant_id)
        versions = [replace(each, visibility="tenant") for each in await self._all_versions(owner, assistant_id)]
        given = replace(mine, visibility="tenant")

        def decide(documents: Sequence[Document]) -> Decision[Assistant]:
            existing = self._latest(assistant_id, documents, None)
            if existing is not None and existing.created_at != mine.created_at:
                raise AlreadyExists("an assistant", assistant_id)
            return Decision(given, [*(_rows(each)[1] for each in versions), _rows(given)[0]])

        await self._change(TenantOwner(owner.tenant), assistant_id, decide)
        await self._change(owner, assistant_id, lambda _: Decision(None, erase=True))
        return given

    async def make_default(self, owner: Owner, assistant_id: str) -> Assistant:
        """Let this assistant answer where none of its graph is named. Raises NotFound or InvalidInput."""
        target = await self.get(owner, assistant_id)
        await self.update(owner, self._graphs[target.graph_id], {"stands_for": assistant_id})
        return target

    async def set_latest(self, owner: Owner, assistant_id: str, version: int) -> Assistant:
        """Go back to a version. Raises NotFound."""
        chosen = next((each for each in await self._all_versions(owner, assistant_id) if each.version == version), None)
        if chosen is None:
            raise NotFound("version of the assistant", f"{assistant_id} {version}")
        await self._look_at(chosen)
        chosen = replace(chosen, updated_at=self._clock())
        return await self._change(owner, assistant_id, lambda _: Decision(chosen, _rows(chosen)[:1]))

    async def versions(
        self, owner: Owner, assistant_id: str, *, metadata: Mapping[str, Any], limit: int, offset: int
    ) -> list[Assistant]:
        """The assistant's versions, the latest first. Raises NotFound or InvalidInput."""
        check_depth("metadata", metadata)
        found = [each for each in await self._all_versions(owner, assistant_id) if contains(each.metadata, metadata)]
        return found[offset : offset + limit]

    async def delete(self, owner: Owner, assistant_id: str) -> None:
        """Remove the assistant with its versions; a graph's own one is as it was, or as the tenant has it. Raises
        NotFound.

        Where it was the default of its graph, the graph's own assistant answers again.
        """
        found = await self.get(owner, assistant_id)
        await self._change(owner, assistant_id, lambda _: Decision(None, erase=True))
        default = self._graphs.get(found.graph_id)
        own = None if default is None else await self.get(owner, default)
        if own is not None and own.stands_for == assistant_id and own.visibility == found.visibility:
            await self.update(owner, own.assistant_id, {"stands_for": None})

    async def search(
        self, owner: Owner, query: DocumentQuery, stored_query: DocumentQuery | None = None
    ) -> list[Assistant]:
        """The user's assistants, those that the tenant shares, and the graphs' own that match.

        `stored_query` selects among those that users made; without it `query` does.
        """

        def rank(each: Assistant) -> Any:
            return getattr(each, query.sort_by), each.assistant_id

        others = [*await self._own_fitting(owner, query), *await self._shared(owner, stored_query or query)]
        others = sorted(others, key=rank, reverse=query.descending)
        first = replace(stored_query or query, limit=query.offset + query.limit + len(self._own), offset=0)
        stored = map(_decode, await self._documents.select(owner, "assistant", first))
        made = (each for each in stored if each.assistant_id not in self._own)
        return [
            *islice(merge(made, others, key=rank, reverse=query.descending), query.offset, query.offset + query.limit)
        ]

    async def count(self, owner: Owner, query: DocumentQuery, stored_query: DocumentQuery | None = None) -> int:
        """Counts what `search` finds, whatever the limit."""
        others = stored_query or query
        stored = await self._documents.count(owner, "assistant", others)
        changed = await self._documents.count(owner, "assistant", replace(others, ids=[*self._own]))
        own, shared = await self._own_fitting(owner, query), await self._shared(owner, others)
        return stored - changed + len(own) + len(shared)

    async def _own_fitting(self, owner: Owner, query: DocumentQuery) -> list[Assistant]:
        """The graphs' own that match, as the tenant and the user have changed them."""
        own, changed = dict(self._own), DocumentQuery(ids=[*self._own], limit=_MOST)
        for holder in (TenantOwner(owner.tenant), owner):
            rows = map(_decode, await self._documents.select(holder, "assistant", changed))
            own |= {each.assistant_id: each for each in rows}
        return [each for each in own.values() if _fits(each, query)]

    async def _shared(self, owner: Owner, query: DocumentQuery) -> list[Assistant]:
        """The tenant's assistants that match, except the graphs' own and those whose ids the owner has too."""
        if isinstance(owner, TenantOwner):
            return []
        tenant = TenantOwner(owner.tenant)
        rows = await self._documents.select(tenant, "assistant", replace(query, limit=_MOST, offset=0))
        found = [each for each in map(_decode, rows) if each.assistant_id not in self._own]
        ids = DocumentQuery(ids=[each.assistant_id for each in found], limit=_MOST)
        mine = (
            {_decode(row).assistant_id for row in await self._documents.select(owner, "assistant", ids)}
            if found
            else ()
        )
        return [each for each in found if each.assistant_id not in mine]

    async def _all_versions(self, owner: Owner, assistant_id: str) -> list[Assistant]:
        current, holder = await self.get(owner, assistant_id), await self.holder(owner, assistant_id)
        query = DocumentQuery(group=assistant_id, sort_by="version", limit=_MOST)
        return [*map(_decode, await self._documents.select(holder, "version", query))] or [current]

    async def _change(self, owner: Owner, assistant_id: str, decide: Callable[[Sequence[Document]], Decision[T]]) -> T:
        await self._notify(owner, assistant_id)  # without the notification nothing is changed
        result = await self._documents.change(owner, assistant_id, [DocumentKey("assistant", assistant_id)], decide)
        await self._notify(owner, assistant_id)
        return result

    async def _check_target(self, owner: Owner, assistant_id: str, target_id: str) -> None:
        own = self._own.get(assistant_id)
        if own is None:
            raise InvalidInput("stands_for", "is for a graph's own assistant, which answers where none is named")
        target = await self.get(owner, target_id)
        if target_id == assistant_id or target.graph_id != own.graph_id:
            raise InvalidInput("stands_for", f"must be another assistant of the graph {own.graph_id}")

    async def _look_at(self, assistant: Assistant) -> None:
        if self._check is not None:
            await self._check(assistant)

    async def _notify(self, owner: Owner, assistant_id: str) -> None:
        if self._changing is None:
            return
        names = [assistant_id]
        for own in self._own.values():
            stored = await self._stored(owner, own.assistant_id)
            if assistant_id in (own.assistant_id, *(each.stands_for for each in stored if each)):
                names += [own.assistant_id, own.graph_id]
        for name in dict.fromkeys(names):
            await self._changing(owner, name)

    def _latest(self, assistant_id: str, documents: Sequence[Document], shared: Assistant | None) -> Assistant | None:
        stored = next((_decode(each.body) for each in documents if each.kind == "assistant"), None)
        return stored or shared or self._own.get(assistant_id)


async def answering(found: Assistant, get: Callable[[str], Awaitable[Assistant]]) -> Assistant:
    """The assistant that this one stands for, as long as there is one; else itself."""
    if found.stands_for is not None:
        with suppress(NotFound):
            return await get(found.stands_for)
    return found


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID, as LangGraph's clients write it."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def _visibility(owner: Owner) -> Visibility:
    return "tenant" if isinstance(owner, TenantOwner) else "private"


def _rows(assistant: Assistant) -> list[Document]:
    """The assistant as it is, and as the version that it is of itself."""
    body, assistant_id = _encode(assistant), assistant.assistant_id
    return [
        Document("assistant", assistant_id, assistant_id, body),
        Document("version", f"{assistant_id}:{assistant.version}", assistant_id, body),
    ]


def _mirrored(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration may come as `config.configurable` or as `context`: clients read either."""
    given = {name: value for name, value in fields.items() if value is not None}
    config: dict[str, Any] = given.get("config") or {}
    configurable = config.get("configurable")
    if configurable and not given.get("context"):
        given["context"] = configurable
    elif given.get("context") and not configurable:
        given["config"] = {**config, "configurable": given["context"]}
    return given


def _fits(assistant: Assistant, query: DocumentQuery) -> bool:
    where = dict(query.where)
    return (
        contains(assistant.metadata, where.pop("metadata", {}))
        and all(getattr(assistant, field) == value for field, value in where.items())
        and all(text.casefold() in getattr(assistant, field).casefold() for field, text in query.like.items())
    )
