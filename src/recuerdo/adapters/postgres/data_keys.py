"""Rows of data keys in PostgreSQL."""

from recuerdo.adapters.postgres.connection import PostgresRepository
from recuerdo.adapters.rows import data_key_of, utc
from recuerdo.core.encryption import DataKey
from recuerdo.core.encryption_ports import DataKeyRepository

_OF = """
SELECT tenant, number, id, master, wrapped, created_at FROM recuerdo.data_keys
WHERE tenant = %(tenant)s ORDER BY number"""

_ADD = """
INSERT INTO recuerdo.data_keys (tenant, number, id, master, wrapped, created_at)
VALUES (%(tenant)s, %(number)s, %(id)s, %(master)s, %(wrapped)s, %(created_at)s)
ON CONFLICT DO NOTHING RETURNING id"""

_REWRAP = """
UPDATE recuerdo.data_keys SET master = %(master)s, wrapped = %(wrapped)s
WHERE tenant = %(tenant)s AND number = %(number)s AND id = %(id)s RETURNING id"""

_ERASE = "DELETE FROM recuerdo.data_keys WHERE tenant = %(tenant)s RETURNING id"

_PLACES = """
SELECT tenant, number FROM recuerdo.swept_data_keys
WHERE %(tenant)s::text IS NULL OR (tenant, number) > (%(tenant)s::text COLLATE "C", %(number)s::bigint)
ORDER BY tenant, number LIMIT %(limit)s"""


class PostgresDataKeys(PostgresRepository, DataKeyRepository):
    """The DataKeyRepository over a PostgreSQL database."""

    async def of(self, tenant: str) -> list[DataKey]:
        rows = await self._database.fetch(tenant, _OF, {"tenant": tenant})
        return [data_key_of(row, utc) for row in rows]

    async def add(self, key: DataKey) -> bool:
        return bool(await self._database.fetch(key.tenant, _ADD, key._asdict(), writes=True))

    async def rewrap(self, key: DataKey) -> bool:
        return bool(await self._database.fetch(key.tenant, _REWRAP, key._asdict(), writes=True))

    async def erase(self, tenant: str) -> int:
        return len(await self._database.fetch(tenant, _ERASE, {"tenant": tenant}, writes=True))

    async def select(self, limit: int, after: tuple[str, int] | None = None) -> list[DataKey]:
        tenant, number = after or (None, None)
        swept = await self._database.sweep(_PLACES, {"tenant": tenant, "number": number, "limit": limit})
        places = {(each_tenant, each_number) for each_tenant, each_number in swept}
        found = [key for each in sorted({each for each, _ in places}) for key in await self.of(each)]
        return [key for key in found if (key.tenant, key.number) in places]
