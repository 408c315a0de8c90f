"""A cache with a size limit that evicts the least recently used values."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class LruCache(Generic[K, T]):
    """Values by key, at most `most` in all: a number of values, or the sum of the sizes that they are put in with.

    With `keeps_latest` the latest value stays, however large it is.
    """

    def __init__(self, most: int, *, keeps_latest: bool = False) -> None:
        self._most = most
        self._fewest = 1 if keeps_latest else 0
        self._size = 0
        self._values: OrderedDict[K, tuple[int, T]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[K]:
        """The keys, the least recently used first."""
        return iter(self._values)

    def values(self) -> list[T]:
        """The values, the least recently used first."""
        return [value for _, value in self._values.values()]

    def get(self, key: K) -> T | None:
        """The value, now the most recently used."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[1]

    def peek(self, key: K) -> T | None:
        """The value, which does not count as a use."""
        found = self._values.get(key)
        return None if found is None else found[1]

    def put(self, key: K, value: T, size: int = 1) -> list[T]:
        """Keep the value instead of the key's old one. Returns the values of other keys that had to leave for it."""
        old = self._values.pop(key, None)
        self._size += size - (old[0] if old else 0)
        self._values[key] = (size, value)
        evicted: list[T] = []
        while self._size > self._most and len(self._values) > self._fewest:
            _, (freed, oldest) = self._values.popitem(last=False)
            self._size -= freed
            evicted.append(oldest)
        return evicted

    def replace(self, key: K, value: T, growth: int = 0) -> None:
        """Keep the value, by so much larger, instead of the one that the key has."""
        self.put(key, value, self._values[key][0] + growth)

    def pop(self, key: K) -> T | None:
        """Forget the key, and return the value that it had."""
        found = self._values.pop(key, None)
        if found is None:
            return None
        self._size -= found[0]
        return found[1]

    def drop_if(self, is_unwanted: Callable[[K, T], bool]) -> None:
        """Forget every key of which this is true."""
        for key in [key for key, (_, value) in self._values.items() if is_unwanted(key, value)]:
            self.pop(key)
