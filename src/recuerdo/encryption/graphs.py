"""The data of graphs, sealed: checkpoints with all that they hold, and the inputs and answers of runs and actions."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec

from recuerdo.core.checkpoints import (
    CheckpointBatch,
    CheckpointFound,
    CheckpointQuery,
    CommitRefused,
    Committed,
    Contents,
    Decide,
    Generation,
    KnownRange,
    RecentCheckpoints,
    Segment,
    Span,
    StoredCheckpoint,
    StoredWrite,
    Survey,
    SurveyedWrite,
    SweptRows,
)
from recuerdo.core.checks import UNREADABLE
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentKind, DocumentQuery
from recuerdo.core.errors import DamagedRow
from recuerdo.core.graph_ports import CheckpointRepository, DocumentRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.encryption.ciphers import Ciphers, NoDataKey, Unsealable, unwrapped, wrapped
from recuerdo.encryption.history import seal_append
from recuerdo.encryption.keyring import Keyring

T = TypeVar("T")
_Write = TypeVar("_Write", StoredWrite, SurveyedWrite)


class EncryptedCheckpoints(CheckpointRepository):
    """The CheckpointRepository over another one: bodies, writes, segments and values are sealed, and their digests.

    Nothing is bound to its thread, because copies are made within the database.
    """

    def __init__(self, repository: CheckpointRepository, keyring: Keyring) -> None:
        self._repository = repository
        self._keyring = keyring
        self.erase = repository.erase
        self.erase_all = repository.erase_all
        self.copy = repository.copy
        self.threads_of = repository.threads_of
        self.owners = repository.owners

    async def load(self, scope: Scope, namespace: str, checkpoint: str | None) -> CheckpointFound | None:
        found = await self._repository.load(scope, namespace, checkpoint)
        return None if found is None else (await self._opened(scope.owner, [found]))[0]

    async def select(self, query: CheckpointQuery) -> list[CheckpointFound]:
        return await self._opened(query.owner, await self._repository.select(query))

    async def recent(self, scope: Scope, namespace: str, known: KnownRange, limit: int) -> RecentCheckpoints:
        found = await self._repository.recent(scope, namespace, known, limit)
        return found._replace(rows=await self._opened(scope.owner, found.rows))

    async def contents(
        self, generation: Generation, scope: Scope, spans: Sequence[Span], digests: Sequence[bytes]
    ) -> Contents:
        places = _Places(await self._keyring.known(scope.tenant), scope.owner)
        stored = {form: digest for digest in digests for form in places.forms_of_digest(digest)}
        found = await self._repository.contents(generation, scope, spans, [*stored])
        return await self._keyring.opened(
            scope.tenant, lambda ciphers: _Places(ciphers, scope.owner).open_contents(found, stored)
        )

    async def commit(self, batch: CheckpointBatch) -> Committed | CommitRefused:
        ciphers = await self._keyring.sealing(batch.scope.tenant)
        return await self._repository.commit(_Places(ciphers, batch.scope.owner).seal_batch(batch))

    async def sweep(self, scope: Scope, decide: Decide) -> None:
        ciphers = await self._keyring.known(scope.tenant)
        places = _Places(ciphers, scope.owner)
        await self._repository.sweep(scope, lambda survey: places.decide(survey, decide))

    async def _opened(self, owner: Owner, found: Sequence[CheckpointFound]) -> list[CheckpointFound]:
        return await self._keyring.opened(
            owner.tenant, lambda ciphers: [_Places(ciphers, owner).open_found(each) for each in found]
        )


class _Places:
    """Seals and opens an owner's rows, each bound to its address."""

    def __init__(self, ciphers: Ciphers, owner: Owner) -> None:
        self._ciphers = ciphers
        self._owner = owner

    def seal_batch(self, batch: CheckpointBatch) -> CheckpointBatch:
        seal, place = self._ciphers.seal, self._place
        return batch._replace(
            checkpoints=[
                row._replace(
                    body=seal(place("body", row.namespace, row.id), row.body),
                    metadata=seal(place("metadata", row.namespace, row.id), row.metadata),
                )
                for row in batch.checkpoints
            ],
            writes=[
                write._replace(body=seal(place("write", write.namespace, write.checkpoint), write.body))
                for write in batch.writes
            ],
            segments=[
                each._replace(data=seal(place("segment", each.log, str(each.start)), each.data) if each.data else b"")
                for each in batch.segments
            ],
            values={
                seal(place("digest"), digest): seal(place("value", digest.hex()), value)
                for digest, value in batch.values.items()
            },
            messages=batch.messages and seal_append(self._ciphers, batch.messages),
        )

    def open_found(self, found: CheckpointFound) -> CheckpointFound:
        return found._replace(
            checkpoint=self._checkpoint(found.checkpoint), writes=[self._write(each) for each in found.writes]
        )

    def forms_of_digest(self, digest: bytes) -> list[bytes]:
        """How a digest may stand in a row: sealed with each key, or not at all."""
        return self._ciphers.byte_forms(self._place("digest"), digest)

    def open_contents(self, found: Contents, digests: Mapping[bytes, bytes]) -> Contents:
        """The contents with their own digests, given by those that are stored."""
        values: dict[bytes, bytes] = {}
        for stored, value in found.values.items():
            digest = digests[stored]
            values[digest] = self._open(
                self._place("value", digest.hex()), value, "value of a checkpoint", digest.hex()
            )
        return Contents([self._segment(each) for each in found.segments], values)

    def decide(self, survey: Survey, decide: Decide) -> SweptRows:
        """The decision on the opened survey, in the digests that are stored."""
        stored: dict[bytes, list[bytes]] = {}
        for each in survey.digests:
            digest = self._open(self._place("digest"), each, "value of a checkpoint", each.hex())
            stored.setdefault(digest, []).append(each)
        opened = Survey(
            [self._checkpoint(each) for each in survey.checkpoints],
            [self._write(each) for each in survey.writes],
            survey.segments,
            [*stored],
        )
        doomed = decide(opened)
        return doomed._replace(digests=[each for digest in doomed.digests for each in stored[digest]])

    def _checkpoint(self, row: StoredCheckpoint) -> StoredCheckpoint:
        return row._replace(
            body=self._open(self._place("body", row.namespace, row.id), row.body, "checkpoint", row.id),
            metadata=self._open(self._place("metadata", row.namespace, row.id), row.metadata, "checkpoint", row.id),
        )

    def _write(self, write: _Write) -> _Write:
        place = self._place("write", write.namespace, write.checkpoint)
        return write._replace(body=self._open(place, write.body, "write of a checkpoint", write.checkpoint))

    def _segment(self, segment: Segment) -> Segment:
        place = self._place("segment", segment.log, str(segment.start))
        return segment._replace(data=self._open(place, segment.data, "segment of a checkpoint", segment.log))

    def _place(self, *parts: str) -> bytes:
        return checkpoint_place(self._ciphers, self._owner.user, *parts)

    def _open(self, place: bytes, data: bytes, what: str, identifier: str) -> bytes:
        try:
            return self._ciphers.open(place, bytes(data))
        except Unsealable:
            raise DamagedRow(what, identifier) from None


def checkpoint_place(ciphers: Ciphers, user: str, *parts: str) -> bytes:
    """Return the associated data of what belongs to a user's checkpoints."""
    return ciphers.place("checkpoint", user, *parts)


SEALED_FIELDS = ("kwargs", "payload", "run", "result", "interrupts", "error")
"""The fields of documents that hold the inputs and outputs of graphs; no query reads them."""

_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])
_encode = msgspec.json.Encoder().encode
_MARK = '"sealed:'
_NOTHING = (b"null", b"{}", b"[]", b'""')


class EncryptedDocuments(DocumentRepository):
    """The DocumentRepository over another one: of each body, the fields that hold texts are sealed."""

    def __init__(self, repository: DocumentRepository, keyring: Keyring) -> None:
        self._repository = repository
        self._keyring = keyring
        self.count = repository.count
        self.erase = repository.erase
        self.count_due = repository.count_due

    async def get(self, owner: Owner, key: DocumentKey) -> bytes | None:
        body = await self._repository.get(owner, key)
        return None if body is None else (await self._opened(owner, key.kind, [body]))[0]

    async def select(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> list[bytes]:
        return await self._opened(owner, kind, await self._repository.select(owner, kind, query))

    async def change(
        self, owner: Owner, group: str, keys: Sequence[DocumentKey], decide: Callable[[Sequence[Document]], Decision[T]]
    ) -> T:
        """A tenant without a key gets none for documents without texts: an erasure's own job comes after its keys."""
        try:
            return await self._change(await self._keyring.known(owner.tenant), owner, group, keys, decide)
        except NoDataKey:
            return await self._change(await self._keyring.sealing(owner.tenant), owner, group, keys, decide)

    async def _change(
        self,
        ciphers: Ciphers,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[T]],
    ) -> T:
        def decided(documents: Sequence[Document]) -> Decision[T]:
            opened = [each._replace(body=open_document(ciphers, owner, each.kind, each.body)) for each in documents]
            decision = decide(opened)
            sealed = [each._replace(body=seal_document(ciphers, owner, each.kind, each.body)) for each in decision.put]
            return decision._replace(put=sealed)

        return await self._repository.change(owner, group, keys, decided)

    async def due(self, kind: DocumentKind, now: datetime, limit: int) -> list[tuple[Owner, Document]]:
        found: list[tuple[Owner, Document]] = []
        for owner, document in await self._repository.due(kind, now, limit):
            [body] = await self._opened(owner, kind, [document.body])
            found.append((owner, document._replace(body=body)))
        return found

    async def _opened(self, owner: Owner, kind: DocumentKind, bodies: Sequence[bytes]) -> list[bytes]:
        return await self._keyring.opened(
            owner.tenant, lambda ciphers: [open_document(ciphers, owner, kind, body) for body in bodies]
        )


def seal_document(ciphers: Ciphers, owner: Owner, kind: DocumentKind, body: bytes) -> bytes:
    """The body as it is stored."""
    fields = _fields.decode(body)
    for name in SEALED_FIELDS:
        raw = bytes(fields.get(name, b"null"))
        if raw not in _NOTHING:
            token = wrapped(ciphers.seal(_document_place(ciphers, owner, kind, name), raw)).decode()
            fields[name] = msgspec.Raw(f'{_MARK}{token}"'.encode())
    return _encode(fields)


def open_document(ciphers: Ciphers, owner: Owner, kind: DocumentKind, body: bytes) -> bytes:
    """The body as it was. Raises DataKeyMissing and DamagedRow."""
    try:
        fields = _fields.decode(body)
    except UNREADABLE:
        return body  # its reader reports the damage
    for name in SEALED_FIELDS:
        raw = bytes(fields.get(name, b""))
        if raw.startswith(_MARK.encode()):
            try:
                sealed = unwrapped(raw[len(_MARK) : -1])
                fields[name] = msgspec.Raw(ciphers.open(_document_place(ciphers, owner, kind, name), sealed))
            except Unsealable:
                raise DamagedRow(kind, name) from None
    return _encode(fields)


def _document_place(ciphers: Ciphers, owner: Owner, kind: DocumentKind, field: str) -> bytes:
    return ciphers.place("document", owner.user, kind, field)
