"""The tier in this process: snapshots in a bounded space, the least recently used leave first."""

from collections import OrderedDict
from collections.abc import Mapping

from recuerdo.caching.snapshots import extend, growth, is_behind, size_of
from recuerdo.core.scope import Scope
from recuerdo.core.threads import Change, Head, Snapshot

DEFAULT_BYTES = 64 * 2**20


class Load:
    """A promise to fill an entry, broken by every change of the thread that comes first."""

    def __init__(self) -> None:
        self.broken = False


class LocalTier:
    """Snapshots by scope, at most `most_bytes` in all. It holds only what it could lose at any time."""

    def __init__(self, most_bytes: int = DEFAULT_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._entries: OrderedDict[Scope, Snapshot] = OrderedDict()
        self._sizes: dict[Scope, int] = {}
        self._loads: dict[Scope, Load] = {}

    def get(self, scope: Scope) -> Snapshot | None:
        """The entry, now the most recently used."""
        entry = self._entries.get(scope)
        if entry is not None:
            self._entries.move_to_end(scope)
        return entry

    def begin(self, scope: Scope) -> Load:
        """Announce that a snapshot is about to be read; it may be put in only while nothing changes the thread."""
        return self._loads.setdefault(scope, Load())

    def put(self, scope: Scope, load: Load, snapshot: Snapshot) -> bool:
        """Keep the snapshot. False when the thread changed since `begin`: what was read may be old."""
        if self._loads.get(scope) is load:
            del self._loads[scope]
        if load.broken:
            return False
        load.broken = True  # a second reader of the same load may be older than the first
        self._set(scope, snapshot, size_of(snapshot))
        return True

    def abandon(self, scope: Scope, load: Load) -> None:
        """The read behind the load failed. Others who share the load may go on, but not put: no change finds it now."""
        if self._loads.get(scope) is load:
            self._break(scope)

    def append(self, change: Change) -> None:
        """The messages were committed: extend the entry, or drop one that they don't fit."""
        scope = change.scope
        self._break(scope)
        entry = self._entries.get(scope)
        if entry is None or entry.head.version.epoch > change.epoch:
            return
        extended = extend(entry, change)
        if extended is None:
            self.drop(scope)
        else:
            self._set(scope, extended, self._sizes[scope] + growth(entry, extended))

    def drop(self, scope: Scope) -> None:
        """Forget the entry."""
        self._break(scope)
        if self._entries.pop(scope, None) is not None:
            self._bytes -= self._sizes.pop(scope)

    def drop_all(self) -> None:
        """Forget every entry, and break every load."""
        for scope in [*self._entries, *self._loads]:
            self.drop(scope)

    def verify(self, heads: Mapping[Scope, Head]) -> int:
        """The database was at these heads: drop what is behind them. Returns how many entries were dropped."""
        wrong = [scope for scope, head in heads.items() if not self._holds(scope, head)]
        entries = len(self._entries)
        for scope in wrong:
            self.drop(scope)
        return entries - len(self._entries)

    def _holds(self, scope: Scope, head: Head) -> bool:
        entry = self._entries.get(scope)
        return entry is not None and not is_behind(entry.head, head)

    def _break(self, scope: Scope) -> None:
        load = self._loads.pop(scope, None)
        if load is not None:
            load.broken = True

    def _set(self, scope: Scope, snapshot: Snapshot, size: int) -> None:
        self._bytes += size - self._sizes.get(scope, 0)
        self._sizes[scope] = size
        self._entries[scope] = snapshot
        self._entries.move_to_end(scope)
        while self._bytes > self._most_bytes:
            evicted, _ = self._entries.popitem(last=False)
            self._bytes -= self._sizes.pop(evicted)
