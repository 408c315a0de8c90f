"""Histories whose messages, titles and vectors are sealed in the database.

A sealed message is JSON still, because databases keep it as a text: {"role":"user","sealed":"...","id":"..."}. The role
and the id are columns as well; the rest is bound to them, to the tenant and to the user. Seqs are not bound, because
databases give them within their transactions, and neither is the thread, because forks copy rows within the database.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import msgspec

from recuerdo.core.errors import Damaged, DamagedMessage, DamagedRow, IdempotencyConflict, RecuerdoError
from recuerdo.core.messages import Record, Role, checksum_of, decode
from recuerdo.core.passages import MessagePlace, PassageVector, StoredPassage, TimedPage, TimedQuery
from recuerdo.core.ports import HistoryRepository, PassageRepository, ThreadRepository
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import (
    MOST_READ_BYTES,
    Append,
    Appended,
    MessageQuery,
    NewMessage,
    Page,
    Snapshot,
    Tail,
    Thread,
    ThreadPage,
    Version,
)
from recuerdo.encryption.ciphers import Ciphers, Unsealable, unwrapped, wrapped
from recuerdo.encryption.keyring import Keyring

_ROLE = len(b'{"role":"')
_SEALED = b'","sealed":"'
_ID = b'","id":'


def seal_message(ciphers: Ciphers, owner: Owner, message: NewMessage) -> NewMessage:
    """The message as it is stored."""
    body = sealed_body(ciphers, owner, message.role, message.id, message.body)
    return message._replace(body=body, checksum=checksum_of(body))


def sealed_body(ciphers: Ciphers, owner: Owner, role: Role, message_id: str, body: bytes) -> bytes:
    """The body of the message as it is stored."""
    written_id = msgspec.json.encode(message_id)
    head = b'{"role":"%b' % role.encode()
    token = wrapped(ciphers.seal(_place(ciphers, owner, head, written_id), body))
    return b"".join((head, _SEALED, token, _ID, written_id, b"}"))


def open_body(ciphers: Ciphers, owner: Owner, body: bytes) -> bytes:
    """The message's JSON. A body that was never sealed is returned unchanged. Raises DataKeyMissing and Unsealable."""
    start = body.find(b'"', _ROLE)
    if not body.startswith(_SEALED, start):
        return body
    head, token_start = body[:start], start + len(_SEALED)
    token_end = body.find(_ID, token_start)
    written_id = body[token_end + len(_ID) : -1]
    sealed = unwrapped(body[token_start:token_end])
    return ciphers.open(_place(ciphers, owner, head, written_id), sealed)


def _place(ciphers: Ciphers, owner: Owner, head: bytes, written_id: bytes) -> bytes:
    return b"%b%b %b" % (ciphers.place("message", owner.user), head, written_id)


def seal_record(ciphers: Ciphers, owner: Owner, record: Record) -> Record:
    """The record as caches keep it."""
    message = decode(record.body)
    return record._replace(body=sealed_body(ciphers, owner, message.role, message.id, record.body))


def seal_append(ciphers: Ciphers, request: Append, *, whole: bool = False) -> Append:
    """The append as it is stored; its fingerprint is a keyed digest, which tells nothing of the messages.

    When it is stored as a `whole`, to be opened later, its fingerprint is sealed.
    """
    owner = request.scope.owner
    fingerprint = request.fingerprint
    if fingerprint and whole:
        fingerprint = ciphers.seal(_fingerprint_place(ciphers, owner), fingerprint)
    elif fingerprint:
        fingerprint = ciphers.digest(fingerprint)
    return request._replace(
        messages=[seal_message(ciphers, owner, message) for message in request.messages],
        title=ciphers.seal_text(title_place(ciphers, owner), request.title) if request.title else "",
        fingerprint=fingerprint,
    )


def open_append(ciphers: Ciphers, request: Append) -> Append:
    """The append that was sealed as a whole. Raises DataKeyMissing and Unsealable."""
    owner = request.scope.owner
    bodies = [open_body(ciphers, owner, message.body) for message in request.messages]
    return request._replace(
        messages=[
            message._replace(body=body, checksum=message.checksum if body is message.body else checksum_of(body))
            for message, body in zip(request.messages, bodies, strict=True)
        ],
        title=ciphers.open_text(title_place(ciphers, owner), request.title),
        fingerprint=ciphers.open(_fingerprint_place(ciphers, owner), request.fingerprint),
    )


def _fingerprint_place(ciphers: Ciphers, owner: Owner) -> bytes:
    return ciphers.place("fingerprint", owner.user)


def title_place(ciphers: Ciphers, owner: Owner) -> bytes:
    """Return the associated data of titles."""
    return ciphers.place("title", owner.user)


def open_records(ciphers: Ciphers, scope: Scope, epoch: int, records: Sequence[Record]) -> list[Record]:
    """The records as they were appended. Raises DataKeyMissing and DamagedMessage."""
    owner = scope.owner
    opened: list[Record] = []
    for record in records:
        try:
            body = open_body(ciphers, owner, record.body)
        except Unsealable as error:
            raise DamagedMessage(scope.thread, epoch, record.seq, str(error)) from None
        opened.append(record._replace(body=body))
    return opened


def open_snapshot(ciphers: Ciphers, scope: Scope, snapshot: Snapshot) -> Snapshot:
    """The snapshot in clear text. Raises as `open_records`."""
    epoch = snapshot.head.version.epoch
    system = open_records(ciphers, scope, epoch, [snapshot.system])[0] if snapshot.system else None
    return snapshot._replace(system=system, records=open_records(ciphers, scope, epoch, snapshot.records))


class EncryptedHistory(HistoryRepository):
    """The HistoryRepository over another one, which gets sealed messages only."""

    def __init__(self, repository: HistoryRepository, keyring: Keyring) -> None:
        self._repository = repository
        self._keyring = keyring
        self.head = repository.head
        self.count = repository.count
        self.archive = repository.archive

    async def append(self, batch: Sequence[Append]) -> list[Appended | RecuerdoError]:
        sealed = [seal_append(await self._keyring.sealing(each.scope.tenant), each) for each in batch]
        outcomes = await self._repository.append(sealed)
        for index, outcome in enumerate(outcomes):
            if isinstance(outcome, IdempotencyConflict):
                outcomes[index] = await self._compared_in_clear(sealed[index], batch[index].fingerprint, outcome)
        return outcomes

    async def replace(self, request: Append) -> Appended:
        sealed = seal_append(await self._keyring.sealing(request.scope.tenant), request)
        try:
            return await self._repository.replace(sealed)
        except IdempotencyConflict as conflict:
            outcome = await self._compared_in_clear(sealed, request.fingerprint, conflict)
            if isinstance(outcome, RecuerdoError):
                raise outcome from None
            return outcome

    async def _compared_in_clear(
        self, sealed: Append, fingerprint: bytes, conflict: IdempotencyConflict
    ) -> Appended | RecuerdoError:
        """The receipt of an append that was stored before encryption was switched on, with a plain fingerprint."""
        [outcome] = await self._repository.append([sealed._replace(fingerprint=fingerprint)])
        return outcome if isinstance(outcome, Appended) and outcome.replayed else conflict

    async def snapshot(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Snapshot:
        found = await self._repository.snapshot(scope, limit, most_bytes=most_bytes)
        return await self._keyring.opened(scope.tenant, lambda ciphers: open_snapshot(ciphers, scope, found))

    async def tail(self, scope: Scope, limit: int, *, most_bytes: int = MOST_READ_BYTES) -> Tail:
        found = await self._repository.tail(scope, limit, most_bytes=most_bytes)
        epoch = found.head.version.epoch

        def opened(ciphers: Ciphers) -> Tail:
            system = open_records(ciphers, scope, epoch, [found.system])[0] if found.system else None
            return found._replace(system=system, records=open_records(ciphers, scope, epoch, found.records))

        return await self._keyring.opened(scope.tenant, opened)

    async def page(self, scope: Scope, query: MessageQuery) -> Page:
        found = await self._repository.page(scope, query)
        records = await self._keyring.opened(
            scope.tenant, lambda ciphers: open_records(ciphers, scope, found.version.epoch, found.records)
        )
        return found._replace(records=records)


class EncryptedThreads(ThreadRepository):
    """The ThreadRepository over another one, whose titles are sealed; threads are found by their metadata."""

    def __init__(self, repository: ThreadRepository, keyring: Keyring) -> None:
        self._repository = repository
        self._keyring = keyring
        self.clear = repository.clear
        self.delete = repository.delete
        self.since_emptied = repository.since_emptied
        self.forget_keys = repository.forget_keys
        self.set_metadata = repository.set_metadata
        self.changed = repository.changed
        self.owners = repository.owners

    async def get(self, scope: Scope) -> Thread | None:
        thread = await self._repository.get(scope)
        return None if thread is None else (await self._opened(scope.owner, [thread]))[0]

    async def select(
        self, owner: Owner, limit: int, cursor: str | None = None, *, skip: int = 0, fields: Collection[bytes] = ()
    ) -> ThreadPage:
        page = await self._repository.select(owner, limit, cursor, skip=skip, fields=fields)
        return page._replace(threads=await self._opened(owner, page.threads))

    async def fork(self, scope: Scope, at_seq: int, target: str, at: datetime) -> Thread:
        thread = await self._repository.fork(scope, at_seq, target, at)
        return (await self._opened(scope.owner, [thread]))[0]

    async def rename(self, scope: Scope, title: str) -> bool:
        ciphers = await self._keyring.sealing(scope.tenant)
        return await self._repository.rename(scope, ciphers.seal_text(title_place(ciphers, scope.owner), title))

    async def _opened(self, owner: Owner, threads: Sequence[Thread]) -> list[Thread]:
        return await self._keyring.opened(
            owner.tenant, lambda ciphers: [_open_title(ciphers, owner, thread) for thread in threads]
        )


def _open_title(ciphers: Ciphers, owner: Owner, thread: Thread) -> Thread:
    try:
        title = ciphers.open_text(title_place(ciphers, owner), thread.title)
    except Unsealable:
        raise DamagedRow("thread", thread.id) from None
    return msgspec.structs.replace(thread, title=title)


class EncryptedPassages(PassageRepository):
    """The PassageRepository over another one: messages are opened, and vectors are sealed."""

    def __init__(self, repository: PassageRepository, keyring: Keyring) -> None:
        self._repository = repository
        self._keyring = keyring
        self.heads = repository.heads
        self.archived = repository.archived

    async def read(
        self, owner: Owner, since: Mapping[str, Version], model: str, limit: int, *, most_bytes: int = MOST_READ_BYTES
    ) -> list[StoredPassage]:
        found = await self._repository.read(owner, since, model, limit, most_bytes=most_bytes)
        return await self._keyring.opened(
            owner.tenant, lambda ciphers: [_open_passage(ciphers, owner, model, each) for each in found]
        )

    async def get_many(self, owner: Owner, places: Collection[MessagePlace]) -> dict[MessagePlace, Record]:
        found = await self._repository.get_many(owner, places)
        return await self._keyring.opened(
            owner.tenant,
            lambda ciphers: {place: _open_record(ciphers, owner, place, record) for place, record in found.items()},
        )

    async def by_time(self, owner: Owner, query: TimedQuery) -> TimedPage:
        page = await self._repository.by_time(owner, query)
        found = await self._keyring.opened(
            owner.tenant,
            lambda ciphers: [
                each._replace(record=_open_record(ciphers, owner, each.place, each.record)) for each in page.found
            ],
        )
        return page._replace(found=found)

    async def keep(self, owner: Owner, vectors: Sequence[PassageVector]) -> None:
        ciphers = await self._keyring.sealing(owner.tenant)
        sealed = [
            each._replace(vector=ciphers.seal(vector_place(ciphers, owner, each.model, each.place), each.vector))
            for each in vectors
        ]
        await self._repository.keep(owner, sealed)


def vector_place(ciphers: Ciphers, owner: Owner, model: str, place: MessagePlace) -> bytes:
    """Return the associated data of a message's vector."""
    return ciphers.place("vector", owner.user, place.thread, str(place.epoch), str(place.seq), model)


def _open_record(ciphers: Ciphers, owner: Owner, place: MessagePlace, record: Record) -> Record:
    return open_records(ciphers, owner.thread(place.thread), place.epoch, [record])[0]


def _open_passage(ciphers: Ciphers, owner: Owner, model: str, found: StoredPassage) -> StoredPassage:
    vector = found.vector
    if vector is not None:
        try:
            vector = ciphers.open(vector_place(ciphers, owner, model, found.place), vector)
        except (Unsealable, Damaged):
            vector = None  # it is made again
    return found._replace(record=_open_record(ciphers, owner, found.place, found.record), vector=vector)
