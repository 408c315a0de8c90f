"""Cache entries of a process that forgets what other processes over the same database have changed."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from recuerdo.caching.tiered import LocalEntries
from recuerdo.core.caches import LIVES, CacheKey, DataType, Life
from recuerdo.core.graph_ports import Signals
from recuerdo.core.identifiers import digest

_FORGET = "forget:"
_ANY_TENANT = "any"
"""Signals don't name the tenant, and are of one tenant each."""


class SignalledEntries(LocalEntries):
    """The entries of one process where there is no shared cache.

    Entries that are deleted, forgotten or removed here are forgotten by the other processes when the signal reaches
    them, a moment after the call returns. If signals may have been missed, all entries are forgotten.
    """

    def __init__(self, signals: Signals, lives: Mapping[DataType, Life] = LIVES) -> None:
        super().__init__(lives)
        self._signals = signals
        signals.subscribe(self._on_signal)

    async def delete(self, keys: Sequence[CacheKey]) -> None:
        await super().delete(keys)
        for key in keys:
            self._signals.publish(_signal(key.tenant, key.resource))

    async def forget(self, tenant: str, group: str) -> None:
        self._signals.publish(_signal(tenant, group))  # which this process hears at once

    async def remove(self, tenant: str, prefix: str) -> int:
        removed = await super().remove(tenant, prefix)
        self._signals.publish(_signal(tenant, prefix))
        return removed

    def _on_signal(self, signal: str) -> None:
        if not signal:
            self._generations.drop_if(lambda _group, _known: True)
        elif signal.startswith(_FORGET):
            self._generations.pop((_ANY_TENANT, signal))

    def _generations_of(self, key: CacheKey) -> str:
        return super()._generations_of(_grouped_by_signals(key))


def _signal(tenant: str, name: str) -> str:
    return _FORGET + digest(tenant, name)


@lru_cache(10_000)
def _grouped_by_signals(key: CacheKey) -> CacheKey:
    """The key with the signals that forget the entry as its groups: its own, those of its groups and of its owner."""
    owner, space, _ = key.resource.partition(" ")
    names = (key.resource, *key.groups, owner + space)
    return CacheKey(_ANY_TENANT, key.data, key.resource, tuple([_signal(key.tenant, each) for each in names]))
