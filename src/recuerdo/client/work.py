"""Documents that agents search, assistants, runs of graphs, and work for workers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Unpack

from recuerdo.client import answers, operations
from recuerdo.client.connection import Connection
from recuerdo.client.events import EventReader, ServerEvent
from recuerdo.client.options import (
    AddDocumentOptions,
    CancelRunOptions,
    CreateAssistantOptions,
    CreateRunOptions,
    DeleteAssistantOptions,
    HandOverOptions,
    ListDocumentsOptions,
    SearchAssistantsOptions,
    SearchDocumentsOptions,
    StreamRunOptions,
    UpdateAssistantOptions,
    WaitForRunOptions,
)
from recuerdo.client.requests import LAST_EVENT_HEADER
from recuerdo.core.errors import NotFound, RecuerdoError
from recuerdo.core.identifiers import new_id
from recuerdo.core.library import ChunkHit, LibraryDocument
from recuerdo.core.runs import Assistant

_EVERYTHING = "-1"


class AsyncDocumentsClient:
    """Documents that agents search."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, source: str, **options: Unpack[AddDocumentOptions]) -> answers.DocumentData:
        """Add a document by its `content`, or replace the one of the same source; a second try changes nothing."""
        return await self._connection.send(operations.ADD_DOCUMENT(source=source, repeatable=True, **options))

    async def search(self, query: str, **options: Unpack[SearchDocumentsOptions]) -> list[ChunkHit]:
        """The chunks that most likely answer the query, best first."""
        return (await self._connection.send(operations.SEARCH_DOCUMENTS(query=query, **options))).hits

    async def get(self, document_id: str) -> answers.DocumentChunksData:
        """A document and the chunks that it was split into. Raises NotFound."""
        return await self._connection.send(operations.GET_DOCUMENT(document_id))

    async def delete(self, document_id: str) -> None:
        """Delete a document. Raises NotFound."""
        await self._connection.send(operations.REMOVE_DOCUMENT(document_id))

    async def list(self, **options: Unpack[ListDocumentsOptions]) -> AsyncGenerator[LibraryDocument]:
        """The documents that the caller may see, the latest first, page by page."""
        async for page in self._connection.pages("after", operations.LIST_DOCUMENTS, **options):
            for document in page.documents:
                yield document


class AsyncActionsClient:
    """Work that is handed to a worker."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def hand_over(self, type: str, thread_id: str, **options: Unpack[HandOverOptions]) -> answers.ActionStateData:  # noqa: A002
        """Hand an action over. Without an `action_id` one is made, so that it is executed once."""
        named: HandOverOptions = {"action_id": new_id(), **options}
        return await self._connection.send(
            operations.HAND_OVER(type=type, thread_id=thread_id, repeatable=True, **named)
        )

    async def get(self, action_id: str) -> answers.ActionStateData:
        """The state of an action, and its result. Raises NotFound."""
        return await self._connection.send(operations.GET_ACTION(action_id))


class AsyncAssistantsClient:
    """Configured agents: the caller's own, and those that the tenant shares."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def create(self, graph_id: str = "recuerdo", **options: Unpack[CreateAssistantOptions]) -> Assistant:
        """Create an assistant over a graph. Without an `assistant_id` one is made."""
        named: CreateAssistantOptions = {**options}
        if "assistant_id" not in options:
            named["assistant_id"], named["if_exists"] = new_id(), "do_nothing"
        return await self._connection.send(operations.CREATE_ASSISTANT(graph_id=graph_id, repeatable=True, **named))

    async def get(self, assistant_id: str) -> Assistant:
        """One assistant. Raises NotFound."""
        return await self._connection.send(operations.GET_ASSISTANT(assistant_id))

    async def update(self, assistant_id: str, **options: Unpack[UpdateAssistantOptions]) -> Assistant:
        """Create a new version with the given fields. Raises NotFound or Forbidden."""
        return await self._connection.send(operations.UPDATE_ASSISTANT(assistant_id, **options))

    async def search(self, **options: Unpack[SearchAssistantsOptions]) -> list[Assistant]:
        """The assistants that match, the latest first."""
        return await self._connection.send(operations.SEARCH_ASSISTANTS(**options).answered_by(list[Assistant]))

    async def delete(self, assistant_id: str, **options: Unpack[DeleteAssistantOptions]) -> None:
        """Delete an assistant. Raises NotFound or Forbidden."""
        await self._connection.send(operations.DELETE_ASSISTANT(assistant_id, **options))


class AsyncRunsClient:
    """Runs of graphs on threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def create(
        self, thread_id: str, assistant_id: str = "recuerdo", **options: Unpack[CreateRunOptions]
    ) -> dict[str, Any]:
        """Queue a run and return it at once."""
        return await self._connection.send(operations.CREATE_RUN(thread_id, assistant_id=assistant_id, **options))

    async def wait(self, thread_id: str, assistant_id: str = "recuerdo", **options: Unpack[WaitForRunOptions]) -> Any:
        """Queue a run and return its final values."""
        return await self._connection.send(operations.WAIT_FOR_RUN(thread_id, assistant_id=assistant_id, **options))

    async def get(self, thread_id: str, run_id: str) -> dict[str, Any]:
        """One run. Raises NotFound."""
        return await self._connection.send(operations.GET_RUN(thread_id, run_id))

    async def join(self, thread_id: str, run_id: str) -> Any:
        """Wait for a run and return its final values. Raises NotFound."""
        return await self._connection.send(operations.JOIN_RUN(thread_id, run_id))

    async def cancel(self, thread_id: str, run_id: str, **options: Unpack[CancelRunOptions]) -> None:
        """Stop a run. Raises NotFound if it has ended."""
        await self._connection.send(operations.CANCEL_RUN(thread_id, run_id, **options))

    async def stream(
        self, thread_id: str, assistant_id: str = "recuerdo", **options: Unpack[StreamRunOptions]
    ) -> AsyncGenerator[ServerEvent]:
        """Queue a run and yield its events, each once: a broken stream is continued where it broke.

        A stream may also end early, because its server stops: it is over when the run is, and nothing follows any more.
        """
        resumable: StreamRunOptions = {**options, "stream_resumable": True}
        request = operations.STREAM_RUN(thread_id, assistant_id=assistant_id, **resumable)
        attempts, reader = self._connection.attempts(), EventReader()
        seen: str | None = None
        while True:
            try:
                async with aclosing(self._connection.events(request, reader)) as events:
                    async for event in events:
                        attempts.progressed()
                        yield event
                if not reader.run_id or (reader.last_id == seen and await self._has_ended(thread_id, reader.run_id)):
                    return
            except RecuerdoError as error:
                if seen is not None and isinstance(error, NotFound):
                    return
                pause = attempts.pause_after(error, repeatable=request.repeatable or bool(reader.run_id))
                await self._connection.sleep(pause)
            reader.reconnect()
            if reader.run_id:
                seen = reader.last_id
                request = operations.JOIN_RUN_STREAM(thread_id, reader.run_id)
                request = request.with_headers({LAST_EVENT_HEADER: seen or _EVERYTHING})

    async def _has_ended(self, thread_id: str, run_id: str) -> bool:
        return (await self.get(thread_id, run_id))["status"] not in ("pending", "running")
