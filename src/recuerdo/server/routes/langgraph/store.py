"""The caller's store: items under namespaces, which graphs see as their store, too."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field

from recuerdo.core.errors import Forbidden, InvalidInput
from recuerdo.core.items import is_shared
from recuerdo.core.roles import EDITOR_ROLE
from recuerdo.server.answers import JsonResponse
from recuerdo.server.documentation import documented
from recuerdo.server.requests import ApiCall, RuledCall
from recuerdo.server.routes.langgraph.answering import Answered, LangGraphBody, Limit, Offset, answer

router = APIRouter(prefix="/store", tags=["store"])


Label = Annotated[str, Field(min_length=1, pattern=r"^[^.\x00]+$")]
"""Of a namespace of the store."""


class ItemKey(LangGraphBody):
    """Where an item of the store is."""

    namespace: list[Label] = []  # noqa: RUF012 - pydantic copies it
    key: str


class ItemBody(ItemKey):
    """An item to put: `index` says what of it is searched for meaning, `ttl` how many minutes it lives."""

    value: dict[str, Any]
    index: Literal[False] | list[str] | None = None
    ttl: float | None = None


class ItemSearch(LangGraphBody):
    """Which items below a namespace, by filter and by meaning."""

    namespace_prefix: list[Label] = []  # noqa: RUF012 - pydantic copies it
    filter: dict[str, Any] | None = None
    query: str | None = None
    limit: Limit = 10
    offset: Offset = 0
    refresh_ttl: bool | None = None


class NamespacesBody(LangGraphBody):
    """Which namespaces."""

    prefix: list[Label] | None = None
    suffix: list[Label] | None = None
    max_depth: int | None = Field(None, ge=1)
    limit: Limit = 100
    offset: Offset = 0


@router.put("/items", status_code=204, responses=documented(None, 403, status=204))
async def put_item(body: ItemBody, call: RuledCall) -> Response:
    """Put an item, in place of one that is there. Items that all users share are changed by editors."""
    _check_shared(call, body.namespace)
    more: dict[str, Any] = {"index": body.index} if body.index is not None else {}
    if body.ttl is not None:
        more["ttl"] = body.ttl
    store = await _store(call)
    try:
        with _keeping_rules():
            await store.aput(_namespace(body.namespace), body.key, body.value, **more)
    except NotImplementedError as error:
        raise InvalidInput("ttl", "is not kept by the store of this database; leave it out") from error
    return Response(status_code=204)


@router.get("/items", responses=documented(None))
async def get_item(
    call: RuledCall,
    key: Annotated[str, Query(description="The item's key.")],
    namespace: Annotated[str, Query(description="The item's namespace, its labels joined by dots.")] = "",
    refresh_ttl: Annotated[bool | None, Query(description="Whether its time to live begins again.")] = None,
) -> JsonResponse:
    """One item; null when there is none."""
    store, labels = await _store(call), tuple(namespace.split(".")) if namespace else ()
    with _keeping_rules():
        item = await store.aget(_namespace(labels), key, refresh_ttl=refresh_ttl)
    return answer(item.dict() if item is not None else None)


@router.delete("/items", status_code=204, responses=documented(None, 403, status=204))
async def delete_item(body: ItemKey, call: RuledCall) -> Response:
    """Remove an item, if there is one."""
    _check_shared(call, body.namespace)
    store = await _store(call)
    await store.adelete(_namespace(body.namespace), body.key)
    return Response(status_code=204)


@router.post("/items/search", responses=documented(None))
async def search_items(body: ItemSearch, call: RuledCall) -> JsonResponse:
    """Items below a namespace, by filter and by meaning."""
    store = await _store(call)
    found = await store.asearch(
        tuple(body.namespace_prefix),
        query=body.query,
        filter=body.filter,
        limit=body.limit,
        offset=body.offset,
        refresh_ttl=body.refresh_ttl,
    )
    answered = Answered(call.services.history.most_bytes)
    for item in found:
        if not answered.add(item.dict()):
            break
    return answer({"items": answered.entries})


@router.post("/namespaces", responses=documented(None))
async def list_namespaces(body: NamespacesBody, call: RuledCall) -> JsonResponse:
    """The namespaces that hold items."""
    store = await _store(call)
    found = await store.alist_namespaces(
        prefix=tuple(body.prefix) if body.prefix else None,
        suffix=tuple(body.suffix) if body.suffix else None,
        max_depth=body.max_depth,
        limit=body.limit,
        offset=body.offset,
    )
    return answer({"namespaces": [list(each) for each in found]})


def _check_shared(call: ApiCall, namespace: list[str]) -> None:
    if is_shared(call.owner.tenant, namespace) and not call.may(EDITOR_ROLE):
        raise Forbidden(f"To change items that all users of a tenant share is for the role {EDITOR_ROLE!r}.")


async def _store(call: ApiCall) -> Any:
    return (await call.graphs.host()).store(call.owner)


@contextmanager
def _keeping_rules() -> Generator[None]:
    """LangGraph's own rules: a namespace has labels, and the first is not `langgraph`."""
    try:
        yield
    except InvalidInput:
        raise
    except ValueError as error:
        raise InvalidInput("namespace", str(error)) from error


def _namespace(labels: Any) -> tuple[str, ...]:
    for label in labels:
        if not label or "." in label:
            raise InvalidInput("namespace", "must hold labels that are not empty and without a dot")
    return tuple(labels)
