"""Finding memories: in an index of each owner that is in use, which every search brings up to date first.

A recollection is what a prompt carries: the profile and what is relevant to the text, without what was forgotten.
"""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from recuerdo.concurrency.lru import LruCache
from recuerdo.core.memories import Attribute, Embedding, LedgerState, Memory, MemoryEntry, MemoryHit, MemoryQuery
from recuerdo.core.ports import Embedder, MemoryRepository, MemoryWithVector
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.core.words import normalize, words_of
from recuerdo.memories.forgetting import Forgotten, SourcePlace, forgotten_by, forgotten_in, is_hidden
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.searching.memories import MemoryIndex, sentences_of_talk

_log = logging.getLogger(__name__)

AT_A_TIME = 32
"""Memories that get their vectors together, while a search waits for them."""


class MemoryVectors:
    """Calls the embedding model for memories: if the model fails, vectors are missing, but no call fails."""

    def __init__(self, repository: MemoryRepository, embedder: Embedder | None) -> None:
        self._repository = repository
        self._embedder = embedder
        self._under_way: set[asyncio.Task[None]] = set()

    @property
    def model(self) -> str | None:
        """The embedding model's name, or None when there is no model."""
        return self._embedder.name if self._embedder else None

    async def of(self, texts: Sequence[str]) -> list[Embedding] | None:
        """One embedding a text; None without a model, and when it fails."""
        if self._embedder is None or not texts:
            return None
        try:
            embeddings = await self._embedder.embed(texts)
        except Exception as error:  # whatever a model's client raises: words alone still find memories
            self._warn(len(texts), type(error).__name__)
            return None
        if len(embeddings) != len(texts):
            self._warn(len(texts), f"{len(embeddings)} embeddings came back")
            return None
        return embeddings

    def embed_later(self, memories: list[Memory]) -> list[Memory]:
        """Give the memories, which are returned, their vectors in the background; words find them until then."""
        if self._embedder is not None and memories:
            task = asyncio.create_task(self._embed_quietly(memories))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        return memories

    async def make(self, memories: Sequence[Memory]) -> list[MemoryWithVector]:
        """Give the memories their vectors now, and return them; none while the model fails."""
        embeddings = await self.of([memory.text for memory in memories])
        made = [MemoryWithVector(*pair) for pair in zip(memories, embeddings or (), strict=False)]
        for memory, embedding in made:
            if embedding is not None:
                await self._repository.embed(memory, embedding)
        return made

    async def flush(self) -> None:
        """Wait for the background."""
        await asyncio.gather(*self._under_way)

    async def _embed_quietly(self, memories: Sequence[Memory]) -> None:
        try:
            await self.make(memories)
        except Exception as error:  # the next search catches up
            self._warn(len(memories), type(error).__name__)

    def _warn(self, count: int, problem: str) -> None:
        _log.warning("The embedding model %s failed on %d texts (%s); they stay without.", self.model, count, problem)


MOST_BYTES = 256 * 2**20
"""How much memory the indexes take at most; the one that was used least lately makes room."""

_PAGE = 500
_SCORE = attrgetter("score")
_ID = attrgetter("memory.id")
_PINNED_THEN_LATEST = attrgetter("pinned", "created_at")
_MOST_CHANGES = 200
_LARGE = 1000
"""From this many memories on an index is searched in a thread; searching a smaller one takes less than the switch."""

_BRIDGED = 0.8
"""The score of a memory about something that the best hit names, as a fraction of the hit's score."""

_BRIDGES: tuple[Attribute, ...] = ("employer", "city", "country", "family", "relative", "pet", "department", "team")
_MOST_BRIDGES = 2


class MemorySearch:
    """Searches memories by words and vectors. Each search asks the database once whether anything has changed."""

    def __init__(self, repository: MemoryRepository, vectors: MemoryVectors) -> None:
        self._repository = repository
        self._vectors = vectors
        self._model = vectors.model
        self._indexes: LruCache[Owner, _OwnerMemories] = LruCache(MOST_BYTES, keeps_latest=True)

    async def with_bridges(
        self, owner: Owner, text: str, query: MemoryQuery, states: dict[Owner, LedgerState] | None = None
    ) -> list[MemoryHit]:
        """The owner's and their tenant's memories, and those about the people, places and things that the best name.

        In which city is the company where my brother works? The best memory names the company, and another the city.
        """
        owners, states = _readable_by(owner), {} if states is None else states
        hits = await self.search(owners, text, query, states)
        asked, bridges = {*normalize(text).split()}, dict[str, float]()
        for memory, score in hits[:_MOST_BRIDGES]:
            if memory.attribute in _BRIDGES and memory.value and not asked.issuperset(normalize(memory.value).split()):
                bridges.setdefault(memory.value, score * _BRIDGED)
        found = dict(zip(map(_ID, hits), hits, strict=True))
        for name, score in bridges.items():
            named = f" {' '.join(words_of(name))} "
            for hit in await self.search(owners, name, query, states, by_words=True):
                known = found.get(hit.memory.id)
                is_better = known is None or known.score < score
                if is_better and named in f" {' '.join(words_of(hit.memory.text))} ":
                    found[hit.memory.id] = MemoryHit(hit.memory, score)
        return sorted(found.values(), key=_SCORE, reverse=True)[: query.limit]

    async def search(
        self,
        owners: Sequence[Owner],
        text: str,
        query: MemoryQuery,
        states: dict[Owner, LedgerState] | None = None,
        *,
        by_words: bool = False,
    ) -> list[MemoryHit]:
        """The memories nearest to the text that match the query, best first; the query names a time or a status.

        Of owners whose `states` the caller has just read the database is not asked for it again, and those of the
        others are noted there. `by_words` asks no embedding model.
        """
        states = {} if states is None else states
        known: list[_OwnerMemories] = []
        for owner in owners:
            owned = self._indexes.get(owner)
            if owned is None:
                owned = _OwnerMemories(self._repository, owner, self._model)
                self._indexes.put(owner, owned, owned.index.size)
            if not owned.index.places:
                async with owned.lock:
                    if await owned.catch_up(states.get(owner)):
                        self._measure(owned)
                if owned.state is not None and not owned.index.places:  # asked a moment ago
                    states[owner] = owned.state
            known.append(owned)
        if not any(map(attrgetter("index.places"), known)):
            return []  # and no embedding model is waited for, or paid
        sentences = sentences_of_talk(text)
        asked = [" ".join(sentences) or text, *sentences]
        embeddings = await self._vectors.of(asked) if self._model and not by_words else None
        search = partial(self._search, text=text, embeddings=embeddings or (), query=query)
        found = await asyncio.gather(*map(search, known, map(states.get, owners)))
        for each in known:
            if each.state is not None:
                states[each.owner] = each.state
        if len(found) == 1:
            return found[0]
        return sorted(chain.from_iterable(found), key=_SCORE, reverse=True)[: query.limit]

    def changed(self, owner: Owner, before: LedgerState, after: LedgerState, entries: Sequence[MemoryEntry]) -> None:
        """Apply a change that this process made, so that it is not read from the database."""
        owned = self._indexes.peek(owner)
        if owned is not None and owned.state == before and not owned.lock.locked():  # else the next search asks
            owned.take(after, entries)

    def standing(self, owner: Owner, now: datetime) -> tuple[list[Memory], list[Memory]]:
        """The memories that any prompt shows, pinned ones and instructions, and those that the owner has ended.

        Both are as the latest searches know them. Pinned ones come first, and of equals the latest.
        """
        found: list[Memory] = []
        ended: list[Memory] = []
        for readable in _readable_by(owner):
            owned = self._indexes.peek(readable)
            for each in owned.marked.values() if owned else ():
                if (each.pinned or each.kind == "procedural") and each.holds(now):
                    found.append(each)
                if each.ending is not None and readable == owner:
                    ended.append(each)
        return sorted(found, key=_PINNED_THEN_LATEST, reverse=True), ended

    def forget(self, owner: Owner) -> None:
        """Drop the owner's index."""
        self._indexes.pop(owner)

    async def _search(
        self,
        owned: "_OwnerMemories",
        state: LedgerState | None,
        *,
        text: str,
        embeddings: Sequence[Embedding],
        query: MemoryQuery,
    ) -> list[MemoryHit]:
        async with owned.lock:
            has_changed = await owned.catch_up(state)
            if embeddings and await owned.add_vectors(self._vectors):
                has_changed = True
            if query.holding_at is not None and owned.index.refreshed:
                await owned.look_again(query.holding_at)
            if has_changed:
                self._measure(owned)
            whole, sentences = (embeddings[0], embeddings[1:]) if embeddings else (None, ())
            if len(owned.index.places) < _LARGE:
                return owned.index.search(text, whole, query, sentences)
            return await asyncio.to_thread(owned.index.search, text, whole, query, sentences)

    def _measure(self, used: "_OwnerMemories") -> None:
        """Count what this index takes now, unless it was forgotten meanwhile; others make room for it."""
        if self._indexes.peek(used.owner) is used:
            self._indexes.put(used.owner, used, used.index.size)


class _OwnerMemories:
    """The index of one owner, and the state of the database that it shows."""

    def __init__(self, repository: MemoryRepository, owner: Owner, model: str | None) -> None:
        self._repository = repository
        self._model = model
        self.owner = owner
        self.lock = asyncio.Lock()
        self.state: LedgerState | None = None
        self.marked: dict[str, Memory] = {}
        """Those that every prompt has to know of: what was forgotten, what is pinned, and instructions."""
        self.index = self._empty()

    async def catch_up(self, state: LedgerState | None) -> bool:
        """Apply the changes since; erased and forgotten memories are gone from here as from the database.

        Returns whether anything has. A `state` that is given was read a moment ago: another search may have come
        further meanwhile.
        """
        if state is None or (self.state is not None and state < self.state):
            state = await self._repository.state(self.owner)
        if state == self.state:
            return False
        if not await self._follow(state):
            await self._begin(state)
        return True

    async def add_vectors(self, vectors: MemoryVectors) -> bool:
        """Add vectors that were made since, and make some of the missing ones. Returns whether any were missing."""
        if not (missing := self.index.unembedded(AT_A_TIME)):
            return False
        await vectors.flush()
        for memory, embedding in await self._repository.get_many(self.owner, [each.id for each in missing]):
            if embedding is not None:
                self.index.learn(memory.id, embedding)
        for memory, embedding in await vectors.make(self.index.unembedded(AT_A_TIME)):
            if embedding is not None:
                self.index.learn(memory.id, embedding)
        return True

    async def look_again(self, now: datetime) -> None:
        """Read expired memories again: a use in another process may have postponed their expiry."""
        if expired_by := self.index.expired_by(now):
            for memory, embedding in await self._repository.get_many(self.owner, expired_by):
                self.index.put(memory, embedding)

    def take(self, state: LedgerState, entries: Sequence[MemoryEntry]) -> None:
        """Apply a change: the entries hold the memories as they are after it."""
        for entry in entries:
            if entry.after is None:
                self.index.remove(entry.memory_id)
            else:
                self.index.put(entry.after)
            if entry.after is not None and _is_marked(entry.after):
                self.marked[entry.memory_id] = entry.after
            else:
                self.marked.pop(entry.memory_id, None)
        self.state = None if self.index.is_sparse else state  # the next search begins anew

    async def _follow(self, state: LedgerState) -> bool:
        """Apply the changes up to the state; False when they are incomplete, as after a deletion."""
        known = self.state
        if known is None or known.epoch != state.epoch:
            return False
        missed = state.version - known.version
        if not 0 < missed <= _MOST_CHANGES:
            return False
        changes = await self._repository.changes(self.owner, missed, before=state.version + 1)
        if [change.version for change in changes] != list(range(state.version, known.version, -1)):
            return False
        self.take(state, [entry for change in reversed(changes) for entry in change.entries])
        return True

    async def _begin(self, state: LedgerState) -> None:
        """Read everything. The next search applies the changes made meanwhile, some of them a second time."""
        index, last = self._empty(), None
        marked: dict[str, Memory] = {}
        while page := await self._repository.list_with_vectors(self.owner, _PAGE, last):
            for memory, embedding in page:
                index.put(memory, embedding)
            marked |= {memory.id: memory for memory, _ in page if _is_marked(memory)}
            last = page[-1].memory.id
            if len(page) < _PAGE:
                break
        self.index, self.state, self.marked = index, state, marked

    def _empty(self) -> MemoryIndex:
        return MemoryIndex(self._model)


def _readable_by(owner: Owner) -> list[Owner]:
    """The owners whose memories an owner finds: themselves, and their tenant."""
    return [owner] if isinstance(owner, TenantOwner) else [owner, TenantOwner(owner.tenant)]


def _is_marked(memory: Memory) -> bool:
    return memory.pinned or memory.kind == "procedural" or memory.ending is not None


MOST_FORMER = 4


class Recollection(NamedTuple):
    """A recall: `memories` that hold, `former` ones that did, and the `forgotten` things that must not be shown.

    `over` are all that the user has ended: where a prompt quotes the message that one of them comes from, it says so.
    `scores` are those of the memories that were found by the text, by their ids; the others stand in any prompt.
    """

    memories: list[Memory]
    former: Sequence[Memory] = ()
    forgotten: Sequence[Forgotten] = ()
    over: Sequence[Memory] = ()
    scores: Mapping[str, float] = {}

    def without(self, gone: Sequence[Memory]) -> "Recollection":
        """Leave out memories about forgotten things; those of `gone` that were not forgotten are over."""
        forgotten = [each for memory in gone if (each := forgotten_by(memory))]
        told = [each for each in self.memories if not any(one.hides(each.text, each.created_at) for one in forgotten)]
        over = [each for each in gone if _may_be_told(each, forgotten)]
        return self._replace(memories=told, forgotten=forgotten, over=over)

    def and_former(self, found: Sequence[Memory], now: datetime) -> "Recollection":
        """With the best of those that held in the past."""
        told = [each for each in found if _may_be_told(each, self.forgotten)]
        ended = [each for each in told if each.valid_until and each.valid_until <= now]
        return self._replace(former=ended[:MOST_FORMER])

    def over_in(self, places: Collection[SourcePlace]) -> list[Memory]:
        """The ended memories whose sources are these messages (thread and seq), the latest first."""
        told = [each for each in self.over if each.source.place in places]
        told = [each for each in told if each not in self.former]
        return sorted(told, key=lambda each: each.updated_at, reverse=True)[:MOST_FORMER]

    def hides(self, text: str, said_at: datetime | None, thread: str, seq: int) -> bool:
        """Whether a message must not be quoted: it states what was forgotten since, or is the request to forget it."""
        if not self.forgotten:
            return False
        return is_hidden(text, said_at, (thread, seq), self.forgotten)


def of_orders(said: Iterable[tuple[str, datetime | None]]) -> Recollection:
    """Return the recollection for users without memories: what they ask to forget in these messages of theirs."""
    return Recollection([], forgotten=forgotten_in(said))


def asks_about_past(text: str) -> bool:
    """Whether a question is about the past, or since when something is so."""
    folded = normalize(text)
    return any(locale.offline.past.search(folded) for locale in LOCALES.values())


def asks_for_everything(text: str) -> bool:
    """Whether a question asks for everything known about the user."""
    folded = " ".join(words_of(text))
    return any(locale.offline.topics["everything"].search(folded) for locale in LOCALES.values())


def merge(
    profile: Sequence[Memory], hits: Sequence[Memory], limit: int, standing: Sequence[Memory] = ()
) -> list[Memory]:
    """Return the memories for a prompt: the standing ones, the best hits and the profile, each once, at most `limit`.

    A quarter of the places at most belongs to the standing ones, or half if some are pinned, which come first, and half
    of the others to the best hits. So neither they nor a long profile ever crowd out what was asked about.
    """
    pinned = 0
    for each in standing:
        pinned += each.pinned
    standing = standing[: limit // 4 + min(pinned, limit // 4)]
    half = (limit - len(standing) + 1) // 2
    distinct = {memory.id: memory for memory in chain(standing, hits[:half], profile, hits[half:])}
    return [*distinct.values()][:limit]


def _may_be_told(memory: Memory, forgotten: Sequence[Forgotten]) -> bool:
    is_forgotten = memory.ending is not None and memory.ending.reason == "forgotten"
    return not is_forgotten and not any(
        each.hides(memory.text, memory.created_at, memory.source.place) for each in forgotten
    )
