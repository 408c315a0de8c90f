"""API keys, sessions and the users of tenants in MongoDB. API keys are looked up before the tenant is known."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document, MongoRepository, of_owner, translated, translated_write
from recuerdo.adapters.rows import from_microseconds, session_of, to_microseconds
from recuerdo.core.api_keys import FULL, ApiKey
from recuerdo.core.contexts import Session
from recuerdo.core.ports import ApiKeyRepository, SessionRepository, UserDirectory
from recuerdo.core.scope import Owner

_LATEST_FIRST = [("created_at", -1), ("id", 1)]


class MongoApiKeys(MongoRepository, ApiKeyRepository):
    """The ApiKeyRepository over a MongoDB database."""

    @translated_write
    async def add(self, key: ApiKey) -> None:
        await self._database.api_keys.insert_one(_key_document(key))

    @translated
    async def find(self, digest: bytes) -> ApiKey | None:
        document = await self._database.api_keys.find_one({"digest": digest})
        return _api_key(document) if document else None

    @translated
    async def select(self, tenant: str, user: str | None, limit: int) -> list[ApiKey]:
        wanted: Document = {"tenant": tenant} if user is None else {"tenant": tenant, "user": user}
        found = self._database.api_keys.find(wanted).sort(_LATEST_FIRST).limit(limit)
        return [_api_key(document) async for document in found]

    @translated
    async def get(self, tenant: str, key_id: str) -> ApiKey | None:
        document = await self._database.api_keys.find_one({"tenant": tenant, "id": key_id})
        return _api_key(document) if document else None

    @translated_write
    async def rotate(self, old_id: str, new: ApiKey, until: datetime) -> bool:
        # The new key first: until this returns no caller has its secret, and the old one must not end without it.
        await self._database.api_keys.insert_one(_key_document(new))
        address = {"tenant": new.owner.tenant, "id": old_id, "revoked_at": None, "replaced_by": None}
        replaced = await self._database.api_keys.update_one(address, {"$set": {"replaced_by": new.id}})
        if replaced.matched_count == 0:
            await self._database.api_keys.delete_one({"digest": new.digest})
            return False
        stays_longer = {"$or": [{"expires_at": None}, {"expires_at": {"$gt": to_microseconds(until)}}]}
        await self._database.api_keys.update_one(
            {"tenant": new.owner.tenant, "id": old_id, **stays_longer}, {"$set": {"expires_at": to_microseconds(until)}}
        )
        return True

    @translated_write
    async def mark_used(self, tenant: str, key_id: str, at: datetime) -> None:
        noted = {"$max": {"last_used_at": to_microseconds(at)}}
        await self._database.api_keys.update_one({"tenant": tenant, "id": key_id}, noted)

    @translated_write
    async def revoke(self, tenant: str, key_id: str, at: datetime) -> bool:
        address = {"tenant": tenant, "id": key_id}
        await self._database.api_keys.update_one(
            {**address, "revoked_at": None}, {"$set": {"revoked_at": to_microseconds(at)}}
        )
        return await self._database.api_keys.find_one(address, {"id": 1}) is not None

    @translated_write
    async def erase(self, owner: Owner) -> int:
        return (await self._database.api_keys.delete_many(of_owner(owner))).deleted_count


_KEY_TIMES = ("created_at", "expires_at", "revoked_at", "last_used_at")


def _key_document(key: ApiKey) -> Document:
    fields = {name: getattr(key, name) for name in ApiKey.__struct_fields__ if name != "owner"}
    times = {name: fields[name] and to_microseconds(fields[name]) for name in _KEY_TIMES}
    return {**of_owner(key.owner), **fields, **times, "scopes": list(key.scopes)}


def _api_key(document: Document) -> ApiKey:
    fields = {name: document[name] for name in ApiKey.__struct_fields__ if name in document}
    for name in _KEY_TIMES:
        if fields.get(name) is not None:
            fields[name] = from_microseconds(fields[name])
    # keys of earlier versions have no scopes
    fields |= {"digest": bytes(document["digest"]), "scopes": tuple(document.get("scopes", FULL))}
    return ApiKey(owner=Owner(document["tenant"], document["user"]), **fields)


_SESSION = ("tenant", "user", "session", "thread", "assistant", "began_at", "expires_at", "stamp")


class MongoSessions(MongoRepository, SessionRepository):
    """The SessionRepository over a MongoDB database."""

    @translated
    async def find(self, tenant: str, session_id: str) -> Session | None:
        document = await self._database.sessions.find_one({"_id": _session_key(tenant, session_id)})
        return _session(document) if document else None

    @translated
    async def save(self, session: Session, instead_of: Session | None) -> bool:
        document = _session_document(session)
        if instead_of is not None:
            known = {"_id": document["_id"], "stamp": instead_of.stamp}
            return (await self._database.sessions.replace_one(known, document)).matched_count == 1
        try:
            await self._database.sessions.insert_one(document)
        except DuplicateKeyError:
            return False
        return True

    @translated
    async def erase(self, owner: Owner) -> Sequence[str]:
        return await self._remove(of_owner(owner))

    @translated
    async def sweep(self, now: datetime, limit: int) -> int:
        return len(await self._remove({"expires_at": {"$lte": to_microseconds(now)}}, limit))

    async def _remove(self, which: Document, limit: int = 0) -> list[str]:
        found = [each async for each in self._database.sessions.find(which, {"_id": 1, "session": 1}).limit(limit)]
        if found:
            await self._database.sessions.delete_many({"_id": {"$in": [each["_id"] for each in found]}, **which})
        return [each.get("session", "") for each in found]  # those of before ids belonged to tenants have none


def _session_key(tenant: str, session_id: str) -> str:
    """The tenant stands after its length, so that no two have the same."""
    return f"{len(tenant)}:{tenant}{session_id}"


def _session_document(session: Session) -> Document:
    fields = dict(zip(_SESSION, msgspec.structs.astuple(session), strict=True))
    times = {"began_at": to_microseconds(session.began_at), "expires_at": to_microseconds(session.expires_at)}
    return {"_id": _session_key(session.tenant, session.session), **fields, **times}


def _session(document: Document) -> Session:
    return session_of([document[name] for name in _SESSION], from_microseconds)


class MongoUsers(MongoRepository, UserDirectory):
    """The UserDirectory over a MongoDB database."""

    @translated
    async def users(self, tenant: str, limit: int, after: str = "") -> list[str]:
        behind: Document = {"tenant": tenant, "user": {"$gt": after}}
        living: Document = {**behind, "deleted": False}
        changed: Document = {**behind, "action": {"$ne": "erased"}}
        database = self._database
        found: set[str] = {*await database.threads.distinct("user", living)}
        found |= {*await database.memory_changes.distinct("user", changed)}
        graphs = (database.documents, database.checkpoint_threads, database.store_items)
        for each in (database.memories, database.api_keys, database.sessions, *graphs):
            found |= {*await each.distinct("user", behind)}
        return sorted(found - {""})[:limit]
