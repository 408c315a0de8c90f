"""Ports of encryption: the keys that texts are encrypted with, and all rows that hold texts."""

from collections.abc import Sequence
from typing import Protocol

from recuerdo.core.encryption import DataKey, Stored, StoredText, TextKind


class DataKeyRepository(Protocol):
    """The wrapped keys that texts are encrypted with, by tenant."""

    async def of(self, tenant: str) -> list[DataKey]:
        """The tenant's keys, in the order of their numbers."""
        ...

    async def add(self, key: DataKey) -> bool:
        """Store a new key. False, and nothing is stored, when the tenant has one of this number: look again."""
        ...

    async def rewrap(self, key: DataKey) -> bool:
        """Replace `master` and `wrapped` of the key. False when it is gone."""
        ...

    async def erase(self, tenant: str) -> int:
        """Remove the tenant's keys: what was encrypted with them can't be read any more. Returns how many."""
        ...

    async def select(self, limit: int, after: tuple[str, int] | None = None) -> list[DataKey]:
        """Keys of all tenants, in the order of tenants and numbers, after the tenant and number `after`.

        It is for operators: no request is ever answered from it.
        """
        ...


class TextRepository(Protocol):
    """All rows with texts, as they are stored, for operators who encrypt them anew.

    | kind | key, after those of its owner | names | texts |
    |---|---|---|---|
    | `message` | | role, id, checksum | body |
    | `thread` | | | title |
    | `message vector` | user, thread, epoch, seq | model | vector |
    | `memory` | | id, model of the vector | text, value, review, vector |
    | `memory change` | | | each memory before and after |
    | `checkpoint` | user, thread, number of the thread, namespace, id | | body, metadata |
    | `checkpoint write` | user, thread, number of the thread, namespace, checkpoint | | body |
    | `checkpoint segment` | user, thread, number of the thread, log, start | | data |
    | `checkpoint value` | | | digest, data |
    | `document` | user, kind, id | | body |
    """

    kinds: Sequence[TextKind]
    """The kinds that the database keeps."""

    async def tenants(self) -> list[str]:
        """All tenants that have texts."""
        ...

    async def select(
        self, tenant: str, kind: TextKind, limit: int, after: StoredText | None = None
    ) -> list[StoredText]:
        """Rows of the tenant, in the order of their keys, after `after`."""
        ...

    async def replace(self, tenant: str, kind: TextKind, changes: Sequence[tuple[StoredText, Sequence[Stored]]]) -> int:
        """Replace the texts of rows which are still as they were selected, each whole or not at all.

        Returns how many were. A message gets the checksum of its new body.
        """
        ...
