"""Documents of MongoDB where writers are killed, slow, or overtaken by an erasure; see the adapter's docstring."""

import msgspec
import pytest

from recuerdo.adapters.mongodb import MongoDatabase, MongoDocuments
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.scope import Owner
from recuerdo.testing.clock import NOON
from recuerdo.testing.samples import fresh_owner

KEY = DocumentKey("run", "a")


def row(n: int, document_id: str = "a") -> Document:
    return Document("run", document_id, "g", msgspec.json.encode({"n": n}), due=NOON)


class Killed(BaseException):
    """The writer dies at this moment."""


@pytest.fixture
def owner() -> Owner:
    return fresh_owner()


@pytest.fixture
def documents(database: MongoDatabase) -> MongoDocuments:
    return MongoDocuments(database, LocalSignals())


async def killed_behind_its_commit(database: MongoDatabase, owner: Owner, *rows: Document) -> None:
    dying = MongoDocuments(database, LocalSignals())

    async def die(_group: object) -> None:
        raise Killed

    dying._complete = die  # type: ignore[method-assign]
    with pytest.raises(Killed):
        await dying.change(owner, "g", [], lambda _: Decision(None, rows))


async def test_the_next_change_completes_what_a_killed_writer_has_committed(
    database: MongoDatabase, documents: MongoDocuments, owner: Owner
) -> None:
    await killed_behind_its_commit(database, owner, row(1), row(1, "b"))
    assert await documents.get(owner, KEY) is None
    seen = await documents.change(owner, "g", [KEY], lambda found: Decision([*found]))
    assert seen == [row(1)]
    assert await documents.get(owner, DocumentKey("run", "b")) == b'{"n":1}'


async def test_who_looks_for_what_is_due_completes_it_after_a_while(
    database: MongoDatabase, documents: MongoDocuments, owner: Owner
) -> None:
    await killed_behind_its_commit(database, owner, row(1))
    await database.document_groups.update_one({"tenant": owner.tenant}, {"$set": {"pending.since": 0}})
    assert (owner, row(1)) in await documents.due("run", NOON, 10)


async def test_a_slow_writer_takes_back_nothing_that_came_later(
    database: MongoDatabase, documents: MongoDocuments, owner: Owner
) -> None:
    await killed_behind_its_commit(database, owner, row(1), row(1, "b"))
    late = await database.document_groups.find_one({"tenant": owner.tenant})
    assert late is not None
    await documents.change(owner, "g", [], lambda _: Decision(None, [row(2)], delete=[DocumentKey("run", "b")]))
    await documents._complete(late)
    assert await documents.get(owner, KEY) == b'{"n":2}'
    assert await documents.get(owner, DocumentKey("run", "b")) is None


async def test_a_slow_writer_brings_back_nothing_that_was_erased(
    database: MongoDatabase, documents: MongoDocuments, owner: Owner
) -> None:
    await killed_behind_its_commit(database, owner, row(1))
    late = await database.document_groups.find_one({"tenant": owner.tenant})
    assert late is not None
    await documents.erase(owner)
    await documents._complete(late)
    assert await documents.get(owner, KEY) is None
    assert await database.documents.count_documents({"tenant": owner.tenant}) == 0
