"""The memories service: each user's memories, over any repository and any embedding model."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from recuerdo.core.checks import check_text, check_time, check_whole
from recuerdo.core.errors import InvalidInput, NotFound
from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import (
    Attribute,
    Kind,
    Memory,
    MemoryChange,
    MemoryEntry,
    MemoryHit,
    MemoryQuery,
    Review,
    Source,
)
from recuerdo.core.ports import Clock, Embedder, HistoryRepository, MemoryRepository
from recuerdo.core.retention import Lifetime, RetentionPolicy
from recuerdo.core.scope import Owner, TenantOwner
from recuerdo.memories import checks
from recuerdo.memories.changes import Beginning, MemoryChanges
from recuerdo.memories.entities import EntityGraph, entities_of
from recuerdo.memories.erase import Eraser, ErasureReceipt, Progress, withdraw
from recuerdo.memories.extract import listen, listen_and_note
from recuerdo.memories.extraction import cross_encoder, gate
from recuerdo.memories.extraction.context import Heard, Hint
from recuerdo.memories.extraction.statements import told_in
from recuerdo.memories.forgetting import ToldMessage, chosen_to_forget, named_words, without_forgotten
from recuerdo.memories.listing import all_of, holding
from recuerdo.memories.locales.joined import TAGGED
from recuerdo.memories.maintenance.audit import Audit, audit
from recuerdo.memories.maintenance.expire import Expiry
from recuerdo.memories.maintenance.summarise import OpenModel, Summaries
from recuerdo.memories.remember import Extraction, Remembered, Remembering, Said
from recuerdo.memories.review import Reviews
from recuerdo.memories.search import (
    MemorySearch,
    MemoryVectors,
    Recollection,
    asks_about_past,
    asks_for_everything,
    merge,
)
from recuerdo.memories.secrets import check_no_secret
from recuerdo.memories.slots import SINGLE_VALUED
from recuerdo.memories.transfer import Note, memory_lines, save_lines
from recuerdo.memories.understand import BETWEEN_SENTENCES, with_antecedents, without_pronoun

BY_HAND = Source()

_LONG = 1000
"""Characters of a text in which an order to forget is looked for."""

_WARM_UP = "Hola, me llamo Ana. I live in Lima."
_LONGEST_CUE = 2_000
_MOST_ALIKE = 5


class Memories:
    """Long-term memories of all users. Each call names the owner; anonymous users have no memories.

    Memories are found by the vectors of `embedder` and by words; without an embedder, or while it fails, by words
    alone. Raises DatabaseUnavailable whenever the repository does.
    """

    def __init__(
        self,
        repository: MemoryRepository,
        embedder: Embedder | None,
        clock: Clock,
        eraser: Eraser | None = None,
        policy: RetentionPolicy | None = None,
        *,
        keep_secrets: bool = False,
    ) -> None:
        self._repository = repository
        self._keep_secrets = keep_secrets
        self._vectors = MemoryVectors(repository, embedder)
        self._clock = clock
        self._search = MemorySearch(repository, self._vectors)
        self._changes = MemoryChanges(repository, clock, self._search.changed, keep_secrets=keep_secrets)
        self.begin = self._changes.begin
        self.presumed = self._changes.presumed
        self.check = self._changes.check
        self._reviews = Reviews(repository, self._changes)
        self.eraser = eraser or Eraser(repository, clock)
        self.expiry = Expiry(repository, self._changes, clock, policy)
        self._remembering = Remembering(repository, self._changes, self._reviews, self.expiry, clock)

    async def remember(
        self,
        owner: Owner,
        text: str,
        source: Source = BY_HAND,
        *,
        question: str | None = None,
        ttl: timedelta | None = None,
        beginning: Beginning | None = None,
        said_at: datetime | None = None,
        earlier: Sequence[ToldMessage] = (),
    ) -> Remembered:
        """Extract the facts that the user states in `text`, and reconcile them with what is known.

        `question` is what the assistant said before: `en Lima` is a fact after `¿Dónde vives?`. Corrections,
        endings and requests to forget are matched against all memories that hold, and a request to forget against the
        `earlier` messages too, which no prompt shows any more if it means them. The sentences that told the memories
        are taken from these messages as well. A message that says that something still holds brings back what
        the one before it ended, except people and animals.

        A sentence that tells something else worth remembering becomes a note, in the user's words.

        Returns the memories that are new or say more than before. A fact that is known is not saved again; one that
        contradicts an older memory ends it, and so does a denial (`ya no trabajo en X`). `text` may have any length.
        Text by the assistant or the system (`source.author`) gives no facts; text from a `tool`, the `web` or a
        `document`, or that reads like an order to the assistant, waits in quarantine for `approve`. New memories
        expire after `ttl`, or after the term of their kind. With `said_at`, facts hold from that time on; they end no
        memory that began later, and requests to forget are ignored. Raises InvalidInput for broken Unicode, UserErased
        when the owner was erased since the `beginning`, which is now unless it is given.
        """
        checks.check_heard(text)
        checks.check_source(source)
        if owner.is_anonymous or source.author in gate.NEVER:
            return Remembered()
        beginning = beginning or await self._changes.begin(owner)
        if said_at is not None:
            check_time("said_at", said_at)
        if source.seq is not None and TAGGED.pronoun.match(text):
            family = await holding(self._repository, owner, ["family", "relative"], self._clock())
            text = without_pronoun(text, family, source, earlier)
        if BETWEEN_SENTENCES.search(text):
            text = with_antecedents(text)
        heard, told = await asyncio.to_thread(listen_and_note, text, question), told_in(text)
        if question and "«" in question and said_at is None and source.author not in gate.UNTRUSTED:
            chosen = [Hint("forgets", each, each, whole=True) for each in chosen_to_forget(text, question)]
            heard = heard._replace(hints=[*heard.hints, *chosen])
        if not (told or any(heard)):
            return Remembered()  # a question, which asks to forget nothing either
        source = replace(source, extractor="detectors")
        forget = None if source.author in gate.UNTRUSTED else named_words(text[:_LONG])
        heard = without_forgotten(heard, text[:_LONG])
        if said_at is not None:
            forget = None
            heard = heard._replace(denials=[each for each in heard.denials if each.attribute])
        doubt = partial(gate.doubt, author=source.author)
        said = Said(said_at, beginning.state) if said_at is not None else None
        message = "" if said or source.author in gate.UNTRUSTED else told
        extraction = Extraction(
            owner, heard, source, doubt, beginning, ttl, said, forget=forget, message=message, earlier=earlier
        )
        remembered = await self._remembering(extraction)
        self._vectors.embed_later(remembered)
        return remembered

    async def learn(self, owner: Owner, text: str, heard: Heard, source: Source, said: Said) -> list[Memory]:
        """Reconcile what a model has heard in the user's `text`, which was said earlier, with what is known by now.

        It passes the same gate, and where the whole text reads like an order all of it waits in quarantine. It ends
        no memory that began since, and brings nothing back that the user has taken back since. Raises
        UserErased when the memories were erased since then.
        """
        if owner.is_anonymous or source.author in gate.NEVER:
            return []
        beginning = Beginning(self._changes.erasures(owner), said.state)
        doubt = partial(gate.doubt, author=source.author, said=text)
        learned = await self._remembering(Extraction(owner, heard, source, doubt, beginning, said=said, hearsay=True))
        return self._vectors.embed_later(learned)

    async def propose(
        self, tenant: TenantOwner, text: str, *, by: str, kind: Kind = "semantic", ttl: timedelta | None = None
    ) -> Memory:
        """Propose a memory that all users of the tenant would share; it waits until a reviewer approves it.

        `by` is the user who proposes it. Raises InvalidInput, and Conflict when too many of theirs wait already.
        """
        _check_named(Owner(tenant.tenant, by))
        checks.check_memory_text("text", text)
        self._check_secrets(text, None)
        checks.check_fields(kind, None, None)
        now = self._clock()
        memory = self._new(tenant, text, now, self.expiry.lifetime(kind, now, ttl), kind=kind, source=Source(by=by))
        [memory] = self._vectors.embed_later([await self._reviews.propose(memory)])
        return memory

    async def approve(self, owner: Owner, memory_id: str, *, by: str, reason: str | None = None) -> Memory:
        """Approve a waiting memory; memories that it contradicts end. Raises NotFound or InvalidInput."""
        checks.check_review(by, reason)
        return await self._reviews.decide(owner, memory_id, "approved", Review(by, self._clock(), reason))

    async def reject(self, owner: Owner, memory_id: str, *, by: str, reason: str | None = None) -> Memory:
        """Keep a memory from being used, and keep the decision. Raises NotFound or InvalidInput."""
        checks.check_review(by, reason)
        return await self._reviews.decide(owner, memory_id, "rejected", Review(by, self._clock(), reason))

    def export(self, owner: Owner, note: Note | None = None) -> AsyncGenerator[bytes]:
        """All of the owner's memories as JSON lines: those that hold, those that held, and those that wait.

        A damaged one does not keep the others from being exported: Damaged is raised after the last line, or `note`
        is called with the damage of each.
        """
        return memory_lines(self._repository, owner, note)

    async def import_lines(self, owner: Owner, lines: AsyncIterable[bytes]) -> int:
        """Save the memories of an export as this owner's; existing ones stay. Returns how many were saved.

        Raises InvalidInput that names the line which is not a memory, and for the anonymous user.
        """
        _check_named(owner)
        return await save_lines(self._repository, self._changes, owner, lines)

    async def erase(self, owner: Owner, report: Progress | None = None) -> ErasureReceipt:
        """Erase the owner's memories, vectors and changes, and their threads where this service has them.

        The receipt says what was removed, and whether a check afterwards found nothing. Writes that began before
        can't bring anything back. `report` is called with the numbers so far.
        """
        await self._vectors.flush()
        self._changes.erasing(owner)
        receipt = await self.eraser.erase(owner, {"shared": partial(withdraw, self._repository, self._changes)}, report)
        self._changes.erasing(owner)
        self._search.forget(owner)
        return receipt

    async def audit(self, owner: Owner) -> Audit:
        """Report junk among the memories that hold: duplicates, contradictions, vacuous or foreign words."""
        query = MemoryQuery(holding_at=self._clock())
        return await asyncio.to_thread(audit, await all_of(self._repository, owner, query))

    async def add(
        self,
        owner: Owner,
        text: str,
        *,
        kind: Kind = "semantic",
        attribute: Attribute | None = None,
        value: str | None = None,
        source: Source = BY_HAND,
        ttl: timedelta | None = None,
        expires_at: datetime | None = None,
    ) -> Memory:
        """Save one memory, reconciled with the others, as the chat does it.

        Without an `attribute` the memory gets the one that its text states, and what else the text states or takes back
        counts, too. A memory that is already known is returned as it is. The memory expires at `expires_at` or after
        `ttl`, or without both after the term of its kind; never after a `ttl` of 0. Raises InvalidInput, for the
        anonymous user too.
        """
        _check_named(owner)
        checks.check_memory_text("text", text)
        checks.check_fields(kind, attribute, value)
        self._check_secrets(text, value)
        checks.check_source(source)
        now = self._clock()
        life = self.expiry.lifetime(kind, now, ttl, expires_at)
        fields: dict[str, Any] = {"kind": kind, "attribute": attribute, "value": value, "source": source}
        memory = self._new(owner, text, now, life, **fields)
        timed = ttl is not None or expires_at is not None
        kept, new = await self._remembering.add(memory, await self._changes.begin(owner), self._alike, timed=timed)
        self._vectors.embed_later(new)
        return kept

    async def get(self, owner: Owner, memory_id: str) -> Memory:
        """The owner's memory. Raises NotFound, or InvalidInput for no text."""
        if not isinstance(memory_id, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("memory_id", "must be the id of a memory, which is a text")
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
        ttl: timedelta | None = None,
        expires_at: datetime | None = None,
        pinned: bool | None = None,
    ) -> Memory:
        """Change the given fields and keep the rest. A `ttl` begins now, and one of 0 means for ever.

        A memory that is `pinned` stands in every prompt, and expires only if the same call says when. A new text
        without a value takes the value that it states for the attribute, or has none: an old value must not outlive
        the words that it came from. Raises NotFound or InvalidInput.
        """
        if text is not None:
            checks.check_memory_text("text", text)
        checks.check_fields(kind, attribute, value)
        self._check_secrets(text, value)
        given = {"text": text, "kind": kind, "attribute": attribute, "value": value, "pinned": pinned}
        if pinned and expires_at is None:
            ttl = ttl or timedelta(0)

        async def decide() -> list[MemoryEntry]:
            old = await self.get(owner, memory_id)
            now = self._clock()
            kept = old
            if ttl is not None or expires_at is not None:
                kept = replace(old, **self.expiry.lifetime(kind or old.kind, now, ttl, expires_at)._asdict())
            new = await asyncio.to_thread(_updated, kept, given, now)
            return [] if replace(new, updated_at=old.updated_at) == old else [MemoryEntry(old, new)]

        entries = await self._changes.make(owner, "updated", decide)
        self._vectors.embed_later([entry.after for entry in entries if entry.after])
        return (entries[0].after if entries else None) or await self.get(owner, memory_id)

    async def delete(self, owner: Owner, memory_id: str) -> None:
        """Remove the memory for good, and what the changes tell of it: this can't be undone. Raises NotFound."""

        async def decide() -> list[MemoryEntry]:
            return [MemoryEntry(await self.get(owner, memory_id), None)]

        await self._changes.make(owner, "deleted", decide)

    async def undo(self, owner: Owner, memory_id: str | None = None) -> MemoryChange:
        """Take back the latest change, or the latest that touched the memory: all is exactly as before it.

        Returns the change that was taken back. Raises NotFound when there is none, and Conflict when its memories
        were changed since by another change, which has to be undone first.
        """
        return await self._changes.undo(owner, memory_id)

    async def history(
        self, owner: Owner, memory_id: str | None = None, *, limit: int = 50, before: int | None = None
    ) -> list[MemoryChange]:
        """List the changes of the owner's memories, or of one of them, the latest first. Raises InvalidInput.

        `before` is the version of the last change of the page before.
        """
        check_whole("limit", limit, 1, checks.MOST_IN_LIST)
        if before is not None:
            check_whole("before", before, 0, checks.LATEST_VERSION, "must be the version of a change")
        if owner.is_anonymous:
            return []
        return await self._repository.changes(owner, limit, memory_id=memory_id, before=before)

    async def as_of(self, owner: Owner, at: datetime, query: MemoryQuery | None = None) -> list[Memory]:
        """The memories that held at that time, the latest first. Raises InvalidInput for a naive time."""
        check_time("at", at)
        return await self.list(owner, replace(query or MemoryQuery(), holding_at=at))

    async def search(
        self,
        owner: Owner,
        query: str,
        *,
        limit: int = 5,
        kind: Kind | None = None,
        attribute: Attribute | None = None,
        thread: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        as_of: datetime | None = None,
    ) -> list[MemoryHit]:
        """The owner's memories, and their tenant's, nearest to the query, best first, in whatever language they are.

        Those that hold now, or that held `as_of` a time; with filters only those that `list` would give. Memories that
        have no vector yet get one first, a bounded number at a time. Raises InvalidInput.
        """
        check_text("query", query, checks.LONGEST_TEXT, may_have_nul=False)
        wanted = MemoryQuery(
            limit=limit, kind=kind, attribute=attribute, thread=thread, since=since, until=until, holding_at=as_of
        )
        wanted.check(checks.MOST_IN_SEARCH)
        if owner.is_anonymous:
            return []
        if as_of is None:
            wanted = replace(wanted, holding_at=self._clock())
        hits = await self._search.with_bridges(owner, query, wanted)
        if any(map(attrgetter("memory.refresh"), hits)):
            self.expiry.used([hit.memory for hit in hits])
        return hits

    async def recall(
        self, owner: Owner, text: str, *, limit: int = 8, beginning: Beginning | None = None
    ) -> list[Memory]:
        """Return the memories for a prompt that answers `text`, at most `limit`, as of the `beginning` or later.

        These are pinned memories and instructions how to answer, the memories nearest to the text, the tenant's too,
        and the profile: the latest of each single-valued attribute. `text` may have any length, and may be empty.
        Raises InvalidInput.
        """
        return (await self.recall_all(owner, text, limit=limit, beginning=beginning)).memories

    async def recall_all(
        self,
        owner: Owner,
        text: str,
        *,
        limit: int = 8,
        limit_of_all: int | None = None,
        beginning: Beginning | None = None,
    ) -> Recollection:
        """Return the recalled memories, former ones if the text asks about the past, and everything forgotten.

        A text that asks for all that is known may have another limit.
        """
        checks.check_heard(text)
        check_whole("limit", limit, 1, checks.MOST_IN_SEARCH)
        if owner.is_anonymous:
            return Recollection([])
        cue = " ".join(text[:_LONGEST_CUE].replace("\0", " ").split())
        asks_for_all = bool(cue) and asks_for_everything(cue)
        if asks_for_all and limit_of_all is not None:
            limit = limit_of_all
        now = self._clock()
        known, wanted = {owner: beginning.state} if beginning else {}, MemoryQuery(limit=limit, holding_at=now)
        hits = await self._search.with_bridges(owner, cue, wanted, known) if cue else ()
        profile = await self._repository.latest(owner, SINGLE_VALUED, now)
        standing, ended = self._search.standing(owner, now)
        found: list[Memory] = []
        scores: dict[str, float] = {}
        for hit in hits:
            found.append(hit.memory)
            scores[hit.memory.id] = round(hit.score, 3)
        if asks_for_all:
            found += await self._repository.select(owner, replace(wanted, limit=checks.MOST_IN_LIST))
            found.sort(key=lambda each: each.attribute is None)  # there are many notes, and few facts
        recalled = Recollection(merge(profile, found, limit, standing), scores=scores)
        if ended:
            recalled = recalled.without(ended)
        if any(map(attrgetter("refresh"), recalled.memories)):
            self.expiry.used(recalled.memories)
        if cue and asks_about_past(cue):
            ever = MemoryQuery(limit=checks.MOST_IN_SEARCH, status="approved")
            hits = await self._search.search([owner], cue, ever, known)
            return recalled.and_former([hit.memory for hit in hits], now)
        return recalled

    async def entities(self, owner: Owner) -> EntityGraph:
        """The people, places, employers and things of the owner's memories, and their relations with their times."""
        if owner.is_anonymous:
            return EntityGraph([], [])
        return entities_of(await all_of(self._repository, owner, MemoryQuery(status="approved")))

    async def list(self, owner: Owner, query: MemoryQuery | None = None) -> list[Memory]:
        """The owner's memories that hold now, the latest first; see MemoryQuery. Raises InvalidInput.

        With a `status` or a time in the query, those of that status or time.
        """
        query = query or MemoryQuery()
        query.check(checks.MOST_IN_LIST)
        if query.holding_at is None and query.status is None:
            query = replace(query, holding_at=self._clock())
        return [] if owner.is_anonymous else await self._repository.select(owner, query)

    def summaries(self, messages: HistoryRepository, model: OpenModel | None) -> Summaries:
        """The summaries of these messages' threads, as memories of their owners."""
        return Summaries(self._repository, self._changes, self.expiry, messages, self._clock, model)

    async def flush(self) -> None:
        """Wait for work in the background: the vectors of saved memories, and the expiries of used ones."""
        await self._vectors.flush()
        await self.expiry.flush()

    async def load_detectors(self) -> None:
        """Compile the patterns, and read the networks, that the first message would wait for."""
        await asyncio.to_thread(listen, _WARM_UP)
        await asyncio.to_thread(cross_encoder.load)

    async def load_embedder(self) -> None:
        """Load the embedding model, which the first search would wait for."""
        await self._vectors.of([_WARM_UP])

    async def _alike(self, memory: Memory) -> Sequence[Memory]:
        """Memories of the owner that hold and have most words of this one."""
        wanted = MemoryQuery(limit=_MOST_ALIKE, holding_at=self._clock(), kind=memory.kind)
        hits = await self._search.search([memory.owner], memory.text, wanted, by_words=True)
        return [hit.memory for hit in hits]

    def _check_secrets(self, text: str | None, value: str | None) -> None:
        if not self._keep_secrets:
            check_no_secret("text", text)
            check_no_secret("value", value)

    def _new(self, owner: Owner, text: str, now: datetime, life: Lifetime, **fields: Any) -> Memory:
        return Memory(id=new_id(), owner=owner, text=text, created_at=now, updated_at=now, **life._asdict(), **fields)


def _check_named(owner: Owner) -> None:
    if owner.is_anonymous:
        raise InvalidInput("user", "the anonymous user has no long-term memory; say who the user is")


def _updated(old: Memory, given: dict[str, Any], now: datetime) -> Memory:
    """The memory with the given fields. An old value must not outlive the words that it came from."""
    given = {name: value for name, value in given.items() if value is not None}
    text = given.get("text", old.text)
    if text != old.text and "value" not in given:
        attribute = given.get("attribute", old.attribute)
        given["value"] = next((fact.value for fact in listen(text).facts if fact.attribute == attribute), None)
    return replace(old, **given, updated_at=now)
