"""Durability `async`: a replica's spool that meets an erasure at another replica."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from recuerdo import Message, Recuerdo
from recuerdo.core.scope import Owner
from servers.patience import LIMITS_OF_POSTGRES
from servers.proxy import running_proxy

EMI = Owner("acme", "emi")


@pytest.mark.parametrize("skew", [timedelta(0), timedelta(minutes=5), timedelta(minutes=-5)])
async def test_what_waits_in_a_spool_does_not_come_back_behind_an_erasure(
    empty_postgres_url, tmp_path, monkeypatch, skew
):
    """Whatever this machine's clock says: what was said before is not written, and what is said afterwards is."""
    monkeypatch.setitem(LIMITS_OF_POSTGRES, "pool_timeout", 0.3)
    port = urlsplit(empty_postgres_url).port
    with running_proxy(port) as proxy:
        near_url = empty_postgres_url.replace(f":{port}/", f":{proxy.port}/")
        spool = {"durability": "async", "spool": str(tmp_path / "near"), "clock": lambda: datetime.now(UTC) + skew}
        async with (
            Recuerdo.open(near_url, embeddings="none", **spool) as near,
            Recuerdo.open(empty_postgres_url, embeddings="none", spool=str(tmp_path / "far")) as far,
        ):
            await far.history.append(EMI.thread("t"), [Message.user("Antes")])
            proxy.cut()
            for thread in ("t", "new"):
                await near.history.append(EMI.thread(thread), [Message.user("Kanarienvogel")])
            assert (await far.memories.erase(EMI)).complete
            await near.history.append(EMI.thread("t"), [Message.user("Después")])
            proxy.heal()
            await near.history.flush()
            left = [each.text for each in await far.history.read(EMI.thread("t"))]
            assert (left, await far.history.read(EMI.thread("new"))) == (["Después"], [])
