"""Searches histories: all threads of an owner, or one."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import accumulate, filterfalse, pairwise

from recuerdo.concurrency.lru import LruCache
from recuerdo.concurrency.tasks import stop
from recuerdo.core.checks import check_text, check_whole
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.messages import decode
from recuerdo.core.passages import MessageHit, MessagePlace, PassageVector, StoredPassage
from recuerdo.core.ports import Embedder, PassageRepository, Reranker
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.threads import ABSENT, MOST_READ_BYTES, Head, Version
from recuerdo.searching.index import Index
from recuerdo.searching.passages import SUFFIX, Lines, Passage
from recuerdo.searching.recipe import Scored, SearchQuery, asked_words, search
from recuerdo.searching.vectors import Array, kept, parts_kept, rows_of

_log = logging.getLogger(__name__)

MOST_HITS = 100
RERANKED = 50
"""How many of the best hits a reranker reads at least."""

TIMEOUT_SECONDS = 10.0
"""Seconds that a search waits for vectors that are not made yet; then it goes by those that are there."""

LONGEST_QUERY = 2_000
MOST_BYTES = 256 * 2**20
"""How much memory the indexes take at most; the least recently used one is dropped first."""

_MANY_THREADS = 200
"""The number of an owner's threads from which only those that have changed are asked for."""
_MARK_SECONDS = 3_000.0
"""Seconds after which all heads are asked for again; marks of changes are good for an hour."""
_PAGE = 2_000
_BYTES_OF_PASSAGE = 5_000
_BYTES_OF_WORD = 5_000
_BYTES_EMPTY = 20_000
_LINES_AT_A_TIME = 64
_HITS_AT_A_TIME = 10
_WORDS_AT_A_TIME = 512


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
        self._mark: str | None = None
        self._marked_at = 0.0
        self._archived: dict[str, set[MessagePlace]] = {}

    async def catch_up(self) -> None:
        """Index messages appended or archived since, and drop erased ones."""
        known, now = self._known, asyncio.get_running_loop().time()
        is_usable = len(known) >= _MANY_THREADS and now - self._marked_at < _MARK_SECONDS
        found = await self._passages.heads(self.owner, self.thread, self._mark if is_usable else None)
        heads = dict(found.heads.items() - known.items())
        if found.since is None:
            heads |= dict.fromkeys(known.keys() - found.heads.keys(), ABSENT)
        erased: list[str] = []
        revised: list[str] = []
        behind: dict[str, Version] = {}
        for thread, head in heads.items():
            before = known.get(thread, ABSENT)
            if before != ABSENT and head.version.epoch != before.version.epoch:
                erased.append(thread)
                before = ABSENT
            elif before != ABSENT and head.revision != before.revision:
                revised.append(thread)
            if before.version.seq < head.version.seq:
                behind[thread] = Version(head.version.epoch, before.version.seq)
        if erased:
            await self.forget(erased)
        await self._read(behind, heads)
        if revised:
            await self._look_for_archived(revised)
        # Only now: a head that is noted before all of its thread is read hides what is missing from the next look.
        for thread, head in heads.items():
            before = known.get(thread, ABSENT)  # a page may be newer than the head that was read before it
            if head != ABSENT:
                known[thread] = head._replace(version=max(before.version, head.version))
        if heads:
            self.index.hide(set[MessagePlace]().union(*self._archived.values()))
        self._mark, self._marked_at = found.mark, now

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

    async def _read(self, behind: dict[str, Version], heads: dict[str, Head]) -> None:
        """Read page by page, so that other tasks run while a long history is read."""
        while behind:
            asked = _filling_a_page(behind, heads)
            page = await self._passages.read(self.owner, asked, self._model, _PAGE)
            await asyncio.to_thread(self._add, page, heads)
            last = page[-1].place if page else None
            for thread in asked:  # large messages make a page short: then its last thread goes on, and others do
                if last is not None and thread == last.thread and last.seq < heads[thread].version.seq:
                    behind[thread] = Version(last.epoch, last.seq)
                else:
                    del behind[thread]
                if last is not None and thread == last.thread:
                    break

    def _add(self, page: Sequence[StoredPassage], heads: dict[str, Head]) -> None:
        vectors: dict[int, Array] = {}
        for stored in page:
            place, message = stored.place, decode(stored.record.body)
            head = self._known.get(place.thread, heads[place.thread])
            self._known[place.thread] = Head(Version(place.epoch, place.seq), head.revision)
            if stored.record.archived:
                self._archived.setdefault(place.thread, set()).add(place)
            text, said_at = message.text, message.created_at
            if message.role != "system" and text.strip():  # instructions were not said by anybody
                assert said_at is not None  # noqa: S101 (the history gives each message its time)
                number = len(self.index)
                passage = Passage(place, message.name or "", text, said_at, message.role == "user")
                if self._model:
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


def _filling_a_page(behind: dict[str, Version], heads: dict[str, Head]) -> dict[str, Version]:
    """The first threads, as many as one page has room for: threads after it would be indexed for nothing."""
    first: dict[str, Version] = {}
    count = 0
    for thread, known in behind.items():
        if count >= _PAGE:
            break
        first[thread] = known
        count += heads[thread].version.seq - known.seq
    return first


class MessageSearch:
    """The HistorySearch over any repository.

    Indexes live in this process. Each search asks the database for the heads of the threads, as every strong read
    does, takes in new messages, and waits a while for their vectors; erased messages are never found again.
    If it `embeds_words`, the model makes vectors of single words as well, for which it must be quick and cost nothing;
    else words are found by their stems. A `reranker` orders the best hits anew.
    """

    def __init__(
        self,
        passages: PassageRepository,
        embedder: Embedder | None,
        reranker: Reranker | None = None,
        *,
        embeds_words: bool = False,
    ) -> None:
        self._passages = passages
        self._embedder = embedder
        self._embeds_words = embeds_words
        self._reranker = reranker
        self._indexes: LruCache[tuple[Owner, str | None], OwnerIndex] = LruCache(MOST_BYTES, keeps_latest=True)
        self._work: dict[OwnerIndex, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    async def search(self, owner: Owner, query: str, *, limit: int = 10, thread: str | None = None) -> list[MessageHit]:
        """See History.search."""
        check_whole("limit", limit, 1, MOST_HITS)
        check_text("query", query, LONGEST_QUERY)
        if owner.is_anonymous and thread is None:
            return []
        owner_index = self._owner_index(owner, thread)
        if not len(owner_index.index):  # only while nothing has been read here
            async with self._caught_up(owner, thread) as owner_index:
                if not len(owner_index.index):
                    return []  # and no embedding model is waited for or paid for
        asked = await self._ask(owner_index, query)
        if self._reranker is None:
            return await self._find(owner, thread, asked, limit)
        hits = await self._find(owner, thread, asked, max(limit, RERANKED))
        return (await self._rerank(self._reranker, query, hits))[:limit]

    def forget(self, owner: Owner) -> None:
        """Drop the index of an erased owner."""
        for key in [key for key in self._indexes if key[0] == owner]:
            self._drop(key)

    def forget_thread(self, scope: Scope) -> None:
        """Drop an erased thread from the index, as soon as no search uses it."""
        self._drop((scope.owner, scope.thread))
        if (owner_index := self._indexes.peek((scope.owner, None))) is not None:
            task = asyncio.create_task(self._leave(owner_index, scope.thread))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def flush(self) -> None:
        """Wait until all that was searched has its vectors, or can't have them now."""
        while self._work or self._leaving:
            await asyncio.gather(*self._work.values(), *self._leaving, return_exceptions=True)

    async def aclose(self) -> None:
        """Stop the work in the background; the next search continues it."""
        await stop(*self._work.values(), *self._leaving)
        self._indexes.drop_if(lambda _key, _index: True)

    def _owner_index(self, owner: Owner, thread: str | None) -> OwnerIndex:
        owner_index = self._indexes.get((owner, thread))
        if owner_index is None:
            model = self._embedder.name + SUFFIX if self._embedder else ""
            owner_index = OwnerIndex(self._passages, owner, thread, model)
            self._keep(owner_index)
        return owner_index

    def _keep(self, owner_index: OwnerIndex) -> None:
        """Keep the index with about the bytes that it takes now; others make room for it."""
        index = owner_index.index
        size = _BYTES_EMPTY + len(index) * _BYTES_OF_PASSAGE + len(index.vocabulary) * _BYTES_OF_WORD
        for evicted in self._indexes.put(owner_index.key, owner_index, size):
            self._stop_work(evicted)

    def _holds(self, owner_index: OwnerIndex) -> bool:
        return self._indexes.peek(owner_index.key) is owner_index

    async def _find(self, owner: Owner, thread: str | None, asked: SearchQuery, limit: int) -> list[MessageHit]:
        has_waited = False
        while True:
            async with self._caught_up(owner, thread) as owner_index:
                lacks_vectors = (self._embedder is not None and owner_index.lines.waiting) or (
                    self._embeds_words and owner_index.index.vocabulary.without_vectors
                )
                if has_waited or not lacks_vectors:
                    best = await asyncio.to_thread(search, owner_index.index, asked, limit)
                    return await self._hits(owner_index, best)
            await asyncio.wait([self._go_on(owner_index)], timeout=TIMEOUT_SECONDS)
            has_waited = True

    @asynccontextmanager
    async def _caught_up(self, owner: Owner, thread: str | None) -> AsyncGenerator[OwnerIndex]:
        """The index, up to date and locked. It is dropped if the block fails: a thread may still work on it then."""
        while True:
            owner_index = self._owner_index(owner, thread)
            async with owner_index.lock:
                if not self._holds(owner_index):
                    continue
                try:
                    await owner_index.catch_up()
                    yield owner_index
                except BaseException:
                    if self._holds(owner_index):
                        self._drop(owner_index.key)
                    raise
                if self._holds(owner_index):
                    self._keep(owner_index)
                return

    async def _rerank(self, reranker: Reranker, query: str, hits: list[MessageHit]) -> list[MessageHit]:
        """The hits in the reranker's order; as they were while it fails."""
        if not hits:
            return hits
        try:
            scores = await reranker.score(query, [hit.message.text for hit in hits])
        except Exception as error:  # whatever a model's client raises, which may quote the texts
            name = type(error).__name__
            _log.warning("The reranker failed (%s); hits come in the order of the search.", name, exc_info=error)
            return hits
        rescored = [hit._replace(score=score) for hit, score in zip(hits, scores, strict=True)]
        return sorted(rescored, key=lambda hit: hit.score, reverse=True)

    async def _leave(self, owner_index: OwnerIndex, thread: str) -> None:
        async with owner_index.lock:
            await owner_index.forget([thread])

    def _drop(self, key: tuple[Owner, str | None]) -> None:
        if (owner_index := self._indexes.pop(key)) is not None:
            self._stop_work(owner_index)

    def _stop_work(self, owner_index: OwnerIndex) -> None:
        if (task := self._work.get(owner_index)) is not None:
            task.cancel()

    async def _ask(self, owner_index: OwnerIndex, text: str) -> SearchQuery:
        words: list[str] = []
        known: dict[str, bytes] = {}
        if self._embeds_words:
            words = asked_words(text)
            async with owner_index.lock:
                known = owner_index.index.vocabulary.vectors_of(words)
        unknown = [*filterfalse(known.__contains__, words)]
        vectors = await _embed(self._embedder, [text, *unknown])  # in one call, which takes longer than a word more
        if not vectors:
            return SearchQuery(text)
        known.update(zip(unknown, vectors[1:], strict=True))
        return SearchQuery(text, vectors[0], [known[word] for word in words])

    async def _hits(self, owner_index: OwnerIndex, scored: Sequence[Scored]) -> list[MessageHit]:
        hits: list[MessageHit] = []
        left = MOST_READ_BYTES
        for start in range(0, len(scored), _HITS_AT_A_TIME):
            part = scored[start : start + _HITS_AT_A_TIME]
            places = [owner_index.index.places[number] for number, _ in part]
            records = await self._passages.get_many(owner_index.owner, places)
            for place, (_, score) in zip(places, part, strict=True):
                if (record := records.get(place)) is not None:
                    left -= len(record.body)
                    if not record.archived:
                        hits.append(MessageHit(decode(record.json), place.thread, place.seq, score))
            if left <= 0:
                break  # of messages that are so large the best ones are enough
        return hits

    def _go_on(self, owner_index: OwnerIndex) -> asyncio.Task[None]:
        """The task that indexes new messages and makes missing vectors."""
        if (work := self._work.get(owner_index)) is None:
            work = self._work[owner_index] = asyncio.create_task(self._catch_up(owner_index))
            work.add_done_callback(lambda _: self._work.pop(owner_index, None))
        return work

    async def _catch_up(self, owner_index: OwnerIndex) -> None:
        try:
            async with owner_index.lock:
                if self._holds(owner_index):
                    await owner_index.catch_up()
            while await self._make_vectors(owner_index) or await self._make_word_vectors(owner_index):
                pass
        except Exception:
            _log.exception("Vectors for the search of a history could not be made; the next search tries again.")

    async def _make_vectors(self, owner_index: OwnerIndex) -> bool:
        """Some of the passages' vectors; False when there is nothing left to do, or no way to do it."""
        index, waiting = owner_index.index, owner_index.lines.first(_LINES_AT_A_TIME)
        vectors = await _embed(self._embedder, [line for lines in waiting.values() for line in lines])
        if not vectors or self._embedder is None:
            return False
        ends = accumulate(map(len, waiting.values()), initial=0)
        rows = {
            number: rows_of(vectors[begin:end]) for number, (begin, end) in zip(waiting, pairwise(ends), strict=True)
        }
        async with owner_index.lock:
            if owner_index.index is not index:  # begun anew meanwhile
                return True
            owner_index.learn(rows)
            places = {number: index.places[number] for number in rows}
        model = self._embedder.name + SUFFIX
        await self._passages.keep(
            owner_index.owner, [PassageVector(places[number], model, kept(each)) for number, each in rows.items()]
        )
        return True

    async def _make_word_vectors(self, owner_index: OwnerIndex) -> bool:
        if not self._embeds_words:
            return False
        index, words = owner_index.index, owner_index.index.vocabulary.without_vectors[:_WORDS_AT_A_TIME]
        vectors = await _embed(self._embedder, words)
        if not vectors:
            return False
        async with owner_index.lock:
            if owner_index.index is index:
                owner_index.learn_words(vectors)
        return True


async def _embed(embedder: Embedder | None, texts: Sequence[str]) -> list[bytes]:
    """One vector a text; none without a model or while it fails, when messages are found by words alone."""
    if embedder is None or not texts:
        return []
    try:
        vectors = [embedding.vector for embedding in await embedder.embed(texts)]
    except Exception as error:  # whatever a model's client raises, which may quote the texts
        told = error if isinstance(error, RecuerdoError) else type(error).__name__
        _log.warning("The embedding model %s failed (%s); words alone find messages.", embedder.name, told)
        return []
    return vectors if len(vectors) == len(texts) else []
