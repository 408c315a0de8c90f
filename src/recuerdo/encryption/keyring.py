"""The data keys of all tenants, unwrapped as they are needed."""

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from recuerdo.concurrency.coalescer import SingleFlight
from recuerdo.concurrency.lru import LruCache
from recuerdo.core.encryption import INSTALLATION, DataKey
from recuerdo.core.encryption_ports import DataKeyRepository
from recuerdo.core.errors import DataKeyMissing, Unavailable
from recuerdo.core.ports import Clock
from recuerdo.encryption.ciphers import Ciphers, MasterKeys

T = TypeVar("T")

SECONDS_KNOWN = 60.0
"""After so long the database is asked again: another replica may have added a key, or erased the tenant."""

_MOST_TENANTS = 10_000


class _KnownCiphers(NamedTuple):
    ciphers: Ciphers
    until: float


class Keyring:
    """Finds the ciphers of tenants, and makes the first key of each."""

    def __init__(self, repository: DataKeyRepository, masters: MasterKeys, clock: Clock) -> None:
        self._repository = repository
        self._masters = masters
        self._clock = clock
        self._known: LruCache[str, _KnownCiphers] = LruCache(_MOST_TENANTS)
        self._loads: SingleFlight[Ciphers] = SingleFlight()

    async def check(self) -> None:
        """Make the installation's own key, or see whether the master keys fit it. Raises ConfigurationError.

        This key also tells processes without a master key that the database has encrypted texts.
        """
        await self.sealing(INSTALLATION)

    async def known(self, tenant: str) -> Ciphers:
        """The tenant's ciphers for opening sealed data; perhaps none. While the database is away: as last known."""
        found = self._known.get(tenant)
        if found is not None and time.monotonic() < found.until:
            return found.ciphers
        try:
            return await self._loads.run(tenant, lambda: self._load(tenant))
        except Unavailable:
            if found is None:
                raise
            return found.ciphers

    async def sealing(self, tenant: str) -> Ciphers:
        """The tenant's ciphers, with one at least to seal with."""
        ciphers = await self.known(tenant)
        while ciphers.is_empty:
            await self._repository.add(self._masters.make(tenant, 1, self._clock()))
            ciphers = await self._load(tenant)  # perhaps another replica was quicker
        return ciphers

    def unstored(self, tenant: str) -> Ciphers:
        """Ciphers with a new key that is kept nowhere: to try things out."""
        return self._masters.ciphers(tenant, [self._masters.make(tenant, 1, self._clock())])

    async def opened(self, tenant: str, open_all: Callable[[Ciphers], T]) -> T:
        """Return the result of `open_all` with the tenant's ciphers. Raises its errors.

        It is called again when a key is missing that another replica has made since.
        """
        try:
            return open_all(await self.known(tenant))
        except DataKeyMissing:
            return open_all(await self._load(tenant))

    def forget(self, tenant: str) -> None:
        """Ask the database for the tenant's keys the next time."""
        self._known.pop(tenant)

    async def _load(self, tenant: str) -> Ciphers:
        ciphers = self._masters.ciphers(tenant, await self._repository.of(tenant))
        self._known.put(tenant, _KnownCiphers(ciphers, time.monotonic() + SECONDS_KNOWN))
        return ciphers


class ErasableKeys(DataKeyRepository):
    """The DataKeyRepository over another one. The keyring forgets changed keys at once."""

    def __init__(self, repository: DataKeyRepository, keyring: Keyring) -> None:
        self._repository = repository
        self._keyring = keyring
        self.of = repository.of
        self.rewrap = repository.rewrap
        self.select = repository.select

    async def add(self, key: DataKey) -> bool:
        added = await self._repository.add(key)
        self._keyring.forget(key.tenant)
        return added

    async def erase(self, tenant: str) -> int:
        try:
            return await self._repository.erase(tenant)
        finally:
            self._keyring.forget(tenant)
