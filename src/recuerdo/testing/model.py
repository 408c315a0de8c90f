"""A history that is so simple that it is right: lists, and what every answer has to be."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from recuerdo.core.errors import AlreadyErased, DuplicateMessage, EpochChanged, IdempotencyConflict
from recuerdo.core.messages import Message, Record, Role, decode, decode_all
from recuerdo.core.threads import NOWHERE, Append, Appended, Head, MessageQuery, Page, Tail, Thread, Version


@dataclass
class ModelThread:
    """A living thread."""

    epoch: int
    created_at: datetime
    updated_at: datetime
    title: str = ""
    records: list[Record] = field(default_factory=list[Record])
    receipts: dict[str, tuple[bytes, Appended]] = field(default_factory=dict[str, tuple[bytes, Appended]])

    @property
    def version(self) -> Version:
        return Version(self.epoch, len(self.records))

    def named(self, name: str) -> Thread:
        """The thread as repositories tell it."""
        return Thread(
            id=name,
            version=self.version,
            title=self.title,
            archived=bool(self.records) and self.records[-1].archived,
            created_at=self.created_at,
            updated_at=self.updated_at,
        )


class ModelHistory:
    """The threads of one owner by name. Epochs are learned: each must be greater than all that its thread had."""

    def __init__(self) -> None:
        self.threads: dict[str, ModelThread] = {}
        self._last_epochs: dict[str, int] = {}
        self._spent_keys: set[tuple[str, str]] = set()

    def version(self, name: str) -> Version:
        """The thread's version, NOWHERE when it is absent or deleted."""
        return self.threads[name].version if name in self.threads else NOWHERE

    def messages(self, name: str) -> list[Message]:
        """The whole thread."""
        return decode_all(self.threads[name].records) if name in self.threads else []

    def appended(self, append: Append, outcome: object, *, replaces: bool = False) -> None:
        """Check the outcome of an append, or of one that replaces the whole thread, and take it over."""
        name = append.scope.thread
        fingerprint, receipt = self._prior(append)
        is_repeated = replaces and receipt is not None
        if append.expected_epoch not in (None, self.version(name).epoch) and not is_repeated:
            assert isinstance(outcome, EpochChanged)
        elif receipt and fingerprint != append.fingerprint:
            assert isinstance(outcome, IdempotencyConflict)
        elif receipt:
            assert outcome == receipt._replace(replayed=True, revision=None)
        elif (name, append.idempotency_key) in self._spent_keys:
            assert isinstance(outcome, AlreadyErased)
        elif self._has_duplicates(append, replaces=replaces):
            assert isinstance(outcome, DuplicateMessage)
        else:
            assert isinstance(outcome, Appended), outcome
            if replaces:
                self._begin_again(name, outcome.version.epoch, append.appended_at)
            self._insert(append, outcome)

    def erase(self, name: str) -> bool:
        """Take the thread away, for good or to start it anew. Returns whether it was there."""
        thread = self.threads.pop(name, None)
        self._spent_keys |= {(name, key) for key in thread.receipts} if thread else set()
        return thread is not None

    def start(self, name: str, epoch: int, at: datetime) -> ModelThread:
        """A thread that begins, or begins again, in a new epoch."""
        assert epoch > self._last_epochs.get(name, 0)
        self._last_epochs[name] = epoch
        thread = self.threads[name] = ModelThread(epoch, at, at)
        return thread

    def archive(self, name: str, first: int, last: int, archived: bool) -> int:
        """Mark messages; returns how many changed."""
        records = self.threads[name].records if name in self.threads else []
        changed = [each for each in records if first <= each.seq <= last and each.archived != archived]
        for record in changed:
            records[record.seq - 1] = record._replace(archived=archived)
        return len(changed)

    def page(self, name: str, query: MessageQuery) -> Page:
        """Return the page that a correct repository answers with."""
        records = self.threads[name].records if name in self.threads else []
        found = [record for record in records if _matches(query, decode(record.json))]
        farthest = -1 if query.after is not None else 0
        kept = list(found)
        while len(kept) > query.limit:
            del kept[farthest]
        return Page(self.version(name), kept, more=kept != found)

    def tail(self, name: str, limit: int) -> Tail:
        """Return the tail that a correct repository answers with, apart from the number of revisions."""
        query = MessageQuery(limit=limit, roles=frozenset(("user", "assistant", "tool")))
        page = self.page(name, query)
        systems = self.page(name, MessageQuery(limit=1, roles=frozenset(("system",)))).records
        return Tail(Head(page.version, 0), systems[0] if systems else None, page.records, not page.more)

    def count(self, name: str) -> dict[Role, int]:
        """How many messages of each role there must be."""
        return dict(Counter(message.role for message in self.messages(name)))

    def listed(self) -> list[Thread]:
        """All threads, the latest changed first."""
        by_name = [self.threads[name].named(name) for name in sorted(self.threads)]
        return sorted(by_name, key=lambda thread: thread.updated_at, reverse=True)

    def _prior(self, append: Append) -> tuple[bytes, Appended | None]:
        thread = self.threads.get(append.scope.thread)
        if thread is None or append.idempotency_key is None:
            return b"", None
        return thread.receipts.get(append.idempotency_key, (b"", None))

    def _begin_again(self, name: str, epoch: int, at: datetime) -> None:
        created_at = self.threads[name].created_at if name in self.threads else at
        self.erase(name)
        self.start(name, epoch, at).created_at = created_at

    def _has_duplicates(self, append: Append, *, replaces: bool) -> bool:
        ids = [] if replaces else [message.id for message in self.messages(append.scope.thread)]
        ids += [message.id for message in append.messages]
        return len(set(ids)) < len(ids)

    def _insert(self, append: Append, receipt: Appended) -> None:
        name = append.scope.thread
        thread = self.threads.get(name) or self.start(name, receipt.version.epoch, append.appended_at)
        first_seq = len(thread.records) + 1
        thread.records += [Record(seq, False, each.body) for seq, each in enumerate(append.messages, first_seq)]
        thread.updated_at = append.appended_at
        thread.title = thread.title or append.title
        ids = [message.id for message in append.messages]
        assert receipt == Appended(thread.version, first_seq, ids, revision=receipt.revision)
        if append.idempotency_key is not None:
            thread.receipts[append.idempotency_key] = (append.fingerprint, receipt)


def _matches(query: MessageQuery, message: Message) -> bool:
    assert message.created_at is not None
    return not (
        (query.before is not None and message.seq >= query.before)
        or (query.after is not None and message.seq <= query.after)
        or (query.roles and message.role not in query.roles)
        or (query.ids and message.id not in query.ids)
        or (query.since is not None and message.created_at < query.since)
        or (query.until is not None and message.created_at >= query.until)
        or (query.archived is not None and message.archived != query.archived)
    )
