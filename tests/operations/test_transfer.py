"""Exports and imports: what comes out is what went in, and what is wrong is named."""

import json
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from stocked import contents, exported, fill, imported, rich_messages, two_databases

from recuerdo.adapters.registry import Repositories
from recuerdo.core.errors import Conflict, InvalidInput
from recuerdo.core.messages import Message
from recuerdo.core.scope import Scope
from recuerdo.core.thread_metadata import NO_METADATA, ThreadMetadata
from recuerdo.core.threads import Head, MessageQuery, Page, Version
from recuerdo.history import transfer as transfers
from recuerdo.history.iteration import OwnerFilter
from recuerdo.history.lines import check, lines_of
from recuerdo.history.transfer import Transfer
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import commit, request, said

EMI = Scope("acme", "emi", "t-1")
Databases = tuple[Repositories, Repositories]


@pytest.fixture(params=["memory", "sqlite"])
async def databases(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Databases]:
    async with two_databases(request.param, tmp_path) as databases:
        yield databases


@pytest.fixture
async def lines(databases: Databases) -> list[bytes]:
    """An export of one rich thread."""
    await fill(databases[0], EMI, rich_messages())
    await databases[0].threads.set_metadata(EMI, ThreadMetadata.of({"channel": "web"}), NO_METADATA, NOON)
    return await exported(databases[0])


async def test_a_round_trip_keeps_every_byte(databases: Databases) -> None:
    """Ids, seqs, times, archived marks, parts, tool calls and texts of any language; threads of several owners."""
    source, target = databases
    for number, scope in enumerate([EMI, Scope("acme", "josé", "t-1"), Scope("ácme:", "emi", "日本 t/1")]):
        await fill(source, scope, rich_messages(), minutes=100 * number)
    await source.history.archive(EMI, 2, 4, True)
    await source.history.archive(EMI, 7, 7, True)
    await imported(target, await exported(source))
    assert await contents(target) == await contents(source)


async def test_a_thread_longer_than_a_page_comes_whole(databases: Databases) -> None:
    source, target = databases
    messages = [said(str(number)) for number in range(2 * transfers.MESSAGES + 7)]
    await commit(source.history, request(EMI, *messages))
    await source.history.archive(EMI, transfers.MESSAGES - 3, transfers.MESSAGES + 3, True)
    await imported(target, await exported(source))
    assert await contents(target) == await contents(source)


async def test_an_export_of_an_import_is_the_same_file(databases: Databases, lines: list[bytes]) -> None:
    await imported(databases[1], lines)
    assert await exported(databases[1]) == lines


@pytest.mark.parametrize(
    ("choice", "threads"),
    [
        (OwnerFilter(), {"a/x/1", "a/x/2", "a/y/1", "b/x/1"}),
        (OwnerFilter(tenant="a"), {"a/x/1", "a/x/2", "a/y/1"}),
        (OwnerFilter(user="x"), {"a/x/1", "a/x/2", "b/x/1"}),
        (OwnerFilter(thread="1"), {"a/x/1", "a/y/1", "b/x/1"}),
        (OwnerFilter("a", "x"), {"a/x/1", "a/x/2"}),
        (OwnerFilter("a", "x", "2"), {"a/x/2"}),
        (OwnerFilter("a", None, "2"), {"a/x/2"}),
        (OwnerFilter("c"), set[str]()),
    ],
)
async def test_only_what_was_chosen_is_exported(databases: Databases, choice: OwnerFilter, threads: set[str]) -> None:
    source, target = databases
    for scope in (Scope("a", "x", "1"), Scope("a", "x", "2"), Scope("a", "y", "1"), Scope("b", "x", "1")):
        await commit(source.history, request(scope, said()))
    await imported(target, await exported(source, choice))
    assert {f"{scope.tenant}/{scope.user}/{scope.thread}" for scope in await contents(target)} == threads


async def test_an_import_that_is_repeated_writes_nothing(databases: Databases, lines: list[bytes]) -> None:
    source, target = databases
    first, second = await imported(target, lines), await imported(target, lines)
    count = len(rich_messages())
    assert [(sum(p.written for p in parts), sum(p.known for p in parts)) for parts in (first, second)] == [
        (count, 0),
        (0, count),
    ]
    assert await contents(target) == await contents(source)


async def test_threads_that_were_deleted_since_are_imported_again(databases: Databases, lines: list[bytes]) -> None:
    source, target = databases
    for _ in range(3):
        await imported(target, lines)
        assert await contents(target) == await contents(source)
        await target.threads.delete(EMI, NOON)


@pytest.mark.parametrize("known", range(1, 11))
async def test_an_import_goes_on_where_it_was_cut_off(databases: Databases, lines: list[bytes], known: int) -> None:
    """Whatever part of a thread is there, the rest follows, and no message comes twice."""
    source, target = databases
    await source.history.archive(EMI, 3, 8, True)
    lines = await exported(source)
    await fill(target, EMI, rich_messages()[:known])
    await imported(target, lines)
    mine, theirs = (await contents(target))[EMI], (await contents(source))[EMI]
    assert mine[1] == theirs[1]


async def test_a_thread_that_went_on_since_is_left(databases: Databases, lines: list[bytes]) -> None:
    _, target = databases
    await imported(target, lines)
    await commit(target.history, request(EMI, said("later")))
    before = await contents(target)
    await imported(target, lines)
    assert await contents(target) == before


async def test_a_thread_with_other_messages_is_a_conflict_that_names_the_line(
    databases: Databases, lines: list[bytes]
) -> None:
    _, target = databases
    await fill(target, EMI, [*rich_messages()[:2], Message.user("something else")])
    before = await contents(target)
    with pytest.raises(Conflict, match="line 5: the thread 't-1' of 'emi' has another message there"):
        await imported(target, lines)
    assert await contents(target) == before


async def test_two_exports_in_one_file_are_imported_in_turn(databases: Databases, lines: list[bytes]) -> None:
    """The second has the first one's thread as it was later: it goes on behind what the first has left."""
    source, target = databases
    await commit(source.history, request(EMI, said("later")))
    await commit(source.history, request(EMI.owner.thread("t-2"), said("another")))
    await imported(target, [*lines, *await exported(source)])
    assert (await contents(target))[EMI][1] == (await contents(source))[EMI][1]


class Interrupting:
    """A history in which something happens before the page of that number is read."""

    def __init__(self, repositories: Repositories, page: int, happening: Any) -> None:
        self._history = repositories.history
        self._pages = page
        self._happening = happening

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        self._pages -= 1
        if self._pages == 0:
            await self._happening()
        return await self._history.page(scope, query)


async def interrupted_export(repositories: Repositories, page: int, happening: Any) -> list[bytes]:
    history: Any = Interrupting(repositories, page, happening)
    transfer = Transfer(history, repositories.threads)
    return b"".join([piece.data async for piece in transfer.export(OwnerFilter())]).splitlines(keepends=True)


async def test_a_thread_that_is_erased_while_it_is_exported_is_withdrawn(databases: Databases) -> None:
    """Its first page stands in the file already; an import forgets it and takes the others."""
    source, target = databases
    await commit(source.history, request(EMI, *(said(str(n)) for n in range(transfers.MESSAGES + 1))))
    await commit(source.history, request(EMI.owner.thread("t-2"), said("stays")))
    pages_of = {"t-1": 1, "t-2": 1}
    order = [thread.id for thread in (await source.threads.select(EMI.owner, 9)).threads]
    second_page = sum(pages_of[thread] for thread in order[: order.index("t-1")]) + 2
    lines = await interrupted_export(source, second_page, lambda: source.threads.delete(EMI, NOON))
    assert b'{"kind":"withdrawn"}\n' in lines
    await imported(target, lines)
    assert {scope.thread for scope in await contents(target)} == {"t-2"}


async def test_appends_during_an_export_leave_it_whole(databases: Databases) -> None:
    """A thread is as it was when its first page was read; used again, it comes again with everything."""
    source, target = databases
    await commit(source.history, request(EMI, *(said(str(n)) for n in range(transfers.MESSAGES + 1))))
    lines = await interrupted_export(
        source, 2, lambda: commit(source.history, request(EMI, said("meanwhile"), at=NOON))
    )
    await imported(target, lines)
    assert (await contents(target))[EMI][1] == (await contents(source))[EMI][1]


async def test_a_thread_that_moves_to_the_front_is_not_missed(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the first is exported the last one is used, and leaves the part of the list that is still to be read."""
    from recuerdo.history import iteration

    monkeypatch.setattr(iteration, "PAGE", 1)
    source, target = databases
    for number in range(4):
        await fill(source, EMI.owner.thread(f"t-{number}"), [Message.user("x")], minutes=-number)
    last = EMI.owner.thread("t-3")
    lines = await interrupted_export(source, 2, lambda: fill(source, last, [Message.user("y")], minutes=99))
    await imported(target, lines)
    assert set(await contents(target)) == set(await contents(source))


def broken(lines: list[bytes], number: int, line: bytes | None) -> list[bytes]:
    return [*lines[: number - 1], *([] if line is None else [line + b"\n"]), *lines[number:]]


def changed(line: bytes, **fields: Any) -> bytes:
    return json.dumps({k: v for k, v in (json.loads(line) | fields).items() if v is not ...}).encode()


@pytest.mark.parametrize(
    ("number", "fields", "problem"),
    [
        (1, {"format": 2}, "line 1: is of format 2, and this version reads 1"),
        (1, None, "line 1: is not part of an export"),
        (2, {"tenant": ""}, "line 2: tenant: must be a text of 1 to 255 characters"),
        (2, {"messages": 99}, "line 14: comes too early: messages 12 to 99 of the thread in line 2 are missing"),
        (2, {"messages": 3}, "line 6: has seq 4, and no more message of this thread should stand here"),
        (2, {"created_at": "2026-11-21T12:00:00"}, "line 2: has a time without a time zone"),
        (2, None, "line 2: is a message without a preceding thread"),
        (5, None, "line 5: has seq 4, and seq 3 should stand here"),
        (5, {"id": ...}, "line 5: is a message without its id"),
        (5, {"created_at": ...}, "line 5: is a message without its id or its created_at"),
        (5, {"role": "robot"}, "line 5: can't be read"),
        (5, {"colour": "red"}, "line 5: can't be read"),
        (5, {"tool_calls": [{"id": "1", "name": "x"}]}, "line 5: tool_calls only an assistant message can call tools"),
        (5, {"metadata": {"big": 2**70}}, "line 5: "),
        (14, {"messages": 10}, "line 14: counts 1 threads and 10 messages, and there are 1 and 11"),
        (14, None, "line 14: is missing: the export was cut off before its end"),
    ],
)
async def test_a_broken_line_is_named_and_nothing_is_written(
    databases: Databases, lines: list[bytes], number: int, fields: dict[str, Any] | None, problem: str
) -> None:
    line = None if fields is None else changed(lines[number - 1], **fields)
    with pytest.raises(InvalidInput) as raised:
        await imported(databases[1], broken(lines, number, line))
    assert problem in str(raised.value)
    assert await contents(databases[1]) == {}


@pytest.mark.parametrize("line", [b"", b"{", b"null", b'{"kind":"cat"}', b"\xff\xfe", b"[" * 100_000, b'"kind"'])
async def test_a_line_that_is_none_of_ours_is_named(databases: Databases, lines: list[bytes], line: bytes) -> None:
    with pytest.raises(InvalidInput, match="line 7: can't be read"):
        await imported(databases[1], broken(lines, 7, line))
    assert await contents(databases[1]) == {}


@pytest.mark.parametrize("lines_left", range(14))
async def test_a_file_that_was_cut_off_is_noticed_wherever_that_was(lines: list[bytes], lines_left: int) -> None:
    assert len(lines) == 14
    with pytest.raises(InvalidInput, match="cut off"):
        check(lines[:lines_left])


async def test_a_long_thread_takes_little_memory(tmp_path: Path) -> None:
    """Of 16 MB in one thread only some hundred messages are held at a time, on the way out and on the way in."""
    async with two_databases("sqlite", tmp_path) as (source, target):
        for _ in range(16):
            await commit(source.history, request(EMI, *(said("ñ" * 1000) for _ in range(500))))
        path = tmp_path / "export.jsonl"
        tracemalloc.start()
        try:
            with path.open("wb") as file:
                async for piece in Transfer(source.history, source.threads).export(OwnerFilter()):
                    file.write(piece.data)
            out = tracemalloc.get_traced_memory()[1]
            tracemalloc.reset_peak()
            with path.open("rb") as file, path.open("rb") as again:
                checked = check(lines_of(file))
                async for _ in Transfer(target.history, target.threads).import_from(lines_of(again), checked):
                    pass
            back = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert path.stat().st_size > 16 * 2**20
        assert max(out, back) < 8 * 2**20
        assert await target.history.head(EMI) == Head(Version(1, 8_000), 0)
