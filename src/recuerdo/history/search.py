"""Searching histories: what was said, in all threads of an owner or in one."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence

from recuerdo.core.checks import check_limit, check_text
from recuerdo.core.errors import RecuerdoError
from recuerdo.core.messages import decode
from recuerdo.core.passages import MessageHit, PassageRepository, PassageVector
from recuerdo.core.ports import Embedder
from recuerdo.core.scope import Owner, Scope
from recuerdo.core.tasks import stop
from recuerdo.history.shelf import Shelf
from recuerdo.searching.lines import SUFFIX
from recuerdo.searching.recipe import Query, Scored, asked_words, search
from recuerdo.searching.vectors import halved

_log = logging.getLogger(__name__)

MOST_HITS = 100
LONGEST_QUERY = 2_000
MOST_BYTES = 256 * 2**20
"""How much memory the indexes take at most; the one that was used least lately makes room."""

_LINES_AT_A_TIME = 64
_WORDS_AT_A_TIME = 512


class MessageSearch:
    """The HistorySearch over any repository: text is found at once, vectors are made in the background.

    Indexes live in this process. Each search asks the database for the heads of the threads, as every strong read
    does, and takes in what is new; what was erased is never found again. `word_embedder` makes the vectors of single
    words, for which a model must be quick and cost nothing; without one, words are found by their stems.
    """

    def __init__(
        self, passages: PassageRepository, embedder: Embedder | None, word_embedder: Embedder | None = None
    ) -> None:
        self._passages = passages
        self._embedder = embedder
        self._word_embedder = word_embedder
        self._shelves: OrderedDict[tuple[Owner, str | None], Shelf] = OrderedDict()
        self._work: dict[Shelf, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    async def search(self, owner: Owner, query: str, *, limit: int = 10, thread: str | None = None) -> list[MessageHit]:
        """See History.search."""
        check_limit(limit, MOST_HITS)
        check_text("query", query, LONGEST_QUERY)
        if owner.is_anonymous and thread is None:
            return []
        asked = await self._ask(query)
        while True:
            shelf = self._shelf(owner, thread)
            async with shelf.lock:
                if self._holds(shelf):
                    hits = await self._look(shelf, asked, limit)
                    self._go_on(shelf)
                    return hits

    def forget(self, owner: Owner) -> None:
        """Drop what is in memory of the owner, who is erased."""
        for key in [key for key in self._shelves if key[0] == owner]:
            self._drop(self._shelves.pop(key))

    def forget_thread(self, scope: Scope) -> None:
        """Drop what is in memory of the thread, which is erased, as soon as no search is at it."""
        if (alone := self._shelves.pop((scope.owner, scope.thread), None)) is not None:
            self._drop(alone)
        if (shelf := self._shelves.get((scope.owner, None))) is not None:
            task = asyncio.create_task(self._leave(shelf, scope.thread))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def flush(self) -> None:
        """Wait until all that was searched has its vectors, or can't have them now."""
        while self._work or self._leaving:
            await asyncio.gather(*self._work.values(), *self._leaving, return_exceptions=True)

    async def aclose(self) -> None:
        """Stop the work in the background; the next search goes on with it."""
        await stop(*self._work.values(), *self._leaving)
        self._shelves.clear()

    def _shelf(self, owner: Owner, thread: str | None) -> Shelf:
        key = (owner, thread)
        if key not in self._shelves:
            model = self._embedder.name + SUFFIX if self._embedder else ""
            self._shelves[key] = Shelf(self._passages, owner, thread, model)
        self._shelves.move_to_end(key)
        while len(self._shelves) > 1 and sum(shelf.size for shelf in self._shelves.values()) > MOST_BYTES:
            self._drop(self._shelves.popitem(last=False)[1])
        return self._shelves[key]

    def _holds(self, shelf: Shelf) -> bool:
        return self._shelves.get((shelf.owner, shelf.thread)) is shelf

    async def _look(self, shelf: Shelf, asked: Query, limit: int) -> list[MessageHit]:
        try:
            await shelf.catch_up()
            return await self._hits(shelf, await asyncio.to_thread(search, shelf.index, asked, limit))
        except BaseException:  # a thread may still be at work on it, for a caller that has left
            if self._holds(shelf):
                self._drop(self._shelves.pop((shelf.owner, shelf.thread)))
            raise

    async def _leave(self, shelf: Shelf, thread: str) -> None:
        async with shelf.lock:
            await shelf.forget([thread])

    def _drop(self, shelf: Shelf) -> None:
        if (task := self._work.get(shelf)) is not None:
            task.cancel()

    async def _ask(self, text: str) -> Query:
        vectors = await _embed(self._embedder, [text])
        words = await _embed(self._word_embedder, asked_words(text))
        return Query(text, vectors[0] if vectors else None, words)

    async def _hits(self, shelf: Shelf, scored: Sequence[Scored]) -> list[MessageHit]:
        places = [shelf.index.places[each.number] for each in scored]
        records = await self._passages.pick(shelf.owner, places) if places else {}
        return [
            MessageHit(decode(records[place].json), place.thread, place.seq, each.score)
            for place, each in zip(places, scored, strict=True)
            if place in records and not records[place].archived
        ]

    def _go_on(self, shelf: Shelf) -> None:
        """Make the vectors that are missing, unless somebody is at it."""
        if shelf in self._work or not self._holds(shelf):
            return
        task = self._work[shelf] = asyncio.create_task(self._catch_up(shelf))
        task.add_done_callback(lambda _: self._work.pop(shelf, None))

    async def _catch_up(self, shelf: Shelf) -> None:
        try:
            while await self._make_vectors(shelf) or await self._make_word_vectors(shelf):
                pass
        except Exception:
            _log.exception("Vectors for the search of a history could not be made; the next search tries again.")

    async def _make_vectors(self, shelf: Shelf) -> bool:
        """Some of the passages' vectors; False when there is nothing left to do, or no way to do it."""
        index, waiting = shelf.index, list(shelf.lines.waiting.items())[:_LINES_AT_A_TIME]
        vectors = await _embed(self._embedder, [line for _, line in waiting])
        if not vectors or self._embedder is None:
            return False
        async with shelf.lock:
            if shelf.index is not index:  # begun anew meanwhile
                return True
            numbers = [number for number, _ in waiting]
            shelf.learn(numbers, vectors)
            places = [index.places[number] for number in numbers]
        model = self._embedder.name + SUFFIX
        pairs = zip(places, vectors, strict=True)
        await self._passages.keep(shelf.owner, [PassageVector(place, model, halved(vector)) for place, vector in pairs])
        return True

    async def _make_word_vectors(self, shelf: Shelf) -> bool:
        index, words = shelf.index, shelf.index.vocabulary.without_vectors[:_WORDS_AT_A_TIME]
        vectors = await _embed(self._word_embedder, words)
        if not vectors:
            return False
        async with shelf.lock:
            if shelf.index is index:
                shelf.learn_words(vectors)
        return True


async def _embed(embedder: Embedder | None, texts: Sequence[str]) -> list[bytes]:
    """One vector a text; none without a model, and while it fails: words find messages all the same."""
    if embedder is None or not texts:
        return []
    try:
        vectors = [embedding.vector for embedding in await embedder.embed(texts)]
    except Exception as error:  # whatever a model's client raises, which may quote the texts
        told = error if isinstance(error, RecuerdoError) else type(error).__name__
        _log.warning("The embedding model %s failed (%s); words alone find messages.", embedder.name, told)
        return []
    return vectors if len(vectors) == len(texts) else []
