"""Enrichment: from the assistants of our own database, or by a program's own callable."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from recuerdo.core.contexts import Enrichment
from recuerdo.core.errors import DatabaseUnavailable, InvalidInput, NotFound
from recuerdo.core.graph_ports import EnrichmentSource
from recuerdo.core.runs import Assistant
from recuerdo.core.scope import Owner

Enrich = Callable[[Owner, str], Awaitable[Enrichment]]
"""Says how an owner's assistant is configured; see EnrichmentSource."""

_PARTS = ("model", "retrieval", "embedding", "prompts", "limits")


class AssistantSource(EnrichmentSource):
    """Enriches from an assistant's `context`: the fields that are named like a part of an execution context.

    All other fields belong to the assistant's graph.
    """

    def __init__(self, find: Callable[[Owner, str], Awaitable[Assistant]]) -> None:
        self._find = find

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        try:
            assistant = await self._find(owner, assistant_id)
        except InvalidInput:  # neither an id nor a graph's name
            raise NotFound("assistant", assistant_id) from None
        return enrichment_of(assistant)


class CalledSource(EnrichmentSource):
    """Enriches by a callable."""

    def __init__(self, enrich: Enrich) -> None:
        self._enrich = enrich

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        return await self._enrich(owner, assistant_id)


class BuiltinSource(EnrichmentSource):
    """Falls back to the built-in assistant if the wrapped source doesn't know it, or while the database is down."""

    def __init__(self, source: EnrichmentSource, builtin: Assistant) -> None:
        self._source = source
        self._builtin = enrichment_of(builtin)
        self._names = (builtin.assistant_id, builtin.graph_id)

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        try:
            return await self._source.enrich(owner, assistant_id)
        except (NotFound, DatabaseUnavailable) as error:
            if assistant_id not in self._names:
                raise
            return replace(self._builtin, stale=isinstance(error, DatabaseUnavailable))


def enrichment_of(assistant: Assistant) -> Enrichment:
    """The configuration of an assistant. Raises InvalidInput for a part that can't be decoded.

    As in LangGraph's templates, `model` may be just a name, and `system_prompt` means `prompts.system`.
    """
    configured = dict(assistant.context or assistant.config.get("configurable") or {})
    parts = {name: configured[name] for name in _PARTS if name in configured}
    if isinstance(parts.get("model"), str):
        parts["model"] = {"name": parts["model"]}
    if isinstance(configured.get("system_prompt"), str):
        prompts = parts.get("prompts")
        given: Mapping[str, Any] = cast(Any, prompts) if isinstance(prompts, Mapping) else {}
        parts["prompts"] = {"system": configured["system_prompt"], **given}
    whole = {"assistant_id": assistant.assistant_id, "version": assistant.version, "graph_id": assistant.graph_id}
    try:
        return msgspec.convert({**whole, **parts, "metadata": _free(configured, assistant)}, Enrichment)
    except msgspec.ValidationError as error:
        raise InvalidInput("context", f"the assistant's configuration can't be decoded: {error}. Change it") from None


def _free(configured: Mapping[str, Any], assistant: Assistant) -> dict[str, Any]:
    given: object = configured.get("metadata")
    free = cast(dict[str, Any], given) if isinstance(given, dict) else {}
    return {"name": assistant.name, **free}
