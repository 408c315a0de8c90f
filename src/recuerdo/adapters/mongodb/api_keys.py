"""Documents of API keys in MongoDB."""

from datetime import datetime

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.failures import speaking_recuerdo, writes_recuerdo
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.api_keys import ApiKey
from recuerdo.core.scope import Owner

_LATEST_FIRST = [("created_at", -1), ("id", 1)]


class MongoApiKeys:
    """The ApiKeyRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        self.patience = database.patience
        self._keys = database.api_keys

    @writes_recuerdo
    async def add(self, key: ApiKey) -> None:
        """See ApiKeyRepository."""
        await self._keys.insert_one(_document(key))

    @speaking_recuerdo
    async def find(self, digest: bytes) -> ApiKey | None:
        """See ApiKeyRepository."""
        document = await self._keys.find_one({"digest": digest})
        return _api_key(document) if document else None

    @speaking_recuerdo
    async def select(self, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        """See ApiKeyRepository."""
        wanted: Document = {"tenant": tenant} if user is None else {"tenant": tenant, "user": user}
        found = self._keys.find(wanted).sort(_LATEST_FIRST).limit(limit)
        return [_api_key(document) async for document in found]

    @writes_recuerdo
    async def revoke(self, tenant: str, key_id: str, at: datetime) -> bool:
        """See ApiKeyRepository."""
        address = {"tenant": tenant, "id": key_id}
        await self._keys.update_one({**address, "revoked_at": None}, {"$set": {"revoked_at": to_microseconds(at)}})
        return await self._keys.find_one(address, {"id": 1}) is not None

    @writes_recuerdo
    async def erase(self, owner: Owner) -> int:
        """See ApiKeyRepository."""
        return (await self._keys.delete_many({"tenant": owner.tenant, "user": owner.user})).deleted_count


def _document(key: ApiKey) -> Document:
    return {
        "digest": key.digest,
        "id": key.id,
        "tenant": key.owner.tenant,
        "user": key.owner.user,
        "name": key.name,
        "role": key.role,
        "tier": key.tier,
        "created_at": to_microseconds(key.created_at),
        "expires_at": key.expires_at and to_microseconds(key.expires_at),
        "revoked_at": key.revoked_at and to_microseconds(key.revoked_at),
    }


def _api_key(document: Document) -> ApiKey:
    return ApiKey(
        id=document["id"],
        owner=Owner(document["tenant"], document["user"]),
        digest=bytes(document["digest"]),
        name=document["name"],
        role=document["role"],
        tier=document["tier"],
        created_at=from_microseconds(document["created_at"]),
        expires_at=_time(document["expires_at"]),
        revoked_at=_time(document["revoked_at"]),
    )


def _time(stored: int | None) -> datetime | None:
    return None if stored is None else from_microseconds(stored)
