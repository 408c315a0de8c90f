"""Another system's messages under keys of Redis: in lists, hashes, sorted sets, or one text a conversation."""

import hashlib
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from string import Formatter
from typing import Any, NamedTuple

from recuerdo.adapters.redis.connection import RedisCache, translated
from recuerdo.core.errors import ConfigurationError, InvalidInput
from recuerdo.core.sources import SourceMapping, SourceRow, decoded, field_of, owner_fields

_ENTRIES_AT_A_TIME = 500
_LARGEST_TEXT = 64 * 2**20
_ADVICE = "Check the URL of the Redis to import, and the server."
_LONGEST_NUMBER = 16
_LENGTHS = {"list": "LLEN", "hash": "HLEN", "zset": "ZCARD"}


class KeyPattern(NamedTuple):
    """A pattern of keys like `chat:{user}:{conversation}`: what Redis looks for, and what tells the parts apart."""

    glob: str
    parts: re.Pattern[str]
    text: str

    @classmethod
    def parse(cls, text: str, *needed: str) -> "KeyPattern":
        """Read the pattern. Several parts contain none of the signs between them, so that no key has two readings.

        Raises InvalidInput.
        """
        try:
            pieces = list(Formatter().parse(text))
        except ValueError:
            raise InvalidInput("--mapping", f"the pattern {text!r} has an open brace; {{{{ means the sign") from None
        names = [name for _, name, _, _ in pieces if name is not None]
        if missing := [name for name in needed if name not in names]:
            raise InvalidInput("--mapping", f"the pattern {text!r} has no {{{missing[0]}}}")
        if len(set(names)) < len(names) or not all(name.isidentifier() for name in names):
            raise InvalidInput("--mapping", f"the pattern {text!r} must name each of its parts once")
        between = "".join(literal[:1] for literal, _, _, _ in pieces[1:]) if len(names) > 1 else ""
        one = f"[^{re.escape(between)}]+" if between else ".+"
        glob = expression = ""
        for literal, name, _, _ in pieces:
            glob += re.sub(r"([\[\]*?\\^])", r"\\\1", literal) + ("*" if name else "")
            expression += re.escape(literal) + (f"(?P<{name}>{one})" if name else "")
        return cls(glob, re.compile(expression, re.DOTALL), text)


class RedisSource:
    """See MessageSource. The name of a hash's entry is the part `field`."""

    def __init__(self, cache: RedisCache, mapping: SourceMapping) -> None:
        self._client = cache.client
        self._mapping = mapping
        self._pattern = KeyPattern.parse(mapping.source)
        self._owners = KeyPattern.parse(mapping.owners.source, "conversation") if mapping.owners else None

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, mapping: SourceMapping) -> AsyncGenerator["RedisSource"]:
        """A client, which connects when it is asked something. Raises ConfigurationError and InvalidInput."""
        async with RedisCache.open(url, direct=False) as cache:
            yield cls(cache, mapping)

    async def rows(self) -> AsyncGenerator[SourceRow]:
        async for key in self._keys():
            name = _shown(key)
            match = self._pattern.parts.fullmatch(name)
            parts, place = match.groupdict() if match else {}, 0
            async for field, value in self._entries(key):
                if match is None:
                    value = InvalidInput("key", f"does not fit {self._pattern.text!r} in one way only")
                yield SourceRow(f"{name} {field or place}", value, {**parts, "field": field})
                place += 1

    async def count(self) -> int:
        return sum([await self._length(key) async for key in self._keys()])

    async def owner(self, conversation: Any) -> Mapping[str, Any]:
        """See MessageSource: the fields of a hash."""
        owners = self._mapping.owners
        if owners is None or self._owners is None:
            return {}
        fields = list(owner_fields(owners))
        with translated(_ADVICE):
            values = await self._client.hmget(owners.source.format(conversation=conversation), fields)
        return {field: value.decode() for field, value in zip(fields, values, strict=True) if value is not None}

    async def _keys(self) -> AsyncGenerator[bytes]:
        """The keys, each once: a scan may find one twice. Of each, eight bytes stay in memory."""
        seen: set[bytes] = set()
        with translated(_ADVICE):
            async for key in self._client.scan_iter(match=self._pattern.glob, count=_ENTRIES_AT_A_TIME):
                known = hashlib.blake2b(key, digest_size=8).digest()
                if known not in seen:
                    seen.add(known)
                    yield key

    async def _kind(self, key: bytes) -> str:
        with translated(_ADVICE):
            kind = (await self._client.type(key)).decode()
        if kind not in ("string", "none", *_LENGTHS):
            raise ConfigurationError(
                f"The key {_shown(key)!r} holds a {kind}. Lists, hashes, sorted sets and texts can be imported; make "
                "`source` a pattern that other keys don't fit."
            )
        return kind

    async def _length(self, key: bytes) -> int:
        kind = await self._kind(key)
        with translated(_ADVICE):
            return await self._client.execute_command(_LENGTHS[kind], key) if kind in _LENGTHS else int(kind != "none")

    async def _entries(self, key: bytes) -> AsyncGenerator[tuple[str, Any]]:
        """The entries, the oldest first, and what a hash calls them."""
        kind, length = await self._kind(key), await self._length(key)
        if kind == "string":
            yield "", await self._text(key)
        elif kind == "hash":
            async for entry in self._hash(key):
                yield entry
        else:
            for start in range(0, length, _ENTRIES_AT_A_TIME):
                for value in await self._range(key, kind, start, length):
                    yield "", value

    async def _range(self, key: bytes, kind: str, start: int, length: int) -> list[bytes]:
        """Entries of a list or a sorted set from a place on, which is counted from the oldest."""
        last = min(start + _ENTRIES_AT_A_TIME, length) - 1
        command = "LRANGE" if kind == "list" else "ZRANGE"
        with translated(_ADVICE):
            if not self._mapping.newest_first:
                return await self._client.execute_command(command, key, start, last)
            return (await self._client.execute_command(command, key, -1 - last, -1 - start))[::-1]

    async def _hash(self, key: bytes) -> AsyncGenerator[tuple[str, Any]]:
        """The entries of a hash, by the `order` in them or else by their names; numbers come before all others."""
        with translated(_ADVICE):
            names = [name async for name in self._ordered(key)]
            for start in range(0, len(names), _ENTRIES_AT_A_TIME):
                some = names[start : start + _ENTRIES_AT_A_TIME]
                for name, value in zip(some, await self._client.hmget(key, some), strict=True):
                    if value is not None:
                        yield _shown(name), value

    async def _ordered(self, key: bytes) -> AsyncGenerator[bytes]:
        """The names of a hash's entries in their order. Of an entry no more than that stays in memory."""
        places: dict[bytes, list[Any]] = {}
        async for name, value in self._client.hscan_iter(key, count=_ENTRIES_AT_A_TIME):
            entry = decoded(value) if self._mapping.order else None
            places[name] = [*(_place(field_of(entry, field)) for field in self._mapping.order), _place(_shown(name))]
        for name in sorted(places, key=places.__getitem__):
            yield name

    async def _text(self, key: bytes) -> Any:
        with translated(_ADVICE):
            if await self._client.strlen(key) > _LARGEST_TEXT:
                return InvalidInput("value", f"has more than {_LARGEST_TEXT // 2**20} MB")
            return await self._client.get(key)


def _shown(name: bytes) -> str:
    return name.decode(errors="backslashreplace")


def _place(value: Any) -> tuple[int, float, str]:
    """Where a value comes in an order: numbers, also as texts, before texts, and nothing first."""
    if value is None:
        return 0, 0.0, ""
    if isinstance(value, int | float) or (
        isinstance(value, str) and value.isdecimal() and len(value) < _LONGEST_NUMBER
    ):
        return 1, float(value), ""
    return 2, 0.0, str(value)
