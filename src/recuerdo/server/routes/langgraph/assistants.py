"""Assistants: configured graphs and their versions."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from recuerdo.core.audit import AuditAction
from recuerdo.core.documents import DocumentQuery
from recuerdo.core.errors import Forbidden
from recuerdo.core.identifiers import new_id
from recuerdo.core.roles import EDITOR_ROLE
from recuerdo.core.runs import Assistant
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.history.history import utc_now
from recuerdo.server.answers import JsonResponse
from recuerdo.server.documentation import documented
from recuerdo.server.requests import ApiCall, RuledCall
from recuerdo.server.routes.langgraph.answering import (
    BodyUuid,
    LangGraphBody,
    Limit,
    Metadata,
    Offset,
    PageBody,
    answer,
    bounded_page,
)

router = APIRouter(prefix="/assistants", tags=["assistants"])

AssistantName = Annotated[str, Path(description="An assistant's id, or the name of a graph for its own assistant.")]


_AssistantField = Literal[
    "assistant_id",
    "graph_id",
    "name",
    "description",
    "config",
    "context",
    "metadata",
    "version",
    "visibility",
    "stands_for",
    "created_at",
    "updated_at",
]


class AssistantFields(LangGraphBody):
    """The fields of an assistant."""

    config: dict[str, Any] | None = None
    context: dict[str, Any] | None = None
    metadata: Metadata | None = None
    name: str | None = None
    description: str | None = None


class AssistantBody(AssistantFields):
    """A new assistant over a graph, for its user or, with the visibility `tenant`, for all users of the tenant."""

    graph_id: str
    visibility: Literal["private", "tenant"] = "private"
    assistant_id: BodyUuid | None = None
    if_exists: Literal["raise", "do_nothing"] = "raise"


class AssistantChange(AssistantFields):
    """The fields that the assistant's next version has instead."""

    graph_id: str | None = None
    visibility: Literal["tenant"] | None = None
    stands_for: BodyUuid | None = None


class AssistantCount(LangGraphBody):
    """Which assistants."""

    metadata: Metadata | None = None
    graph_id: str | None = None
    name: str | None = None

    def query(self, **more: Any) -> DocumentQuery:
        """The same as a query."""
        where: dict[str, Any] = {"metadata": self.metadata} if self.metadata else {}
        if self.graph_id:
            where["graph_id"] = self.graph_id
        return DocumentQuery(where=where, like={"name": self.name} if self.name else {}, **more)


class AssistantSearch(AssistantCount, PageBody):
    """Which assistants, in which order, and what to show of them."""

    select: list[_AssistantField] | None = None
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] = "created_at"


class VersionsBody(LangGraphBody):
    """Which versions of an assistant."""

    metadata: Metadata | None = None
    limit: Limit = 10
    offset: Offset = 0


class LatestBody(LangGraphBody):
    """The version to go back to."""

    version: int


def _tenant(call: ApiCall) -> TenantOwner:
    """The tenant, for a caller who decides what its users share. Raises Forbidden for others."""
    if not call.may(EDITOR_ROLE):
        raise Forbidden(
            f"What all users of a tenant share is for the role {EDITOR_ROLE!r}. Make an assistant of your own."
        )
    return TenantOwner(call.owner.tenant)


async def _holder(call: ApiCall, assistant_id: UUID) -> tuple[Owner, str]:
    """The owner of the assistant, for a caller who may change it, and its id. Raises Forbidden or NotFound."""
    holder = await call.graphs.assistants.holder(call.owner, str(assistant_id))
    return _tenant(call) if isinstance(holder, TenantOwner) else holder, str(assistant_id)


@router.post("", responses=documented(Assistant, 403, 404, 409))
async def create_assistant(body: AssistantBody, call: RuledCall) -> JsonResponse:
    """Make an assistant over a graph, or with the visibility `tenant` one for all users of the tenant."""
    fields = body.model_dump(include={"config", "context", "metadata", "name", "description"})
    began = utc_now()
    assistant = await call.graphs.assistants.create(
        _tenant(call) if body.visibility == "tenant" else call.owner,
        str(body.assistant_id or new_id()),
        body.graph_id,
        fields,
        reuse=body.if_exists == "do_nothing",
    )
    if body.if_exists == "raise" or assistant.created_at >= began:
        _record(call, "assistant.created", assistant)
    return answer(assistant)


@router.post("/search", responses=documented(None))
async def search_assistants(body: AssistantSearch, call: RuledCall) -> JsonResponse:
    """The caller's assistants, those that the tenant shares, and the graphs' own that match."""
    query = body.query(**body.part())
    found = await call.graphs.assistants.search(call.owner, query)
    total = await call.graphs.assistants.count(call.owner, query)
    return bounded_page(call, found, body.offset, total, body.select)


@router.post("/count", responses=documented(None))
async def count_assistants(body: AssistantCount, call: RuledCall) -> JsonResponse:
    """How many match."""
    return answer(await call.graphs.assistants.count(call.owner, body.query()))


@router.get("/{assistant_id}", responses=documented(Assistant, 404))
async def get_assistant(assistant_id: UUID, call: RuledCall) -> JsonResponse:
    """One assistant, in its latest version."""
    return answer(await call.graphs.assistants.get(call.owner, str(assistant_id)))


@router.patch("/{assistant_id}", responses=documented(Assistant, 403, 404, 409))
async def update_assistant(assistant_id: UUID, body: AssistantChange, call: RuledCall) -> JsonResponse:
    """Make a new version of the assistant; metadata is merged.

    With the visibility `tenant` a private assistant is handed over to all users of the tenant, and a graph's own one is
    changed for them. A graph's own assistant that `stands_for` another makes that one the default.
    """
    assistants, name = call.graphs.assistants, str(assistant_id)
    fields = body.model_dump(mode="json", exclude_none=True, exclude={"visibility"})
    if body.visibility == "tenant":
        holder: Owner = _tenant(call)
        if not assistants.is_own(name):
            shared = await assistants.share(call.owner, name)
            _record(call, "assistant.shared", shared)
            if not fields:
                return answer(shared)
    elif assistants.is_own(name):
        holder = call.owner
    else:
        holder, _ = await _holder(call, assistant_id)
    changed = await assistants.update(holder, name, fields)
    _record(call, "assistant.changed", changed)
    return answer(changed)


@router.delete("/{assistant_id}", status_code=204, responses=documented(None, 403, 404, status=204))
async def delete_assistant(
    assistant_id: UUID,
    call: RuledCall,
    delete_threads: Annotated[bool, Query(description="Whether to delete the assistant's threads, too.")] = False,
) -> Response:
    """Remove the assistant and its versions."""
    holder, name = await _holder(call, assistant_id)
    await call.graphs.assistants.delete(holder, name)
    call.audit("assistant.deleted", name, visibility="tenant" if isinstance(holder, TenantOwner) else "private")
    if delete_threads:
        await call.graphs.runs.delete_threads(call.owner, {"assistant_id": str(assistant_id)})
    return Response(status_code=204)


@router.post("/{assistant_id}/versions", responses=documented(None, 404))
async def list_assistant_versions(assistant_id: UUID, body: VersionsBody, call: RuledCall) -> JsonResponse:
    """The assistant's versions, the latest first."""
    versions = await call.graphs.assistants.versions(
        call.owner, str(assistant_id), metadata=body.metadata or {}, limit=body.limit, offset=body.offset
    )
    return bounded_page(call, versions, body.offset)


@router.post("/{assistant_id}/latest", responses=documented(Assistant, 403, 404))
async def set_latest_assistant_version(assistant_id: UUID, body: LatestBody, call: RuledCall) -> JsonResponse:
    """Go back to a version of the assistant."""
    holder, name = await _holder(call, assistant_id)
    changed = await call.graphs.assistants.set_latest(holder, name, body.version)
    _record(call, "assistant.changed", changed)
    return answer(changed)


def _record(call: ApiCall, action: AuditAction, assistant: Assistant) -> None:
    details = {"visibility": assistant.visibility, "version": str(assistant.version)}
    call.audit(action, assistant.assistant_id, **details)


@router.get("/{assistant_id}/graph", responses=documented(None, 404))
async def get_assistant_graph(
    assistant_id: AssistantName,
    call: RuledCall,
    xray: Annotated[bool | int, Query(description="Whether, or how deep, to look into subgraphs.")] = False,
) -> JsonResponse:
    """The assistant's graph: nodes and edges."""
    assistant = await call.graphs.assistants.resolve(call.owner, assistant_id)
    return answer(await (await call.graphs.host()).drawing(call.owner, assistant, xray))


@router.get("/{assistant_id}/schemas", responses=documented(None, 404))
async def get_assistant_schemas(assistant_id: AssistantName, call: RuledCall) -> JsonResponse:
    """The JSON Schemas of the assistant's graph: input, output, state, config and context."""
    assistant = await call.graphs.assistants.resolve(call.owner, assistant_id)
    return answer(await (await call.graphs.host()).schemas(call.owner, assistant))


@router.get("/{assistant_id}/subgraphs", responses=documented(None, 404))
async def list_assistant_subgraphs(
    assistant_id: AssistantName,
    call: RuledCall,
    recurse: Annotated[bool, Query(description="Whether to look into subgraphs of subgraphs.")] = False,
) -> JsonResponse:
    """The schemas of the graph's subgraphs, by their namespaces."""
    return answer(await _subgraphs(call, assistant_id, None, recurse))


@router.get("/{assistant_id}/subgraphs/{namespace}", responses=documented(None, 404))
async def get_assistant_subgraph(
    assistant_id: AssistantName,
    namespace: Annotated[str, Path(description="The subgraph's namespace: the names of its nodes, joined by `|`.")],
    call: RuledCall,
    recurse: Annotated[bool, Query(description="Whether to look into subgraphs of subgraphs.")] = False,
) -> JsonResponse:
    """The schemas of one subgraph."""
    return answer(await _subgraphs(call, assistant_id, namespace, recurse))


async def _subgraphs(call: ApiCall, assistant_id: AssistantName, namespace: str | None, recurse: bool) -> Any:
    assistant = await call.graphs.assistants.resolve(call.owner, assistant_id)
    return await (await call.graphs.host()).subgraphs(call.owner, assistant, namespace, recurse=recurse)
