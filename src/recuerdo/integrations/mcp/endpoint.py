"""MCP over HTTP: any replica answers any request, for the user that the request's credential names."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import TYPE_CHECKING, Any

from recuerdo.core.errors import needing
from recuerdo.core.ports import HistorySearch
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

AsgiScope = MutableMapping[str, Any]
Asgi = Callable[..., Awaitable[Any]]

_OWNER = "recuerdo.owner"


class McpEndpoint:
    """Speaks streamable HTTP. It is made ready by its first request: the protocol's library takes a while to load."""

    def __init__(self, memories: Memories, history: HistorySearch) -> None:
        self._memories = memories
        self._history = history
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._over = asyncio.Event()
        self._lock = asyncio.Lock()

    async def handle(self, owner: Owner, scope: AsgiScope, receive: Asgi, send: Asgi) -> None:
        """Answer one request of the owner's."""
        async with self._lock:
            if self._manager is None:
                self._manager = await asyncio.to_thread(self._make)
                self._running = asyncio.create_task(self._run(self._manager))
                await self._ready.wait()
        scope[_OWNER] = owner
        await self._manager.handle_request(scope, receive, send)

    async def aclose(self) -> None:
        """End the requests under way."""
        self._over.set()
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)

    def _make(self) -> "StreamableHTTPSessionManager":
        with needing("MCP", "mcp"):
            from recuerdo.integrations.mcp.tools import memory_server
        server = memory_server(self._memories, self._history, _calling)
        server.streamable_http_app(json_response=True, stateless_http=True, host="")  # hosts are checked before this
        return server.session_manager

    async def _run(self, manager: "StreamableHTTPSessionManager") -> None:
        async with manager.run():
            self._ready.set()
            await self._over.wait()


def _calling(context: "Context[Any, Any]") -> Owner:
    request: Any = context.request_context.request
    return request.scope[_OWNER]
