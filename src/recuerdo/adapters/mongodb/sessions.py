"""Documents of sessions in MongoDB."""

from collections.abc import Sequence
from datetime import datetime

from pymongo.errors import DuplicateKeyError

from recuerdo.adapters.mongodb.connection import Document, MongoDatabase
from recuerdo.adapters.mongodb.failures import speaking_recuerdo
from recuerdo.adapters.times import from_microseconds, to_microseconds
from recuerdo.core.contexts import Session
from recuerdo.core.scope import Owner


class MongoSessions:
    """The SessionRepository over a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        self.patience = database.patience
        self._sessions = database.sessions

    @speaking_recuerdo
    async def find(self, session_id: str) -> Session | None:
        """See SessionRepository."""
        document = await self._sessions.find_one({"_id": session_id})
        return _session(document) if document else None

    @speaking_recuerdo
    async def save(self, session: Session, instead_of: Session | None) -> bool:
        """See SessionRepository."""
        document = _document(session)
        if instead_of is not None:
            known = {"_id": session.session, "stamp": instead_of.stamp}
            return (await self._sessions.replace_one(known, document)).matched_count == 1
        try:
            await self._sessions.insert_one(document)
        except DuplicateKeyError:
            return False
        return True

    @speaking_recuerdo
    async def erase(self, owner: Owner) -> Sequence[str]:
        """See SessionRepository."""
        return await self._remove({"tenant": owner.tenant, "user": owner.user})

    @speaking_recuerdo
    async def sweep(self, now: datetime, limit: int) -> int:
        """See SessionRepository."""
        return len(await self._remove({"expires_at": {"$lte": to_microseconds(now)}}, limit))

    async def _remove(self, which: Document, limit: int = 0) -> list[str]:
        found = [each["_id"] async for each in self._sessions.find(which, {"_id": 1}).limit(limit)]
        if found:
            await self._sessions.delete_many({"_id": {"$in": found}, **which})
        return found


def _document(session: Session) -> Document:
    return {
        "_id": session.session,
        "tenant": session.tenant,
        "user": session.user,
        "thread": session.thread,
        "assistant": session.assistant_id,
        "began_at": to_microseconds(session.began_at),
        "expires_at": to_microseconds(session.expires_at),
        "stamp": session.stamp,
    }


def _session(document: Document) -> Session:
    return Session(
        tenant=document["tenant"],
        user=document["user"],
        session=document["_id"],
        thread=document["thread"],
        assistant_id=document["assistant"],
        began_at=from_microseconds(document["began_at"]),
        expires_at=from_microseconds(document["expires_at"]),
        stamp=document["stamp"],
    )
