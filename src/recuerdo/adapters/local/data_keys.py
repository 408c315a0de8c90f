"""Data keys in the memory of one process."""

from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.core.encryption import DataKey
from recuerdo.core.encryption_ports import DataKeyRepository


class LocalDataKeys(DataKeyRepository):
    """The DataKeyRepository of this process."""

    def __init__(self, database: LocalDatabase) -> None:
        self._keys = database.data_keys

    async def of(self, tenant: str) -> list[DataKey]:
        return [key for place, key in sorted(self._keys.items()) if place[0] == tenant]

    async def add(self, key: DataKey) -> bool:
        return self._keys.setdefault((key.tenant, key.number), key) is key

    async def rewrap(self, key: DataKey) -> bool:
        known = self._keys.get((key.tenant, key.number))
        if known is None or known.id != key.id:
            return False
        self._keys[key.tenant, key.number] = known._replace(master=key.master, wrapped=key.wrapped)
        return True

    async def erase(self, tenant: str) -> int:
        gone = [place for place in self._keys if place[0] == tenant]
        for place in gone:
            del self._keys[place]
        return len(gone)

    async def select(self, limit: int, after: tuple[str, int] | None = None) -> list[DataKey]:
        return [key for place, key in sorted(self._keys.items()) if after is None or place > after][:limit]
