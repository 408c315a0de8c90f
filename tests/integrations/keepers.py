"""Databases as far as stores need them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from types import SimpleNamespace

from recuerdo.adapters.registry import open_repositories


@asynccontextmanager
async def opened(url: str) -> AsyncGenerator[SimpleNamespace]:
    """The parts of an open Recuerdo that a RecuerdoStore needs."""
    async with open_repositories(url) as repositories:
        yield SimpleNamespace(items=repositories.items)
