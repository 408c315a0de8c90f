"""Changes of keys: data keys are wrapped by the current master key, and tenants get new data keys."""

from collections import Counter
from collections.abc import AsyncGenerator
from typing import NamedTuple

from recuerdo.core.encryption import DataKey
from recuerdo.core.encryption_ports import DataKeyRepository
from recuerdo.core.ports import Clock
from recuerdo.encryption.ciphers import MasterKeys

_PAGE = 100


class KeyStatus(NamedTuple):
    """How many tenants have data keys, and how many data keys each master key wraps, by its id."""

    tenants: int
    wrapped_by: Counter[str]


class Rotated(NamedTuple):
    """How many data keys were wrapped anew, and how many were added."""

    wrapped: int
    added: int


async def status(keys: DataKeyRepository) -> KeyStatus:
    """The state of all keys. Needs no master key."""
    tenants: set[str] = set()
    wrapped_by: Counter[str] = Counter()
    async for key in _all(keys):
        wrapped_by[key.master] += 1
        if key.tenant:
            tenants.add(key.tenant)
    return KeyStatus(len(tenants), wrapped_by)


async def rotate(keys: DataKeyRepository, masters: MasterKeys, clock: Clock, *, add: bool) -> Rotated:
    """Wrap every data key by the first master key; with `add` also give each tenant a new data key, if it has one.

    It may be interrupted and repeated. Raises ConfigurationError for a master key that is missing.
    """
    wrapped = added = 0
    newest: dict[str, int] = {}
    async for key in _all(keys):
        newest[key.tenant] = key.number
        if key.master != masters.first:
            wrapped += await keys.rewrap(masters.rewrap(key))
    for tenant, number in newest.items() if add else ():
        added += await keys.add(masters.make(tenant, number + 1, clock()))
    return Rotated(wrapped, added)


async def _all(keys: DataKeyRepository) -> AsyncGenerator[DataKey]:
    page = await keys.select(_PAGE)
    while page:
        for key in page:
            yield key
        page = await keys.select(_PAGE, (page[-1].tenant, page[-1].number))
