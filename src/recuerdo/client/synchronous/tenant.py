"""A tenant's own affairs: users and their conversations, shared memories, keys, the audit log. For admins.

Made by scripts/client_types.py from the asynchronous client: change that, and run it again.
"""

from collections.abc import Generator
from typing import Unpack

from recuerdo.client import answers, operations
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
from recuerdo.client.synchronous.connection import Connection
from recuerdo.client.synchronous.memories import SharedMemoriesClient
from recuerdo.core.audit import AuditEntry
from recuerdo.core.retention import RetentionForecast


class TenantClient:
    """The affairs of a tenant, for its admins. Every user may propose `memories`, which all of them share."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.memories = SharedMemoriesClient(connection)
        self.keys = KeysClient(connection)

    def users(self, **options: Unpack[ListUsersOptions]) -> Generator[str]:
        """The ids of users and visitors of whom anything is kept, page by page."""
        while True:
            page = self._connection.send(operations.LIST_USERS(**options))
            yield from page.users
            if page.after is None:
                return
            options = {**options, "after": page.after, "skip": 0}

    def threads_of(
        self, user_id: str, **options: Unpack[ListThreadsOfUserOptions]
    ) -> Generator[answers.ThreadEntryData]:
        """A user's threads, the most recently changed first, page by page."""
        while True:
            page = self._connection.send(operations.LIST_THREADS_OF_USER(user_id, **options))
            yield from page.threads
            if page.cursor is None:
                return
            options = {**options, "cursor": page.cursor, "skip": 0}

    def messages_of(
        self, user_id: str, **options: Unpack[ListMessagesOfUserOptions]
    ) -> Generator[answers.SaidMessageData]:
        """A user's messages in all threads by time, the latest made first, page by page."""
        while True:
            page = self._connection.send(operations.LIST_MESSAGES_OF_USER(user_id, **options))
            yield from page.messages
            if page.cursor is None:
                return
            options = {**options, "cursor": page.cursor, "skip": 0}

    def search_history_of(
        self, user_id: str, query: str, **options: Unpack[SearchHistoryOfUserOptions]
    ) -> list[answers.SaidHitData]:
        """A user's messages that best match the query, best first."""
        return (self._connection.send(operations.SEARCH_HISTORY_OF_USER(user_id, query=query, **options))).hits

    def delete_thread_of(self, user_id: str, thread_id: str) -> None:
        """Erase a user's thread. Raises NotFound."""
        self._connection.send(operations.DELETE_THREAD_OF_USER(user_id, thread_id))

    def audit(self, **options: Unpack[ReadAuditOptions]) -> Generator[AuditEntry]:
        """The audit log, the latest entry first, page by page."""
        while True:
            page = self._connection.send(operations.READ_AUDIT(**options))
            yield from page.entries
            if page.next is None:
                return
            options = {**options, "before": page.next, "skip": 0}

    def forget_contexts(self, *, assistant_id: str | None = None) -> None:
        """Look the configuration of all conversations up again, or of those with one assistant."""
        self._connection.send(operations.INVALIDATE_CONTEXTS(assistant_id=assistant_id, repeatable=True))

    def erase(self, tenant: str) -> answers.ErasureProgressData:
        """Erase everything of the caller's tenant, whose id says that it is meant, in the background."""
        return self._connection.send(operations.ERASE_TENANT(everything=True, tenant=tenant))

    def erasures(self, **options: Unpack[ListErasuresOptions]) -> list[answers.ErasureProgressData]:
        """Erasures that go on in the background, or did, the latest first."""
        return (self._connection.send(operations.LIST_ERASURES(**options))).erasures

    def retention_forecast(self, **options: Unpack[ForecastRetentionOptions]) -> RetentionForecast:
        """Count what a retention policy would delete of all tenants now. Nothing is deleted. For operators."""
        return self._connection.send(operations.FORECAST_RETENTION(**options))


class KeysClient:
    """API keys of the tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(self, user: str, **options: Unpack[CreateKeyOptions]) -> answers.NewKeyData:
        """Create a key that acts as the user. Its secret is shown only here."""
        return self._connection.send(operations.CREATE_KEY(user=user, **options))

    def rotate(self, key_id: str, *, overlap: int | None = None) -> answers.NewKeyData:
        """Replace a key; the old one stays valid for `overlap` seconds. Raises NotFound or Conflict."""
        return self._connection.send(operations.ROTATE_KEY(key_id, overlap=overlap))

    def revoke(self, key_id: str) -> None:
        """Revoke a key. Raises NotFound."""
        self._connection.send(operations.REVOKE_KEY(key_id))

    def list(self, **options: Unpack[ListKeysOptions]) -> list[answers.KeyData]:
        """Keys without their secrets, the latest first."""
        return [*(self._connection.send(operations.LIST_KEYS(**options))).keys]
