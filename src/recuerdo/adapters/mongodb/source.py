"""Another system's messages in a collection of MongoDB, read document by document."""

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pymongo
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import ConfigurationError as NoDatabase
from pymongo.errors import PyMongoError

from recuerdo.adapters.mongodb.connection import Document, new_client, translate
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.sources import SourceMapping, SourceRow, owner_fields

_TIMEOUT_MS = 60_000
"""How long one reply may take: the first comes when the server has sorted what no index sorts."""

_DOCUMENTS_AT_A_TIME = 500
_KEY = "_id"


class MongoSource:
    """See MessageSource. Without an `order` the documents of a conversation are sorted by their `_id`."""

    def __init__(self, database: AsyncDatabase[Document], mapping: SourceMapping) -> None:
        self._database = database
        self._collection = database[mapping.source]
        self._mapping = mapping

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, mapping: SourceMapping) -> AsyncGenerator["MongoSource"]:
        """A client of the database that the path of the URL names. Raises ConfigurationError."""
        async with new_client(url, _TIMEOUT_MS) as client:
            try:
                yield cls(client.get_default_database(), mapping)
            except NoDatabase:
                raise ConfigurationError(
                    "The MongoDB URL names no database. Write mongodb://host:27017/database."
                ) from None

    async def rows(self) -> AsyncGenerator[SourceRow]:
        mapping = self._mapping
        order = list(dict.fromkeys([mapping.conversation, *(mapping.order or [_KEY])]))
        wanted = dict.fromkeys(mapping.row_fields(), True)
        with _translated():
            found = self._collection.find({}, wanted, batch_size=_DOCUMENTS_AT_A_TIME, allow_disk_use=True)
            async for document in found.sort([(field, pymongo.ASCENDING) for field in order]):
                yield SourceRow(f"{mapping.source} {document[_KEY]}", document)

    async def count(self) -> int:
        with _translated():
            return await self._collection.count_documents({})

    async def owner(self, conversation: Any) -> Mapping[str, Any]:
        owners = self._mapping.owners
        if owners is None:
            return {}
        with _translated():
            wanted = dict.fromkeys(owner_fields(owners), True)
            return await self._database[owners.source].find_one({owners.conversation: conversation}, wanted) or {}


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except PyMongoError as error:
        raise translate(error) from error
