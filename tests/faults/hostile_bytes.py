"""Byte strings that nobody meant: what was written, changed in all the ways that break readers, and mere noise."""

import random
from collections.abc import Iterator, Sequence

_PIECES = (
    *(b"", b"\0", b"\xff", b"\xed\xa0\x80", b"\\ud800", b'"', b"{", b"}", b"[", b"]", b",", b":", b"null", b"-1"),
    *(b"1e999", b"9" * 5000, b"[" * 3000, b'{"a":' * 3000, b"\x91" * 3000, b"\xdd\xff\xff\xff\xff", b"\xc1", b"\n"),
    *(b"true", b"0001-01-01T00:00:00Z", b"9999-12-31T23:59:59.999999-14:00", b"\xc7\x05\x05", b"\xd4\x00", b"NaN"),
)


def hostile(samples: Sequence[bytes], count: int, seed: int) -> Iterator[bytes]:
    """So many byte strings: each of the samples, then changes of them, and noise between."""
    chance = random.Random(seed)
    for number in range(count):
        if number < len(samples):
            yield samples[number]
        elif number % 16 == 0:
            yield chance.randbytes(chance.randrange(64))
        else:
            yield _changed(chance, chance.choice(samples), samples)


def _changed(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        first = chance.randrange(len(data) + 1)
        last = min(len(data), first + chance.choice((0, 1, 1, 2, 8, len(data))))
        match chance.randrange(6):
            case 0:
                data = data[:first] + bytes([chance.randrange(256)]) + data[first + 1 :]
            case 1:
                data = data[:first]
            case 2:
                data = data[:first] + data[last:]
            case 3:
                other = chance.choice(samples)
                data = data[:first] + other[chance.randrange(len(other) + 1) :]
            case 4:
                data = data[:last] + data[first:]
            case _:
                data = data[:first] + chance.choice(_PIECES) + data[last:]
    return data
