"""The whole contract of a ThreadRepository: what threads tell of themselves, lists, changes and owners."""

import asyncio
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta, timezone
from typing import Any, cast

import msgspec
import pytest

from recuerdo.core.errors import EpochChanged, InvalidInput
from recuerdo.core.identifiers import new_id
from recuerdo.core.ports import HistoryRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.thread_metadata import NO_METADATA, ThreadMetadata, wanted_fields
from recuerdo.core.threads import ABSENT, BEGINNING, Head, Thread, ThreadPage
from recuerdo.testing.clock import NOON
from recuerdo.testing.contracts import AsNewTenant
from recuerdo.testing.contracts.forks import EraseContract, ForkContract
from recuerdo.testing.samples import commit, everything, fresh_scope, request, said, say

MINUTE = timedelta(minutes=1)
BROKEN_CURSORS = {
    "empty": "",
    "no base64": "%%%",
    "not ascii": "ñ",
    "a number": "7",
    "no text": urlsafe_b64encode(b"\xff\xfe").decode(),
    "no time": urlsafe_b64encode(b"yesterday t-1").decode().rstrip("="),
    "no id": urlsafe_b64encode(b"2026-11-21T12:00:00+00:00 ").decode().rstrip("="),
    "no time zone": urlsafe_b64encode(b"2026-11-21T12:00:00 t-1").decode().rstrip("="),
    "beyond time": urlsafe_b64encode(b"0001-01-01T00:00:00+14:00 t-1").decode().rstrip("="),
    "padded": urlsafe_b64encode(b"2026-11-21T12:00:00+00:00 t").decode() + "=",
    "sql": "' OR 1=1; --",
}


class ListContract(AsNewTenant):
    """The rules for `get` and `select`."""

    async def test_list_absent(self, threads: ThreadRepository, scope: Scope) -> None:
        """A thread without a message is absent, and looking does not create it."""
        assert await threads.get(scope) is None
        assert await threads.select(scope.owner, 50) == ThreadPage([], None)

    async def test_list_a_new_thread(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """A thread tells its id, its version, its title and when it was made."""
        at = NOON + timedelta(microseconds=123456)
        receipt = await commit(history, request(scope, said(), said(), at=at, title="Hola"))
        thread = Thread(id=scope.thread, version=receipt.version, title="Hola", created_at=at, updated_at=at)
        assert await threads.get(scope) == thread
        assert await threads.select(scope.owner, 50) == ThreadPage([thread], None)
        assert thread.message_count == 2

    async def test_list_times(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """Every append moves `updated_at`, and `created_at` stays the first one's."""
        for minute in range(3):
            await commit(history, request(scope, said(), at=NOON + minute * MINUTE))
        thread = await threads.get(scope)
        assert thread is not None
        assert (thread.created_at, thread.updated_at) == (NOON, NOON + 2 * MINUTE)

    async def test_list_times_are_utc(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Times that come in another time zone are the same moments."""
        at = datetime(2026, 11, 21, 9, 30, 0, 1, timezone(timedelta(hours=-3)))
        await commit(history, request(scope, said(), at=at))
        thread = await threads.get(scope)
        assert thread is not None
        assert (thread.created_at, thread.updated_at) == (at, at)

    async def test_list_the_title(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """The title is the first that is not empty; later ones do not replace it."""
        for title, expected in [("", ""), ("first", "first"), ("", "first"), ("second", "first")]:
            await commit(history, request(scope, said(), title=title))
            thread = await threads.get(scope)
            assert thread is not None
            assert thread.title == expected

    async def test_rename(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """A new title stays whatever is said next, is copied by forks, and changes nothing else."""
        assert not await threads.rename(scope, "absent")
        await commit(history, request(scope, said(), title="first"))
        before, head = await threads.get(scope), await history.head(scope)
        assert await threads.rename(scope, "ñandú 😀")
        assert before is not None
        assert await threads.get(scope) == msgspec.structs.replace(before, title="ñandú 😀")
        assert await history.head(scope) == head
        await commit(history, request(scope, said(), title="second"))
        assert (await threads.fork(scope, 1, "copy", NOON)).title == "ñandú 😀"
        assert {each.title for each in (await threads.select(scope.owner, 50)).threads} == {"ñandú 😀"}
        await threads.delete(scope, NOON)
        assert not await threads.rename(scope, "deleted")

    async def test_archived_with_its_latest_message(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A thread is archived while its latest message is: what is said next brings it back."""
        await say(history, scope, "a", "b")
        await history.archive(scope, 1, 1, True)
        assert [each.archived for each in (await threads.select(scope.owner, 50)).threads] == [False]
        await history.archive(scope, 1, 2, True)
        assert [each.archived for each in (await threads.select(scope.owner, 50)).threads] == [True]
        assert (await threads.fork(scope, 2, "copy", NOON)).archived
        await say(history, scope, "c")
        thread = await threads.get(scope)
        assert thread is not None
        assert not thread.archived

    async def test_list_titles(self, history: HistoryRepository, threads: ThreadRepository, owner: Owner) -> None:
        """A title of any script and any signs comes back exactly."""
        titles = {"a": "ñandú 😀", "b": "'; DROP TABLE threads; --", "c": "x" * 80, "d": "{} %s \\"}
        for name, title in titles.items():
            await commit(history, request(owner.thread(name), said(), title=title))
        assert {thread.id: thread.title for thread in (await threads.select(owner, 50)).threads} == titles

    async def test_list_the_latest_first(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Threads come by their last change, the latest first."""
        for minute, name in enumerate("abca"):
            await commit(history, request(scope.owner.thread(name), said(), at=NOON + minute * MINUTE))
        assert await _listed(threads, scope.owner, 50) == ["a", "c", "b"]

    async def test_list_ties(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """Threads that changed at the same moment come by their ids, in the order of code points."""
        names = ["b", "a", "B", "é", "😀", "\uffee", "aa", "a b", "0"]
        for name in names:
            await commit(history, request(scope.owner.thread(name), said()))
        assert await _listed(threads, scope.owner, 50) == sorted(names)
        assert await _listed(threads, scope.owner, 2) == sorted(names)

    async def test_list_a_microsecond(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A microsecond is enough to tell which thread is later, across pages too."""
        for step, name in enumerate("zyx"):
            at = NOON + timedelta(microseconds=step)
            await commit(history, request(scope.owner.thread(name), said(), at=at))
        assert await _listed(threads, scope.owner, 1) == ["x", "y", "z"]

    async def test_list_pages(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """Page by page every thread comes exactly once, full pages first, and the last one has no cursor."""
        names = [f"t-{number}" for number in range(6)]
        for number, name in enumerate(names):
            await commit(history, request(scope.owner.thread(name), said(), at=NOON - number // 2 * MINUTE))
        for limit in (1, 2, 5, 6, 7, 50):
            page = await threads.select(scope.owner, limit)
            assert len(page.threads) == min(limit, 6)
            assert (page.cursor is None) == (limit >= 6), limit
            assert await _listed(threads, scope.owner, limit) == names, limit

    async def test_list_a_change_between_pages(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """When a thread moves to the front between two pages, each thread that stayed still comes exactly once."""
        for number in range(6):
            await commit(history, request(scope.owner.thread(f"t-{number}"), said(), at=NOON - number * MINUTE))
        first = await threads.select(scope.owner, 2)
        await commit(history, request(scope.owner.thread("t-4"), said(), at=NOON + MINUTE))
        await commit(history, request(scope.owner.thread("new"), said(), at=NOON + MINUTE))
        rest = await threads.select(scope.owner, 50, first.cursor)
        assert [thread.id for thread in first.threads + rest.threads] == ["t-0", "t-1", "t-2", "t-3", "t-5"]

    async def test_list_a_deletion_between_pages(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cursor still holds when the thread that it stands after is deleted."""
        for number in range(4):
            await commit(history, request(scope.owner.thread(f"t-{number}"), said()))
        first = await threads.select(scope.owner, 2)
        await threads.delete(scope.owner.thread("t-1"), NOON)
        rest = await threads.select(scope.owner, 2, first.cursor)
        assert [thread.id for thread in rest.threads] == ["t-2", "t-3"]
        assert rest.cursor is None

    async def test_list_long_ids(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """Cursors hold after ids of 255 wide characters."""
        names = ["😀" * 254, "😀" * 255, "😀" * 254 + "😁"]
        for name in names:
            await commit(history, request(scope.owner.thread(name), said()))
        assert await _listed(threads, scope.owner, 1) == names

    async def test_list_another_owners_cursor(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A cursor of another owner's list opens nothing of that owner's."""
        other = fresh_scope().owner
        for owner in (scope.owner, other):
            for name in ("mine-1", "mine-2") if owner == scope.owner else ("other-1", "other-2"):
                await commit(history, request(owner.thread(name), said()))
        cursor = (await threads.select(scope.owner, 1)).cursor
        assert cursor is not None
        page = await threads.select(other, 50, cursor)
        assert [thread.id for thread in page.threads] == ["other-1", "other-2"]

    async def test_list_broken_cursors(self, threads: ThreadRepository, scope: Scope) -> None:
        """A cursor that no list gave out is refused as InvalidInput of the field `cursor`."""
        for name, cursor in BROKEN_CURSORS.items():
            with pytest.raises(InvalidInput) as raised:
                await threads.select(scope.owner, 50, cursor)
            assert raised.value.field == "cursor", name


async def _listed(threads: ThreadRepository, owner: Owner, limit: int) -> list[str]:
    page = await threads.select(owner, limit)
    ids = [thread.id for thread in page.threads]
    while page.cursor is not None:
        assert len(ids) < 100, "the pages never end"
        page = await threads.select(owner, limit, page.cursor)
        ids += [thread.id for thread in page.threads]
    return ids


MANY = 10_000


class OwnerContract(AsNewTenant):
    """The rules for `owners`, and `delete` with a head. Other tests may add tenants at the same time."""

    async def test_owners_of_a_tenant(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """Each user with threads comes once, however many there are, in the order of code points."""
        users = ["b", "a", "B", "é", "😀", "\uffee", "aa", "a b", "0"]
        for user in users:
            for thread in ("t-1", "t-2"):
                await say(history, Scope(owner.tenant, user, thread), "x")
        assert await threads.owners(owner.tenant, MANY) == [Owner(owner.tenant, user) for user in sorted(users)]

    async def test_owners_in_pages(self, history: HistoryRepository, threads: ThreadRepository, owner: Owner) -> None:
        """Page by page every owner comes exactly once, and after the last one there is none."""
        users = [f"u-{number}" for number in range(5)]
        for user in users:
            await say(history, Scope(owner.tenant, user, "t-1"), "x")
        found: list[Owner] = []
        while page := await threads.owners(owner.tenant, 2, found[-1] if found else None):
            assert len(page) <= 2
            found += page
        assert [each.user for each in found] == users

    async def test_owners_of_all_tenants(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """Without a tenant the owners of all come, each tenant's together, and `after` leads from one to the next."""
        tenants = sorted(f"tenant-{new_id()}" for _ in range(3))
        for tenant in tenants:
            for user in ("a", "b"):
                await say(history, Scope(tenant, user, "t-1"), "x")
        expected = [Owner(tenant, user) for tenant in tenants for user in ("a", "b")]
        found: list[Owner] = []
        while page := await threads.owners(None, 3, found[-1] if found else None):
            found += page
        assert [each for each in found if each.tenant in tenants] == expected

    async def test_owners_whose_names_meet(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """A tenant whose name begins with another's is another tenant."""
        longer = Owner(f"{owner.tenant}0", "x")
        await say(history, owner.thread("t-1"), "x")
        await say(history, longer.thread("t-1"), "x")
        assert await threads.owners(owner.tenant, MANY) == [owner]
        assert await threads.owners(longer.tenant, MANY) == [longer]
        assert await threads.owners(owner.tenant, MANY, after=owner) == []

    async def test_owners_without_living_threads(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An owner whose last thread was deleted is not listed; one whose thread was only cleared still is."""
        assert await threads.owners(scope.tenant, MANY) == []
        await say(history, scope, "x")
        await threads.clear(scope, NOON)
        assert await threads.owners(scope.tenant, MANY) == [scope.owner]
        await threads.delete(scope, NOON)
        assert await threads.owners(scope.tenant, MANY) == []

    async def test_erasing_in_another_epoch(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A thread in another epoch than the expected one is neither cleared nor deleted."""
        await say(history, scope, "a")
        before = (await history.head(scope)).version.epoch
        await threads.clear(scope, NOON, before)
        await say(history, scope, "b")
        for erase in (threads.clear(scope, NOON, before), threads.delete(scope, NOON, expected_epoch=before)):
            with pytest.raises(EpochChanged):
                await erase
        assert len(await everything(history, scope)) == 1
        assert await threads.delete(scope, NOON, expected_epoch=(await history.head(scope)).version.epoch)

    async def test_delete_at_its_head(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A thread that is still at the head is deleted; a second time there is nothing to delete."""
        await say(history, scope, "a", "b")
        await history.archive(scope, 1, 1, True)
        head = await history.head(scope)
        assert await threads.delete(scope, NOON, head)
        assert await threads.get(scope) is None
        assert not await threads.delete(scope, NOON, head)
        assert not await threads.delete(scope, NOON, ABSENT)

    async def test_time_since_threads_were_emptied(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """Clear, replace and delete count, whatever came since; a deletion at a head does not."""
        ends = ["clear", "replace", "delete", "delete and revive", "clear and take back", "take back", "append"]
        scopes = {end: owner.thread(end) for end in ends}
        assert await threads.since_emptied([]) == {}
        for end, scope in scopes.items():
            await say(history, scope, "a")
            match end.split()[0]:
                case "clear":
                    await threads.clear(scope, NOON)
                case "replace":
                    await history.replace(request(scope, said()))
                case "delete":
                    await threads.delete(scope, NOON)
                case _:
                    pass
        await asyncio.sleep(0.05)
        for end in ("clear", "delete and revive", "clear and take back", "append"):
            await say(history, scopes[end], "b")
        for end in ("clear and take back", "take back"):
            assert await threads.delete(scopes[end], NOON, await history.head(scopes[end]))
        await say(history, scopes["clear and take back"], "c")
        ages = await threads.since_emptied([*scopes.values(), owner.thread("never")])
        assert {scope.thread for scope in ages} == {*ends} - {"take back", "append"}
        assert timedelta(seconds=0.03) < min(ages.values()) <= max(ages.values()) < MINUTE

    async def test_delete_behind_its_head(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """A thread that was changed since the head was read is left alone, whatever the change was."""
        for change in ("append", "archive", "take back", "clear", "delete and revive"):
            scope = owner.thread(change)
            await say(history, scope, "a", "b")
            await history.archive(scope, 1, 1, True)
            head = await history.head(scope)
            match change:
                case "append":
                    await say(history, scope, "c")
                case "archive":
                    await history.archive(scope, 2, 2, True)
                case "take back":
                    await history.archive(scope, 1, 1, False)
                case "clear":
                    await threads.clear(scope, NOON)
                case _:
                    await threads.delete(scope, NOON)
                    await say(history, scope, "a", "b")
            changed, kept = await history.head(scope), await everything(history, scope)
            assert changed != head, change
            assert not await threads.delete(scope, NOON + timedelta(minutes=1), head), change
            assert await history.head(scope) == changed, change
            assert await everything(history, scope) == kept, change
            thread = await threads.get(scope)
            assert thread is not None, change
            assert thread.updated_at == NOON, change


AGENT = {"agent_id": "sales", "channel": "web", "case": {"number": 7, "tags": ["a", "b"], "open": True, "owner": None}}


async def _set(threads: ThreadRepository, scope: Scope, metadata: dict[str, Any], instead_of: object = None) -> bool:
    """Set metadata instead of what the thread has, or of what is named."""
    thread = await threads.get(scope)
    before = ThreadMetadata.of(thread.metadata) if thread else None
    seen = before if instead_of is None else cast(ThreadMetadata, instead_of)
    return await threads.set_metadata(scope, ThreadMetadata.of(metadata), seen, NOON)


class MetadataContract(AsNewTenant):
    """The rules for `set_metadata`, and for `select` with fields."""

    async def test_metadata_comes_back(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Metadata of any script and any kind of value comes back exactly, and changes nothing else."""
        await commit(history, request(scope, said(), title="Hola"))
        before, head = await threads.get(scope), await history.head(scope)
        assert before is not None
        assert before.metadata == {}
        odd = {"ñ 😀": "'; DROP TABLE threads; --", "0": [1, 1.5, -0.0, 2**53, None, True], "": {"\0": "\0"}}
        for metadata in (AGENT, odd, {}, AGENT):
            assert await _set(threads, scope, metadata)
            assert await threads.get(scope) == msgspec.structs.replace(before, metadata=metadata)
            assert await history.head(scope) == head
        await commit(history, request(scope, said(), at=NOON + MINUTE))
        assert [each.metadata for each in (await threads.select(scope.owner, 50)).threads] == [AGENT]

    async def test_metadata_makes_a_thread(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Metadata for an absent or a deleted thread makes an empty one, to which messages are appended as to any."""
        epochs: list[int] = []
        for _ in range(2):
            assert await threads.set_metadata(scope, ThreadMetadata.of(AGENT), None, NOON)
            thread = await threads.get(scope)
            assert thread is not None
            assert (thread.version.seq, thread.title, thread.metadata) == (0, "", AGENT)
            assert (thread.created_at, thread.updated_at) == (NOON, NOON)
            assert (await history.head(scope)).version == thread.version
            epochs.append(thread.version.epoch)
            receipt = await commit(history, request(scope, said("a"), title="Hola", expected_epoch=epochs[-1]))
            assert receipt.version == (epochs[-1], 1)
            thread = await threads.get(scope)
            assert thread is not None
            assert (thread.title, thread.metadata) == ("Hola", AGENT)
            assert not await threads.set_metadata(scope, NO_METADATA, None, NOON)
            await threads.delete(scope, NOON)
        assert epochs[1] > epochs[0]

    async def test_metadata_of_another_writer(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Metadata is set only where the thread has what the writer has seen; an absent thread has none to replace."""
        assert not await threads.set_metadata(scope, ThreadMetadata.of(AGENT), NO_METADATA, NOON)
        assert await threads.get(scope) is None
        await say(history, scope, "a")
        assert await _set(threads, scope, {"n": 1})
        assert not await _set(threads, scope, {"n": 3}, NO_METADATA)
        assert not await _set(threads, scope, {"n": 3}, ThreadMetadata.of({"n": 2}))
        assert await self._found(threads, scope, {"n": 1}) == [scope.thread]
        assert await self._found(threads, scope, {"n": 3}) == []
        assert await _set(threads, scope, {"n": 3}, ThreadMetadata.of({"n": 1}))
        assert await self._found(threads, scope, {"n": 3}) == [scope.thread]

    async def test_metadata_of_many_writers_at_once(self, threads: ThreadRepository, scope: Scope) -> None:
        """Of writers that have seen the same, one sets its metadata."""
        for seen in (None, ThreadMetadata.of({"n": 0})):
            writers = [threads.set_metadata(scope, ThreadMetadata.of({"n": n}), seen, NOON) for n in range(1, 6)]
            assert sum(await asyncio.gather(*writers)) == 1
            thread = await threads.get(scope)
            assert thread is not None
            assert await _set(threads, scope, {"n": 0})

    async def test_find_by_metadata(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """Threads are found by each value with its place and by several at once: never by another user's, or a part."""
        await say(history, scope, "a")
        await _set(threads, scope, AGENT)
        for other in (scope.owner.thread("other"), Scope(scope.tenant, "ana", "t-1")):
            await _set(threads, other, {"channel": "whatsapp", "case": {"number": 8, "tags": ["a"]}})
        wanted = (
            {"agent_id": "sales"},
            {"case": {"number": 7}},
            {"case": {"tags": ["b"]}},
            {"case": {"owner": None}},
            AGENT,
        )
        for metadata in wanted:
            assert await self._found(threads, scope, metadata) == [scope.thread]
        both = {"case": {"tags": ["a"]}}
        assert await self._found(threads, scope, both) == ["other", scope.thread]
        for absent in (
            {"agent_id": "sale"},
            {"number": 7},
            {"case": {"number": "7"}},
            {"case": {"open": 1}},
            {"x": None},
        ):
            assert await self._found(threads, scope, absent) == []
        assert await self._found(threads, scope, both | {"channel": "web"}) == [scope.thread]

    async def test_find_by_metadata_in_pages(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Pages of those that are found go on after a cursor, and after what is skipped."""
        for number in range(7):
            thread = scope.owner.thread(f"t-{number}")
            await commit(history, request(thread, said(), at=NOON - number * MINUTE))
            await _set(threads, thread, {"even": number % 2 == 0})
        fields = wanted_fields({"even": True})
        first = await threads.select(scope.owner, 2, fields=fields)
        rest = await threads.select(scope.owner, 2, first.cursor, fields=fields)
        assert [each.id for each in first.threads + rest.threads] == ["t-0", "t-2", "t-4", "t-6"]
        assert rest.cursor is None
        skipping = await threads.select(scope.owner, 1, first.cursor, skip=1, fields=fields)
        assert [each.id for each in skipping.threads] == ["t-6"]
        assert [each.id for each in (await threads.select(scope.owner, 2, skip=5)).threads] == ["t-5", "t-6"]
        assert await threads.select(scope.owner, 2, skip=7) == ThreadPage([], None)

    async def test_metadata_and_erasing(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Metadata stays with a cleared thread, goes to its forks, and is gone with a deleted one."""
        await say(history, scope, "a", "b")
        await _set(threads, scope, AGENT)
        assert (await threads.fork(scope, 1, "fork", NOON)).metadata == AGENT
        assert await self._found(threads, scope, AGENT) == ["fork", scope.thread]
        await threads.clear(scope, NOON)
        assert await self._found(threads, scope, AGENT) == ["fork", scope.thread]
        await threads.delete(scope, NOON)
        assert await self._found(threads, scope, AGENT) == ["fork"]
        await say(history, scope, "c")
        thread = await threads.get(scope)
        assert thread is not None
        assert thread.metadata == {}
        assert await self._found(threads, scope, AGENT) == ["fork"]

    async def _found(self, threads: ThreadRepository, scope: Scope, metadata: dict[str, Any]) -> list[str]:
        page = await threads.select(scope.owner, 50, fields=wanted_fields(metadata))
        return sorted(each.id for each in page.threads)


class ChangeContract(AsNewTenant):
    """The rules for `changed`. Other tests may change threads of other tenants at the same time."""

    async def test_changes_behind_a_mark_of_another_database(self, threads: ThreadRepository) -> None:
        """It is refused, so that those who share a cache with it begin anew."""
        for mark in ("of another one", "1:1:x/", "-1", "7/"):
            with pytest.raises(InvalidInput):
                await threads.changed(mark, 1)

    async def test_changes_of_each_kind(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """An append, an archiving and its undoing, a clear, a delete and a revival are changes, each with its head."""
        mark = (await threads.changed(None, 1)).mark

        async def changed_to_its_head() -> None:
            nonlocal mark
            changes = await threads.changed(mark, MANY)
            assert changes.heads[scope] == await history.head(scope)
            mark = changes.mark

        await say(history, scope, "a", "b")
        await changed_to_its_head()
        await say(history, scope, "c")
        await changed_to_its_head()
        for archived in (True, False):
            await history.archive(scope, 1, 2, archived)
            await changed_to_its_head()
        await threads.clear(scope, NOON)
        await changed_to_its_head()
        await threads.delete(scope, NOON)
        await changed_to_its_head()
        await say(history, scope, "d")
        await changed_to_its_head()

    async def test_changes_of_a_fork(self, history: HistoryRepository, threads: ThreadRepository, scope: Scope) -> None:
        """A fork changes its target and not its source."""
        version = (await say(history, scope, "a", "b")).version
        mark = (await threads.changed(None, 1)).mark
        fork = await threads.fork(scope, 1, "fork", NOON)
        changes = await threads.changed(mark, MANY)
        assert changes.heads[scope.owner.thread("fork")].version == fork.version
        assert scope not in changes.heads or changes.heads[scope].version == version

    async def test_changes_from_now_on(
        self, history: HistoryRepository, threads: ThreadRepository, owner: Owner
    ) -> None:
        """A mark of now hides what was before it, and nothing that comes after it."""
        await say(history, owner.thread("before"), "x")
        changes = await threads.changed(None, MANY)
        assert changes.heads == {}
        await say(history, owner.thread("behind"), "x")
        found = (await threads.changed(changes.mark, MANY)).heads
        assert owner.thread("behind") in found

    async def test_changes_in_pages(self, history: HistoryRepository, threads: ThreadRepository, owner: Owner) -> None:
        """Page by page, from the beginning, every thread comes; and the mark stays where nothing is behind it."""
        scopes = [owner.thread(f"t-{number}") for number in range(7)]
        for scope in [*scopes, scopes[0]]:
            await say(history, scope, "x")
        found: dict[Scope, Head] = {}
        mark = BEGINNING
        for _ in range(MANY):
            changes = await threads.changed(mark, 3)
            found |= changes.heads
            if changes.mark == mark:
                break
            mark = changes.mark
        assert {scope: found[scope] for scope in scopes} == {scope: await history.head(scope) for scope in scopes}

    async def test_changes_leave_out_what_changed_nothing(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """Reads, replays, refused appends and archivings without effect need not come; the head would be the same."""
        await history.append([request(scope, said("a"), key="k")])
        head = await history.head(scope)
        mark = (await threads.changed(None, 1)).mark
        await history.append([request(scope, said("a"), key="k"), request(scope, said(), expected_epoch=99)])
        await history.archive(scope, 2, 9, True)
        assert (await threads.changed(mark, MANY)).heads.get(scope, head) == head

    async def test_changes_name_deleted_threads(
        self, history: HistoryRepository, threads: ThreadRepository, scope: Scope
    ) -> None:
        """A deleted thread comes as NOWHERE, so that caches drop it."""
        await say(history, scope, "x")
        mark = (await threads.changed(None, 1)).mark
        await threads.delete(scope, NOON)
        assert (await threads.changed(mark, MANY)).heads[scope] == ABSENT


class ThreadContract(ListContract, EraseContract, ForkContract, MetadataContract, ChangeContract, OwnerContract):
    """Everything that a ThreadRepository must hold. Needs the fixtures `history` and `threads`."""
