"""The metadata of threads in the library: merged whoever else writes, and moved with the thread."""

import asyncio

import pytest

from recuerdo import Message, Recuerdo
from recuerdo.core.errors import InvalidInput
from recuerdo.core.scope import VISITOR_PREFIX, Owner


async def test_metadata_begins_a_thread_and_stays_with_it() -> None:
    """A thread has none before; metadata begins it, and messages, a clear and a fork leave it."""
    async with Recuerdo.open("memory://") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        assert await thread.metadata() == {}
        assert await thread.update_metadata({"channel": "web", "n": 1}) == {"channel": "web", "n": 1}
        await thread.append(Message.user("Hola"), expected_epoch=(await thread.info()).version.epoch)
        assert await thread.update_metadata({"n": None}) == {"channel": "web"}
        assert await (await thread.fork("t-2")).metadata() == {"channel": "web"}
        await thread.clear()
        assert await thread.metadata() == {"channel": "web"}
        await thread.delete()
        assert await thread.metadata() == {}
        page = await memory.history.threads(Owner("acme", "emi"), metadata={"channel": "web"})
        assert [each.id for each in page.threads] == ["t-2"]


async def test_changes_at_the_same_moment_are_all_kept() -> None:
    """Of many that set keys of their own none overwrites another."""
    async with Recuerdo.open("memory://") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        await asyncio.gather(*(thread.update_metadata({f"key-{n}": n}) for n in range(20)))
        assert await thread.metadata() == {f"key-{n}": n for n in range(20)}


@pytest.mark.parametrize("changes", [{"a": float("nan")}, {"a": object()}, {1: "a"}, ["a"], {"a": "\ud800"}])
async def test_metadata_that_no_json_holds_is_refused(changes: object) -> None:
    """The error names the metadata, and no thread begins."""
    async with Recuerdo.open("memory://") as memory:
        thread = memory.thread(tenant="acme", user="emi", thread="t-1")
        with pytest.raises(InvalidInput) as raised:
            await thread.update_metadata(changes)  # pyright: ignore[reportArgumentType]
        assert raised.value.field.startswith("metadata")
        assert (await memory.history.threads(Owner("acme", "emi"))).threads == []


async def test_a_claimed_thread_brings_its_metadata() -> None:
    """A visitor's threads keep theirs when they become a user's, also one without a message."""
    async with Recuerdo.open("memory://") as memory:
        visitor, owner = Owner("acme", f"{VISITOR_PREFIX}v-1"), Owner("acme", "emi")
        await memory.history.append(visitor.thread("said"), [Message.user("Hola")])
        for name in ("said", "empty"):
            await memory.history.update_metadata(visitor.thread(name), {"channel": "web"}, create=True)
        assert len(await memory.history.claim(visitor, owner)) == 2
        page = await memory.history.threads(owner, metadata={"channel": "web"})
        assert sorted(each.id for each in page.threads) == ["empty", "said"]
        assert (await memory.history.threads(visitor)).threads == []
