"""`recuerdo mcp`: a user's memories as MCP tools over standard input and output."""

import asyncio
from typing import Annotated

import typer

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.app.settings import Settings, read_settings
from recuerdo.cli.options import LOCAL_TENANT, LOCAL_USER, CacheUrl, Database, Embeddings
from recuerdo.core.errors import needing
from recuerdo.core.scope import Owner


def mcp(
    user: Annotated[str, typer.Option(help="The user.")] = LOCAL_USER,
    tenant: Annotated[str, typer.Option(help="The tenant.")] = LOCAL_TENANT,
    database_url: Database = None,
    cache_url: CacheUrl = None,
    embeddings: Embeddings = None,
) -> None:
    """Serve a user's memories to one agent that speaks MCP over standard input and output."""
    settings = read_settings(database_url=database_url, cache_url=cache_url, embeddings=embeddings)
    asyncio.run(_serve(settings, Owner(tenant, user)))


async def _serve(settings: Settings, owner: Owner) -> None:
    with needing("MCP", "mcp"):
        from recuerdo.integrations.mcp.endpoint import memory_server
    async with Recuerdo.open(
        settings.database_url,
        cache=settings.cache_url,
        **settings.model_arguments,
        spool=settings.spool,
        retention=settings.retention or "",
    ) as memory:
        await memory_server(memory.memories, memory.history, lambda _: owner).run_stdio_async()
