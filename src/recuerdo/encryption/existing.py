"""Rows that are there already, sealed with the newest key: those from before encryption, and those of older keys.

Each text is opened, if it is sealed, and sealed again. Sealing is deterministic, so a text that comes out as it was is
left alone, and the work can be interrupted and repeated at any point. A row is replaced only while it is as it was
read.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from recuerdo.core.encryption import Stored, StoredText, TextKind
from recuerdo.core.encryption_ports import TextRepository
from recuerdo.core.errors import Damaged
from recuerdo.core.memories import Review, read_memory, write_memory
from recuerdo.core.messages import checksum_of
from recuerdo.core.passages import MessagePlace
from recuerdo.core.scope import owner_of
from recuerdo.encryption.ciphers import Ciphers, Unsealable
from recuerdo.encryption.graphs import checkpoint_place, open_document, seal_document
from recuerdo.encryption.history import open_body, sealed_body, title_place, vector_place
from recuerdo.encryption.keyring import Keyring
from recuerdo.encryption.memories import field_place, open_memory, seal_memory

_PAGE = 200
_MOST_ATTEMPTS = 10


class EncryptionProgress(NamedTuple):
    """The rows of a tenant and a kind so far: how many were looked at, sealed, and left alone.

    `sealed` are those that were legible, or sealed with an older key. `damaged` can't be read, and `busy` were changed
    by others again and again.
    """

    tenant: str
    kind: TextKind
    rows: int = 0
    sealed: int = 0
    damaged: int = 0
    busy: int = 0


async def seal_existing(
    texts: TextRepository, keyring: Keyring, tenants: Sequence[str], *, dry_run: bool = False
) -> AsyncGenerator[EncryptionProgress]:
    """Seal all rows of the tenants with their newest keys; yields the counts after each page.

    With `dry_run` nothing is changed, and `sealed` counts what would be. Raises what the database and the keyring do.
    """
    for tenant in tenants:
        ciphers = keyring.unstored(tenant) if dry_run else await keyring.sealing(tenant)
        if dry_run and not (known := await keyring.known(tenant)).is_empty:
            ciphers = known
        for kind in texts.kinds:
            counts = EncryptionProgress(tenant, kind)
            after: StoredText | None = None
            while page := await texts.select(tenant, kind, _PAGE, after):
                counts = await _seal_page(texts, ciphers, counts, page, after, dry_run=dry_run)
                yield counts
                after = page[-1]


async def _seal_page(
    texts: TextRepository,
    ciphers: Ciphers,
    counts: EncryptionProgress,
    page: Sequence[StoredText],
    after: StoredText | None,
    *,
    dry_run: bool,
) -> EncryptionProgress:
    last, rows, sealed = page[-1].key, len(page), 0
    changes, damaged = _changes(ciphers, counts.kind, page)
    for _ in range(0 if dry_run else _MOST_ATTEMPTS):
        if not changes:
            break
        sealed += await texts.replace(counts.tenant, counts.kind, changes)
        # read again: another writer may have changed one before it was replaced
        page = [row for row in await texts.select(counts.tenant, counts.kind, rows, after) if row.key <= last]
        changes, damaged = _changes(ciphers, counts.kind, page)
    return counts._replace(
        rows=counts.rows + rows,
        sealed=counts.sealed + (len(changes) if dry_run else sealed),
        damaged=counts.damaged + damaged,
        busy=counts.busy + (0 if dry_run else len(changes)),
    )


def _changes(
    ciphers: Ciphers, kind: TextKind, page: Sequence[StoredText]
) -> tuple[list[tuple[StoredText, Sequence[Stored]]], int]:
    """The rows whose texts are to be replaced, with the new ones, and how many rows can't be read."""
    changes: list[tuple[StoredText, Sequence[Stored]]] = []
    damaged = 0
    for row in page:
        try:
            texts = tuple(_SEALING[kind](ciphers, row))
        except (Unsealable, Damaged, msgspec.DecodeError, UnicodeDecodeError):
            damaged += 1
            continue
        if texts != row.texts:
            changes.append((row, texts))
    return changes, damaged


class _DamagedBody(Damaged):
    """A message that is not what its checksum says."""


def _message(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    role, message_id, checksum = row.names
    [stored] = row.texts
    body = _bytes(stored)
    if checksum is not None and checksum_of(body) != checksum:
        raise _DamagedBody("The message is damaged.")
    owner = owner_of(ciphers.tenant, row.user)
    return [_like(stored, sealed_body(ciphers, owner, role, message_id, open_body(ciphers, owner, body)))]


def _thread(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    return [_sealed_text(ciphers, title_place(ciphers, owner_of(ciphers.tenant, row.user)), each) for each in row.texts]


def _message_vector(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    [model], (_, thread, epoch, seq) = row.names, row.key
    place = vector_place(ciphers, owner_of(ciphers.tenant, row.user), model, MessagePlace(thread, epoch, seq))
    return [_sealed_bytes(ciphers, place, each) for each in row.texts]


def _memory(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    memory_id, embedder = row.names
    text, value, review, vector = row.texts

    def place(field: str) -> bytes:
        return field_place(ciphers, row.user, memory_id, field)

    if review:
        decided = msgspec.json.decode(_bytes(review), type=Review)
        reason = _sealed_text(ciphers, place("reason"), decided.reason)
        review = msgspec.json.encode(msgspec.structs.replace(decided, reason=reason)).decode()
    return [
        _sealed_text(ciphers, place("text"), text),
        _sealed_text(ciphers, place("value"), value),
        review,
        _sealed_bytes(ciphers, place(f"vector {embedder}"), vector),
    ]


def _memory_change(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    owner = owner_of(ciphers.tenant, row.user)
    memories = [read_memory(owner, _bytes(each) if each else None) for each in row.texts]
    return [write_memory(each and seal_memory(ciphers, open_memory(ciphers, each))) for each in memories]


def _checkpoint(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    namespace, checkpoint = row.key[3:]
    return [
        _sealed_bytes(ciphers, checkpoint_place(ciphers, row.user, field, namespace, checkpoint), text)
        for field, text in zip(("body", "metadata"), row.texts, strict=True)
    ]


def _checkpoint_write(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    place = checkpoint_place(ciphers, row.user, "write", *row.key[3:5])
    return [_sealed_bytes(ciphers, place, each) for each in row.texts]


def _checkpoint_segment(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    log, start = row.key[3:]
    place = checkpoint_place(ciphers, row.user, "segment", log, str(start))
    return [_sealed_bytes(ciphers, place, each) for each in row.texts]


def _checkpoint_value(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    digest, data = map(_bytes, row.texts)
    place = checkpoint_place(ciphers, row.user, "digest")
    opened = ciphers.open(place, digest)
    return [
        ciphers.seal(place, opened),
        _sealed_bytes(ciphers, checkpoint_place(ciphers, row.user, "value", opened.hex()), data),
    ]


def _document(ciphers: Ciphers, row: StoredText) -> list[Stored]:
    [stored], (_, kind, _) = row.texts, row.key
    owner = owner_of(ciphers.tenant, row.user)
    opened = open_document(ciphers, owner, kind, _bytes(stored))
    return [_like(stored, seal_document(ciphers, owner, kind, opened))]


_SEALING: Mapping[TextKind, Callable[[Ciphers, StoredText], list[Stored]]] = {
    "message": _message,
    "thread": _thread,
    "message vector": _message_vector,
    "memory": _memory,
    "memory change": _memory_change,
    "checkpoint": _checkpoint,
    "checkpoint write": _checkpoint_write,
    "checkpoint segment": _checkpoint_segment,
    "checkpoint value": _checkpoint_value,
    "document": _document,
}
"""By the kind, the texts of a row as they are sealed today."""


def _sealed_text(ciphers: Ciphers, place: bytes, text: Stored) -> str | None:
    if not text:
        return None if text is None else ""
    return ciphers.seal_text(place, ciphers.open_text(place, text if isinstance(text, str) else text.decode()))


def _sealed_bytes(ciphers: Ciphers, place: bytes, data: Stored) -> Stored:
    """The data, sealed; nothing stays nothing."""
    return ciphers.seal(place, ciphers.open(place, _bytes(data))) if data else data


def _bytes(text: Stored) -> bytes:
    return text.encode() if isinstance(text, str) else bytes(text or b"")


def _like(stored: Stored, text: bytes) -> Stored:
    """The text as its column takes it."""
    return text.decode() if isinstance(stored, str) else text
