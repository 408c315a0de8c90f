"""The items of LangGraph's own stores, read into ours."""

import json
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from struct import iter_unpack, pack
from typing import Any, NamedTuple

from langgraph.store.base import PutOp

from recuerdo.core.errors import InvalidInput
from recuerdo.core.graph_ports import ItemRepository
from recuerdo.core.items import IndexEntry, Item, ItemAddress, Put, StoreScope
from recuerdo.integrations.langgraph.importing import LangGraphDatabase
from recuerdo.integrations.langgraph.store import check_operation, value_as_json

_PAGE = 200
_ITEMS = "SELECT * FROM store WHERE (prefix, key) > ({0}, {0}) ORDER BY prefix, key LIMIT {1}"
_VECTORS = (
    "SELECT prefix, key, field_name, {1} AS embedding FROM store_vectors"
    " WHERE (prefix, key) >= ({0}, {0}) AND (prefix, key) <= ({0}, {0}) ORDER BY prefix, key, field_name"
)


class ImportedItems(NamedTuple):
    """What was done with some items: `written` are new here, `others` have another value here and were left alone."""

    items: int
    written: int
    others: int


async def import_items(
    source: LangGraphDatabase, target: ItemRepository, scope: StoreScope
) -> AsyncGenerator[ImportedItems]:
    """Copy all items of the source's store with their times, lives and vectors, told page by page.

    What is here already stays, so that an import that was stopped goes on. Raises InvalidInput for an item that can't
    be kept here.
    """
    place = ("", "")
    while "store" in source.tables and (rows := await source.named_rows(_ITEMS.format("{0}", _PAGE), *place)):
        first, place = _place(rows[0]), _place(rows[-1])
        vectors = await _vectors(source, first, place)
        found = await target.read(scope, [_key(row) for row in rows], None)
        written = others = 0
        for row, here in zip(rows, found, strict=True):
            if here is None:
                await _write(target, scope, row, vectors.get(_place(row), ()))
                written += 1
            elif not _is_same(row, here):
                others += 1
        yield ImportedItems(len(rows), written, others)


async def _write(
    target: ItemRepository, scope: StoreScope, row: Mapping[str, Any], entries: Sequence[IndexEntry]
) -> None:
    """An item that is replaced keeps the time when it was created, and its life begins again when it is read."""
    put, ttl = _put(row, entries), row.get("ttl_minutes")
    created, updated = _time(row["created_at"]), _time(row["updated_at"])
    if created != updated:
        await target.write(scope, [put], created)
    await target.write(scope, [put], updated)
    if ttl is not None and row.get("expires_at"):
        await target.refresh(scope, [put.place], _time(row["expires_at"]) - timedelta(minutes=ttl))


def _put(row: Mapping[str, Any], entries: Sequence[IndexEntry]) -> Put:
    place = _key(row)
    operation = PutOp(place.namespace, place.key, _value(row))
    try:
        check_operation(operation)
        return Put(place, value_as_json(operation), row.get("ttl_minutes"), entries)
    except (InvalidInput, ValueError) as error:
        raise InvalidInput("item", f"{place.key!r} in {place.namespace} can't be kept here: {error}") from None


async def _vectors(
    source: LangGraphDatabase, first: tuple[str, str], last: tuple[str, str]
) -> dict[tuple[str, str], list[IndexEntry]]:
    """The vectors of the items from one place to another."""
    if "store_vectors" not in source.tables:
        return {}
    rows = await source.named_rows(_VECTORS.format("{0}", source.vector), *first, *last)
    return {
        place: [IndexEntry(row["field_name"], "", _unit(row["embedding"])) for row in own]
        for place, own in groupby(rows, _place)
    }


def _unit(stored: str | bytes) -> bytes:
    """The vector in unit length, from the text of pgvector or the bytes of sqlite-vec."""
    numbers = json.loads(stored) if isinstance(stored, str) else [number for (number,) in iter_unpack("<f", stored)]
    length = math.hypot(*numbers)
    return pack(f"<{len(numbers)}f", *[number / length for number in numbers] if length else numbers)


def _is_same(row: Mapping[str, Any], here: Item) -> bool:
    return json.loads(here.value) == _value(row)


def _value(row: Mapping[str, Any]) -> Any:
    return json.loads(row["value"]) if isinstance(row["value"], str | bytes) else row["value"]


def _place(row: Mapping[str, Any]) -> tuple[str, str]:
    return row["prefix"], row["key"]


def _key(row: Mapping[str, Any]) -> ItemAddress:
    return ItemAddress(tuple(row["prefix"].split(".")), row["key"])


def _time(stored: datetime | str) -> datetime:
    time = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
    return time if time.tzinfo else time.replace(tzinfo=UTC)
