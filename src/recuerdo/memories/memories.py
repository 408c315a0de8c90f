"""The memories service: what is known of each user, over any repository and any embedding model."""

import asyncio
from collections.abc import Sequence
from weakref import WeakValueDictionary

from msgspec.structs import replace

from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import Attribute, Fact, Kind, Memory, MemoryHit, MemoryQuery, Source
from recuerdo.core.ports import Clock, Embedder, MemoryRepository
from recuerdo.core.scope import Owner, check_id
from recuerdo.memories import checks
from recuerdo.memories.profile import SINGLE_VALUED, merge, same_value
from recuerdo.memories.vectors import Vectors

BY_HAND = Source()

_PAGE = 200
_WARM_UP = "Hola, me llamo Ana. I live in Lima."
_CATCH_UP = 32
_LONGEST_CUE = 2_000
_NOT_THE_USER = ("assistant", "tool", "system")


class Memories:
    """Long-term memories of all users. Each call names the owner; anonymous users have no memories.

    Memories are found by the vectors of `embedder` and by words; without an embedder, or while it fails, by words
    alone. Raises DatabaseUnavailable whenever the repository does.
    """

    def __init__(self, repository: MemoryRepository, embedder: Embedder | None, clock: Clock) -> None:
        self._repository = repository
        self._vectors = Vectors(embedder)
        self._clock = clock
        self._locks: WeakValueDictionary[Owner, asyncio.Lock] = WeakValueDictionary()

    async def remember(self, owner: Owner, text: str, source: Source = BY_HAND) -> list[Memory]:
        """Extract the facts that the user states in `text` and save the new ones, which are returned.

        A fact that the user already has, with the same attribute and value, is not saved again. `text` may have any
        length; what somebody else than the user wrote (`source.author`) is no source of facts.
        Raises InvalidInput for broken Unicode.
        """
        checks.check_unicode("text", text.replace("\0", " "))
        if owner.is_anonymous or source.author in _NOT_THE_USER:
            return []
        facts = _facts(text)
        if not facts:
            return []
        source = replace(source, extractor="detectors")
        async with self._lock(owner):
            new = [self._from_fact(owner, fact, source) for fact in facts if not await self._knows(owner, fact)]
            await self._save(new)
        return new

    async def add(
        self,
        owner: Owner,
        text: str,
        *,
        kind: Kind = "semantic",
        attribute: Attribute | None = None,
        value: str | None = None,
        source: Source = BY_HAND,
    ) -> Memory:
        """Save one memory as it is given. Raises InvalidInput, for the anonymous user too."""
        if owner.is_anonymous:
            raise InvalidInput("user", "the anonymous user has no long-term memory; say who the user is")
        checks.check_text("text", text)
        checks.check_fields(kind, attribute, value)
        memory = self._new(owner, text, kind=kind, attribute=attribute, value=value, source=source)
        await self._save([memory])
        return memory

    async def get(self, owner: Owner, memory_id: str) -> Memory:
        """The owner's memory. Raises NotFound."""
        memory = None if owner.is_anonymous else await self._repository.get(owner, memory_id)
        if memory is None:
            raise NotFound("memory", memory_id)
        return memory

    async def update(
        self,
        owner: Owner,
        memory_id: str,
        *,
        text: str | None = None,
        kind: Kind | None = None,
        attribute: Attribute | None = None,
        value: str | None = None,
    ) -> Memory:
        """Change what is given and keep the rest.

        A new text without a value takes the value that it states for the attribute, or has none: an old value must
        not outlive the words that it came from. Raises NotFound or InvalidInput.
        """
        if text is not None:
            checks.check_text("text", text)
        checks.check_fields(kind, attribute, value)
        async with self._lock(owner):
            old = await self.get(owner, memory_id)
            attribute = attribute or old.attribute
            if value is None:
                value = old.value if text in (None, old.text) else _stated(text or "", attribute)
            memory = replace(
                old,
                text=text or old.text,
                kind=kind or old.kind,
                attribute=attribute,
                value=value,
                updated_at=self._clock(),
            )
            await self._save([memory])
        return memory

    async def delete(self, owner: Owner, memory_id: str) -> None:
        """Remove the memory for good. Raises NotFound."""
        async with self._lock(owner):
            if owner.is_anonymous or not await self._repository.delete(owner, memory_id):
                raise NotFound("memory", memory_id)

    async def search(self, owner: Owner, query: str, *, limit: int = 5) -> list[MemoryHit]:
        """The owner's memories nearest to the query, best first, in whatever language either is.

        Memories that have no vector yet get one first, a bounded number at a time. Raises InvalidInput.
        """
        checks.check_text("query", query)
        checks.check_limit(limit, checks.MOST_IN_SEARCH)
        return [] if owner.is_anonymous else [*await self._search(owner, query, limit)]

    async def recall(self, owner: Owner, text: str, *, limit: int = 8) -> list[Memory]:
        """What a prompt that answers `text` should carry, at most `limit` memories.

        These are the memories nearest to the text, and the profile: the latest of each single-valued attribute.
        `text` may have any length, and may be empty. Raises InvalidInput.
        """
        checks.check_unicode("text", text.replace("\0", " "))
        checks.check_limit(limit, checks.MOST_IN_SEARCH)
        if owner.is_anonymous:
            return []
        cue = " ".join(text[:_LONGEST_CUE].replace("\0", " ").split())
        hits: Sequence[MemoryHit] = await self._search(owner, cue, limit) if cue else []
        return merge(await self._repository.latest(owner, SINGLE_VALUED), [hit.memory for hit in hits], limit)

    async def list(self, owner: Owner, query: MemoryQuery | None = None) -> list[Memory]:
        """The owner's memories, the latest first; see MemoryQuery. Raises InvalidInput."""
        query = query or MemoryQuery()
        _check_query(query)
        return [] if owner.is_anonymous else await self._repository.select(owner, query)

    async def flush(self) -> None:
        """Wait for work in the background. There is none yet: every method is done when it returns."""

    async def warm_up(self) -> None:
        """Load what the first message would wait for: the detectors' patterns and the embedding model."""
        await asyncio.to_thread(_facts, _WARM_UP)
        await self._vectors.of([_WARM_UP])

    async def _search(self, owner: Owner, query: str, limit: int) -> Sequence[MemoryHit]:
        embeddings = await self._vectors.of([query])
        if embeddings:
            await self._catch_up(owner)
        return await self._repository.search(owner, query, embeddings[0] if embeddings else None, limit)

    async def _catch_up(self, owner: Owner) -> None:
        """Give vectors to memories that were saved while the model failed, or with another model."""
        model = self._vectors.model or ""
        if not await self._repository.unembedded(owner, model, 1):
            return
        async with self._lock(owner):
            await self._save(await self._repository.unembedded(owner, model, _CATCH_UP), only_with_vectors=True)

    async def _knows(self, owner: Owner, fact: Fact) -> bool:
        """Whether saving the fact would change nothing.

        Of a single-valued attribute only the latest value counts, so that going back to an old value is news.
        """
        single = fact.attribute in SINGLE_VALUED
        before: str | None = None
        while True:
            query = MemoryQuery(attribute=fact.attribute, limit=1 if single else _PAGE, before=before)
            page = await self._repository.select(owner, query)
            if any(same_value(memory.value, fact.value) for memory in page):
                return True
            if single or len(page) < _PAGE:
                return False
            before = page[-1].id

    async def _save(self, memories: Sequence[Memory], *, only_with_vectors: bool = False) -> None:
        embeddings = await self._vectors.of([memory.text for memory in memories])
        if embeddings is None and only_with_vectors:
            return
        for index, memory in enumerate(memories):
            await self._repository.save(memory, embeddings[index] if embeddings else None)

    def _from_fact(self, owner: Owner, fact: Fact, source: Source) -> Memory:
        return self._new(owner, fact.text, kind="semantic", attribute=fact.attribute, value=fact.value, source=source)

    def _new(
        self, owner: Owner, text: str, *, kind: Kind, attribute: Attribute | None, value: str | None, source: Source
    ) -> Memory:
        now = self._clock()
        return Memory(
            id=new_id(),
            owner=owner,
            text=text,
            kind=kind,
            attribute=attribute,
            value=value,
            source=source,
            created_at=now,
            updated_at=now,
        )

    def _lock(self, owner: Owner) -> asyncio.Lock:
        """One writer at a time for each owner: what is looked at must still hold when it is saved."""
        return self._locks.setdefault(owner, asyncio.Lock())


def _stated(text: str, attribute: Attribute | None) -> str | None:
    return next((fact.value for fact in _facts(text) if fact.attribute == attribute), None)


def _facts(text: str) -> list[Fact]:
    from recuerdo.memories.extract import extract  # the words of three languages, for those who remember

    return extract(text)


def _check_query(query: MemoryQuery) -> None:
    checks.check_limit(query.limit, checks.MOST_IN_LIST)
    checks.check_kind(query.kind)
    checks.check_attribute(query.attribute)
    if query.before is not None:
        check_id("before", query.before)
