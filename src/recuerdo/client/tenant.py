"""A tenant's own affairs: users and their conversations, shared memories, keys, the audit log. For admins."""

from collections.abc import AsyncGenerator
from typing import Unpack

from recuerdo.client import answers, operations
from recuerdo.client.connection import Connection
from recuerdo.client.memories import AsyncSharedMemoriesClient
from recuerdo.client.options import (
    CreateKeyOptions,
    ForecastRetentionOptions,
    ListErasuresOptions,
    ListKeysOptions,
    ListMessagesOfUserOptions,
    ListThreadsOfUserOptions,
    ListUsersOptions,
    ReadAuditOptions,
    SearchHistoryOfUserOptions,
)
from recuerdo.core.audit import AuditEntry
from recuerdo.core.retention import RetentionForecast


class AsyncTenantClient:
    """The affairs of a tenant, for its admins. Every user may propose `memories`, which all of them share."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.memories = AsyncSharedMemoriesClient(connection)
        self.keys = AsyncKeysClient(connection)

    async def users(self, **options: Unpack[ListUsersOptions]) -> AsyncGenerator[str]:
        """The ids of users and visitors of whom anything is kept, page by page."""
        async for page in self._connection.pages("after", operations.LIST_USERS, **options):
            for user in page.users:
                yield user

    async def threads_of(
        self, user_id: str, **options: Unpack[ListThreadsOfUserOptions]
    ) -> AsyncGenerator[answers.ThreadEntryData]:
        """A user's threads, the most recently changed first, page by page."""
        async for page in self._connection.pages("cursor", operations.LIST_THREADS_OF_USER, user_id, **options):
            for thread in page.threads:
                yield thread

    async def messages_of(
        self, user_id: str, **options: Unpack[ListMessagesOfUserOptions]
    ) -> AsyncGenerator[answers.SaidMessageData]:
        """A user's messages in all threads by time, the latest made first, page by page."""
        async for page in self._connection.pages("cursor", operations.LIST_MESSAGES_OF_USER, user_id, **options):
            for said in page.messages:
                yield said

    async def search_history_of(
        self, user_id: str, query: str, **options: Unpack[SearchHistoryOfUserOptions]
    ) -> list[answers.SaidHitData]:
        """A user's messages that best match the query, best first."""
        return (await self._connection.send(operations.SEARCH_HISTORY_OF_USER(user_id, query=query, **options))).hits

    async def delete_thread_of(self, user_id: str, thread_id: str) -> None:
        """Erase a user's thread. Raises NotFound."""
        await self._connection.send(operations.DELETE_THREAD_OF_USER(user_id, thread_id))

    async def audit(self, **options: Unpack[ReadAuditOptions]) -> AsyncGenerator[AuditEntry]:
        """The audit log, the latest entry first, page by page."""
        while True:
            page = await self._connection.send(operations.READ_AUDIT(**options))
            for entry in page.entries:
                yield entry
            if page.next is None:
                return
            options = {**options, "before": page.next, "skip": 0}

    async def forget_contexts(self, *, assistant_id: str | None = None) -> None:
        """Look the configuration of all conversations up again, or of those with one assistant."""
        await self._connection.send(operations.INVALIDATE_CONTEXTS(assistant_id=assistant_id, repeatable=True))

    async def erase(self, tenant: str) -> answers.ErasureProgressData:
        """Erase everything of the caller's tenant, whose id says that it is meant, in the background."""
        return await self._connection.send(operations.ERASE_TENANT(everything=True, tenant=tenant))

    async def erasures(self, **options: Unpack[ListErasuresOptions]) -> list[answers.ErasureProgressData]:
        """Erasures that go on in the background, or did, the latest first."""
        return (await self._connection.send(operations.LIST_ERASURES(**options))).erasures

    async def retention_forecast(self, **options: Unpack[ForecastRetentionOptions]) -> RetentionForecast:
        """Count what a retention policy would delete of all tenants now. Nothing is deleted. For operators."""
        return await self._connection.send(operations.FORECAST_RETENTION(**options))


class AsyncKeysClient:
    """API keys of the tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def create(self, user: str, **options: Unpack[CreateKeyOptions]) -> answers.NewKeyData:
        """Create a key that acts as the user. Its secret is shown only here."""
        return await self._connection.send(operations.CREATE_KEY(user=user, **options))

    async def rotate(self, key_id: str, *, overlap: int | None = None) -> answers.NewKeyData:
        """Replace a key; the old one stays valid for `overlap` seconds. Raises NotFound or Conflict."""
        return await self._connection.send(operations.ROTATE_KEY(key_id, overlap=overlap))

    async def revoke(self, key_id: str) -> None:
        """Revoke a key. Raises NotFound."""
        await self._connection.send(operations.REVOKE_KEY(key_id))

    async def list(self, **options: Unpack[ListKeysOptions]) -> list[answers.KeyData]:
        """Keys without their secrets, the latest first."""
        return [*(await self._connection.send(operations.LIST_KEYS(**options))).keys]
