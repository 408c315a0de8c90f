"""The items of LangGraph's stores that a server deletes automatically."""

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from recuerdo import Recuerdo
from recuerdo.concurrency.tasks import in_background
from recuerdo.core.items import ItemAddress, StoreScope
from recuerdo.core.retention import RetentionPolicy
from recuerdo.integrations.langgraph import RecuerdoStore
from recuerdo.testing import FakeClock
from servers.patience import PATIENCE

PLACE = ItemAddress(("notes",), "k")


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres", "mongodb"])
async def test_expired_items_of_all_stores_are_deleted_without_being_asked_for(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A store of a tenant and one of a user lose what expired; what is alive stays."""
    url = {"memory": "memory://", "sqlite": f"sqlite:///{tmp_path}/r.db"}.get(kind)
    clock, scopes = FakeClock(), [StoreScope(f"t-{uuid4().hex}"), StoreScope(f"t-{uuid4().hex}", "u")]
    async with Recuerdo.open(url or request.getfixturevalue(f"{kind}_url"), embeddings="none", clock=clock) as memory:
        for scope in scopes:
            store = RecuerdoStore(memory, tenant=scope.tenant, user=scope.user, clock=clock)
            await store.aput(PLACE.namespace, PLACE.key, {"v": 1}, ttl=1)
            await store.aput(PLACE.namespace, "alive", {"v": 1}, ttl=1000)
        clock.advance(timedelta(minutes=2))
        async with asyncio.timeout(PATIENCE), in_background(memory.maintenance.run(RetentionPolicy())):
            for scope in scopes:
                while (await memory.items.read(scope, [PLACE], None)) != [None]:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
                [alive] = await memory.items.read(scope, [PLACE._replace(key="alive")], None)
                assert alive is not None
