"""Cache entries of a process that forgets what other processes over the same database have changed."""

from collections.abc import Mapping, Sequence

from recuerdo.caching.tiered import LocalEntries
from recuerdo.core.caches import LIVES, CacheKey, DataType, Life
from recuerdo.core.graph_ports import Signals
from recuerdo.core.identifiers import digest

_FORGET = "forget:"


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
            self._signals.publish(_FORGET + digest(key.tenant, key.resource))

    async def forget(self, tenant: str, group: str) -> None:
        await super().forget(tenant, group)
        self._signals.publish(_FORGET + digest(tenant, group))

    async def remove(self, tenant: str, prefix: str) -> int:
        removed = await super().remove(tenant, prefix)
        self._signals.publish(_FORGET + digest(tenant, prefix))
        return removed

    def _on_signal(self, signal: str) -> None:
        if not signal:
            self.drop_if(lambda _: True)
        elif signal.startswith(_FORGET):
            name = signal.removeprefix(_FORGET)
            self.drop_if(lambda key: name in _names(key))


def _names(key: CacheKey) -> set[str]:
    """The signals that forget an entry: of the entry itself, of its groups, and of its owner."""
    owner, space, _ = key.resource.partition(" ")
    return {digest(key.tenant, each) for each in (key.resource, *key.groups, owner + space)}
