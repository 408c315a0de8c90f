"""One owner's passages in memory, kept up with the database."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from itertools import dropwhile

from recuerdo.core.messages import Message, decode
from recuerdo.core.passages import MessagePlace, StoredPassage
from recuerdo.core.ports import PassageRepository
from recuerdo.core.scope import Owner
from recuerdo.core.threads import Head, Version
from recuerdo.searching.index import Index
from recuerdo.searching.lines import Lines
from recuerdo.searching.passages import Passage
from recuerdo.searching.vectors import Array, parts_kept, rows_of

_PAGE = 2_000
_BYTES_OF_PASSAGE = 5_000
_BYTES_OF_WORD = 5_000
_BYTES_EMPTY = 20_000


class OwnerIndex:
    """An index over all threads of an owner, or over one of them. Callers must hold its `lock`."""

    def __init__(self, passages: PassageRepository, owner: Owner, thread: str | None, model: str) -> None:
        self.lock = asyncio.Lock()
        self.owner = owner
        self.thread = thread
        self.key = (owner, thread)
        self._passages = passages
        self._model = model
        self.index = Index()
        self.lines = Lines()
        self._known: dict[str, Head] = {}
        self._archived: dict[str, set[MessagePlace]] = {}

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return _BYTES_EMPTY + len(self.index) * _BYTES_OF_PASSAGE + len(self.index.vocabulary) * _BYTES_OF_WORD

    async def catch_up(self) -> None:
        """Index messages appended or archived since, and drop erased ones."""
        heads = await self._passages.heads(self.owner, self.thread)
        erased: list[str] = []
        revised: list[str] = []
        for thread, known in self._known.items():
            head = heads.get(thread)
            if head is None or head.version.epoch != known.version.epoch:
                erased.append(thread)
            elif head.revision != known.revision:
                revised.append(thread)
        if erased:
            await self.forget(erased)
        await self._read({thread: head for thread, head in heads.items() if self._seq(thread) < head.version.seq})
        for thread, known in self._known.items():  # a page may be newer than the head that was read before it
            heads[thread] = heads[thread]._replace(version=max(known.version, heads[thread].version))
        self._known = heads
        if revised:
            await self._look_for_archived(revised)
        self.index.hide(set[MessagePlace]().union(*self._archived.values()))

    async def forget(self, threads: Collection[str]) -> None:
        """Drop these threads from the index."""
        if any(thread in self._known for thread in threads):
            await asyncio.to_thread(self._drop, threads)

    def _drop(self, threads: Collection[str]) -> None:
        for thread in threads:
            self._known.pop(thread, None)
            self._archived.pop(thread, None)
        stay = [number for number, place in enumerate(self.index.places) if place.thread in self._known]
        self.lines = self.lines.keeping(stay, self._known)
        if len(stay) < len(self.index):
            self.index = self.index.keeping(stay)

    def learn(self, vectors: Mapping[int, Array]) -> None:
        """Passages have got vectors, a row for each of their lines."""
        self.index.vectors.put(vectors)
        for number in vectors:
            self.lines.waiting.pop(number, None)

    def learn_words(self, vectors: Sequence[bytes]) -> None:
        """The first words without a vector have got these."""
        self.index.vocabulary.learn(rows_of(vectors))

    def _seq(self, thread: str) -> int:
        known = self._known.get(thread)
        return known.version.seq if known else 0

    async def _read(self, heads: dict[str, Head]) -> None:
        """Read page by page, so that other tasks run while a long history is read."""
        since = {thread: Version(head.version.epoch, self._seq(thread)) for thread, head in heads.items()}
        while since:
            asked = _filling_a_page(since, heads)
            page = await self._passages.read(self.owner, asked, self._model, _PAGE)
            await asyncio.to_thread(self._add, page, heads)
            since = _rest(asked, page, heads) | {thread: since[thread] for thread in since if thread not in asked}

    def _add(self, page: Sequence[StoredPassage], heads: dict[str, Head]) -> None:
        vectors: dict[int, Array] = {}
        for stored in page:
            place, message = stored.place, decode(stored.record.body)
            head = self._known.get(place.thread, heads[place.thread])
            self._known[place.thread] = Head(Version(place.epoch, place.seq), head.revision)
            if stored.record.archived:
                self._archived.setdefault(place.thread, set()).add(place)
            if _is_searched(message):
                number, passage = len(self.index), _passage(place, message)
                self.lines.add(number, passage, has_vectors=stored.vector is not None)
                self.index.add(passage)
                if stored.vector is not None:
                    vectors[number] = parts_kept(stored.vector)
        if vectors:
            self.index.vectors.put(vectors)

    async def _look_for_archived(self, threads: Sequence[str]) -> None:
        found = await self._passages.archived(self.owner, threads)
        for thread in threads:
            self._archived[thread] = {place for place in found if place.thread == thread}


def _filling_a_page(since: dict[str, Version], heads: dict[str, Head]) -> dict[str, Version]:
    """The first threads, as many as a page may have room for: threads behind a page would be indexed for nothing."""
    first: dict[str, Version] = {}
    count = 0
    for thread, known in since.items():
        if count >= _PAGE:
            break
        first[thread] = known
        count += heads[thread].version.seq - known.seq
    return first


def _rest(since: dict[str, Version], page: Sequence[StoredPassage], heads: dict[str, Head]) -> dict[str, Version]:
    """Return what remains after a page, which large messages make short: the rest of its last thread, and others."""
    if not page:
        return {}
    last = page[-1].place
    behind = dict(dropwhile(lambda item: item[0] != last.thread, since.items()))
    behind[last.thread] = Version(last.epoch, last.seq)
    if last.seq >= heads[last.thread].version.seq:
        del behind[last.thread]
    return behind


def _is_searched(message: Message) -> bool:
    """Instructions were not said by anybody, and there is nothing to find in an empty text."""
    return message.role != "system" and bool(message.text.strip())


def _passage(place: MessagePlace, message: Message) -> Passage:
    assert message.created_at is not None  # noqa: S101 (the history gives each message its time)
    return Passage(place, message.name or "", message.text, message.created_at, message.role == "user")
