"""Documents of data keys in MongoDB."""

from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document, MongoRepository, translated, translated_write
from recuerdo.adapters.rows import data_key_of, from_microseconds, to_microseconds
from recuerdo.core.encryption import DataKey
from recuerdo.core.encryption_ports import DataKeyRepository

_IN_ORDER = [("tenant", 1), ("number", 1)]


class MongoDataKeys(MongoRepository, DataKeyRepository):
    """The DataKeyRepository over a MongoDB database."""

    @translated
    async def of(self, tenant: str) -> list[DataKey]:
        return [_data_key(found) async for found in self._database.data_keys.find({"tenant": tenant}).sort(_IN_ORDER)]

    @translated_write
    async def add(self, key: DataKey) -> bool:
        try:
            await self._database.data_keys.insert_one(key._asdict() | {"created_at": to_microseconds(key.created_at)})
        except DuplicateKeyError:  # or a repeated insert of this very key
            return await self._database.data_keys.find_one({"tenant": key.tenant, "id": key.id}) is not None
        return True

    @translated_write
    async def rewrap(self, key: DataKey) -> bool:
        address = {"tenant": key.tenant, "number": key.number, "id": key.id}
        updated = await self._database.data_keys.update_one(
            address, {"$set": {"master": key.master, "wrapped": key.wrapped}}
        )
        return updated.matched_count == 1

    @translated_write
    async def erase(self, tenant: str) -> int:
        return (await self._database.data_keys.delete_many({"tenant": tenant})).deleted_count

    @translated
    async def select(self, limit: int, after: tuple[str, int] | None = None) -> list[DataKey]:
        wanted: Document = {}
        if after is not None:
            tenant, number = after
            wanted = {"$or": [{"tenant": {"$gt": tenant}}, {"tenant": tenant, "number": {"$gt": number}}]}
        return [_data_key(found) async for found in self._database.data_keys.find(wanted).sort(_IN_ORDER).limit(limit)]


def _data_key(document: Document) -> DataKey:
    return data_key_of([document[name] for name in DataKey._fields], from_microseconds)
