"""Tasks of one process take turns at a thread: they would only spoil each other's compare-and-set."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from recuerdo.core.scope import Scope


class ThreadLocks:
    """A lock for each thread that somebody of this process is at."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def at(self, scopes: Iterable[Scope]) -> AsyncGenerator[None]:
        """Be alone at these threads, as far as this process goes."""
        locks = [self._locks.setdefault(scope, asyncio.Lock()) for scope in sorted(set(scopes), key=_in_one_order)]
        async with AsyncExitStack() as held:
            for lock in locks:
                await held.enter_async_context(lock)
            yield


def _in_one_order(scope: Scope) -> tuple[str, str, str]:
    """Whoever takes several locks takes them in this order, so that no two wait for each other."""
    return scope.tenant, scope.user, scope.thread
