"""From extracted facts to memories: through the quality gate, and reconciled with the others."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from recuerdo.core.identifiers import new_id
from recuerdo.core.memories import (
    Action,
    Attribute,
    Denial,
    Ending,
    Fact,
    Kind,
    LedgerState,
    Memory,
    MemoryEntry,
    MemoryQuery,
    Source,
)
from recuerdo.core.ports import Clock, MemoryRepository
from recuerdo.core.scope import Owner
from recuerdo.memories.changes import Beginning, MemoryChanges
from recuerdo.memories.contradictions import contradicted, meant, messages_meant, orders_to_forget, rest_of
from recuerdo.memories.corrections import has_another_value, has_denied_value, restated, updated
from recuerdo.memories.extract import listen
from recuerdo.memories.extraction import gate
from recuerdo.memories.extraction.context import Heard
from recuerdo.memories.forgetting import ToldMessage, forgetting_denials, forgotten_by, forms_of_all, may_ask_to_forget
from recuerdo.memories.likeness import forms_of, near, same, telling_words
from recuerdo.memories.listing import all_of, holding
from recuerdo.memories.maintenance.expire import Expiry
from recuerdo.memories.people import ended_marriages, names_of_relatives, outgrown, told_of_the_dead
from recuerdo.memories.reconcile import EVERYTHING, MESSAGE, Reconciliation, are_rivals, concerned
from recuerdo.memories.replacing import keeps
from recuerdo.memories.restoring import goes_on, still_holding
from recuerdo.memories.review import Reviews
from recuerdo.memories.slots import OF_PEOPLE
from recuerdo.memories.understand import ResolvedHints, beside, mentioned, understand, was_said_lately, with_names

_MOST_COMPARED = 300
"""Memories, the latest, among which those are looked for that a message ends."""

_HEARSAY = 0.8
"""The trust in statements that a model extracted from the user's words."""

_TAKEN_BACK: tuple[Action, ...] = ("deleted", "expired", "undone")


class Said(NamedTuple):
    """When a message that is processed late was sent, and the state of the user's memories at that time."""

    at: datetime
    state: LedgerState


class Remembered(list[Memory]):
    """The memories that are new or more detailed than before, and those that have `ended` or are `waiting` for review.

    `asked` are memories that an ambiguous request to forget may mean: none was forgotten, and the user has to choose.
    `forgot` says that a request to forget has found a memory or a message.
    """

    def __init__(
        self,
        memories: Iterable[Memory] = (),
        ended: Sequence[Memory] = (),
        asked: Sequence[Memory] = (),
        waiting: Sequence[Memory] = (),
        *,
        forgot: bool = False,
    ) -> None:
        super().__init__(memories)
        self.ended = ended
        self.asked = asked
        self.waiting = waiting
        self.forgot = forgot


def _changes_trusted(entries: Sequence[MemoryEntry]) -> bool:
    """Whether hearsay would change a memory of higher trust."""
    return any(entry.before and entry.before.trust > _HEARSAY for entry in entries)


def _has_forgotten(gone: Sequence[Memory], earlier: Sequence[ToldMessage]) -> bool:
    """Whether what an order to forget has changed was a memory, or hides one of the earlier messages."""
    orders = [each for memory in gone if (each := forgotten_by(memory))]
    return any(memory.valid_from != memory.valid_until for memory in gone) or any(
        order.everything or order.hides(told.text, None, told.source.place) for order in orders for told in earlier
    )


class Extraction(NamedTuple):
    """The statements of an owner, and their source. `doubt` says why a fact has to wait for approval, or None.

    The user's memories may not have been erased since the `beginning`. A statement that was `said` earlier never
    ends a memory that began since. `hearsay` is what a model has read out of the user's words. `forget` is what the
    user asks to forget in words of their own. `message` is compared with what is held, unless it is empty, and an order
    to forget with their `earlier` messages, which also have the sentences that told the memories.
    """

    owner: Owner
    heard: Heard
    source: Source
    doubt: Callable[[Fact], str | None]
    beginning: Beginning
    ttl: timedelta | None = None
    said: Said | None = None
    hearsay: bool = False
    forget: str | None = None
    message: str = ""
    earlier: Sequence[ToldMessage] = ()


class Remembering:
    """Saves the facts that were extracted."""

    def __init__(
        self, repository: MemoryRepository, changes: MemoryChanges, reviews: Reviews, expiry: Expiry, clock: Clock
    ) -> None:
        self._repository = repository
        self._changes = changes
        self._reviews = reviews
        self._expiry = expiry
        self._clock = clock

    async def __call__(self, extraction: Extraction) -> Remembered:
        """Save the facts, and quarantine those that need approval; returns the memories that are new or more detailed.

        Nothing from an earlier message is saved when the user has taken something back since. Raises Conflict when
        the memories were erased since the beginning.
        """
        owner = extraction.owner
        admitted, refused = await self._admitted(extraction)
        extraction, admitted, gone = await self._as_order(extraction, admitted)
        over = await self._contradicted(extraction, admitted)
        admitted = await self._with_restored(extraction, admitted)
        if not (any(admitted) or extraction.forget or over):
            return Remembered(waiting=refused)
        orders = forgetting_denials(admitted.denials, extraction.forget)
        resolved = ResolvedHints.empty()
        waiting: list[Memory] = []
        as_before: list[str] = []

        async def decide() -> list[MemoryEntry]:
            nonlocal resolved, as_before
            if extraction.said and await self._took_back(owner, extraction.said.state):
                return []
            now = self._clock()
            heard, resolved = await self._understood(extraction, admitted, over, now)
            if any(fact.attribute == "relative" for fact in heard.facts):
                family = await holding(self._repository, owner, ["family"], now)
                heard = heard._replace(facts=with_names(heard.facts, family))
            held = await self._concerned(owner, heard, now)
            # Later than now are memories made when this clock, or another replica's, was ahead.
            since = await self._begun_since(owner, extraction.said.at if extraction.said else now)
            found = (*held, *since, *resolved.ended, *resolved.forgotten)
            known = [*{memory.id: memory for memory in found}.values()]

            def make(fact: Fact) -> Memory:
                return self._from_fact(extraction, now, fact)

            said_at = extraction.said.at if extraction.said else None
            if extraction.hearsay:
                heard, waiting[:] = self._cautious(extraction, heard, known, make)
            else:
                still = [each for each in known if each.ending is None]
                heard = heard._replace(facts=[each for each in heard.facts if not keeps(each, still, heard.facts)])
            reconciliation = Reconciliation(known, now, extraction.source, said_at)
            reconciliation.end(resolved.ended, "denied")
            reconciliation.end(resolved.forgotten, "forgotten")
            for denial in heard.denials:
                reconciliation.deny(denial, "forgotten" if denial in orders else "denied")
            for fact in heard.facts:
                reconciliation.state(fact, make)
            await self._add_notes(reconciliation, extraction, heard.notes, now)
            told = () if resolved.unclear else gone
            as_before = await self._shorten(reconciliation, extraction, heard.notes, told, now)
            records = [] if resolved.unclear else self._forgetting_records(extraction, orders, gone, now)
            return [*reconciliation.entries, *records]

        entries = await self._changes.make(owner, "remembered", decide, beginning=extraction.beginning)
        if waiting:
            await self._reviews.quarantine(owner, waiting, extraction.beginning)
        changed = [entry.after for entry in entries if entry.after and entry.memory_id not in as_before]
        # A record of forgetting never held.
        ended = [each for each in changed if each.ending and each.valid_from != each.valid_until]
        kept = [each for each in changed if each.ending is None]
        forgotten = [each for each in changed if each.ending and each.ending.reason == "forgotten"]
        forgot = bool(forgotten) and not resolved.unclear and _has_forgotten(forgotten, extraction.earlier)
        return Remembered(kept, ended, resolved.unclear, [*refused, *waiting], forgot=forgot)

    async def add(
        self,
        given: Memory,
        beginning: Beginning,
        alike: Callable[[Memory], Awaitable[Sequence[Memory]]],
        *,
        timed: bool,
    ) -> tuple[Memory, list[Memory]]:
        """Take in a memory that is given, with what else its text states and takes back.

        Returns it as it is kept, or as it is known already, and all that is new. One that is `timed` gives what is
        known its own expiry.
        """
        owner, source = given.owner, given.source
        memory, heard = await asyncio.to_thread(_stated, given)
        memory = _timed(memory)
        extraction = Extraction(owner, heard, source, _beyond_doubt, beginning)
        orders = forgetting_denials(heard.denials, None)
        kept = memory

        async def decide() -> list[MemoryEntry]:
            nonlocal kept
            now = self._clock()
            known = await self._concerned(owner, heard, now)
            if memory.value is not None:
                own = await holding(self._repository, owner, concerned([memory.attribute]), now)
                known = [*{each.id: each for each in (*known, *own)}.values()]
            reconciliation = Reconciliation(known, now, source)
            for denial in heard.denials:
                reconciliation.deny(denial, "forgotten" if denial in orders else "denied")
            kept = reconciliation.add(memory, () if memory.value else await alike(memory), timed=timed)
            for fact in heard.facts:
                reconciliation.state(fact, partial(self._from_fact, extraction, now))
            entries = reconciliation.entries
            if timed and kept.id != memory.id and not any(entry.memory_id == kept.id for entry in entries):
                known_before, kept = kept, replace(kept, expires_at=memory.expires_at, refresh=memory.refresh)
                entries.append(MemoryEntry(known_before, kept))
            return entries

        entries = await self._changes.make(owner, "added", decide, beginning=beginning)
        return kept, [entry.after for entry in entries if entry.after and entry.after.ending is None]

    async def _as_order(self, extraction: Extraction, heard: Heard) -> tuple[Extraction, Heard, Sequence[ToldMessage]]:
        """The extraction and its statements, and the earlier messages that it asks to forget.

        An order in words that only the network knows states nothing.
        """
        message, is_order = extraction.message, _is_order(extraction)
        if message and not is_order and may_ask_to_forget(message):
            texts = [each.text for each in await self._latest(extraction.owner, self._clock())]
            texts += [each.text for each in extraction.earlier]
            is_order = await asyncio.to_thread(orders_to_forget, message, texts)
            if is_order:
                heard = Heard([], [], [])
                extraction = extraction._replace(heard=heard, forget=message)
        if is_order:
            heard = heard._replace(notes=())
        earlier = extraction.earlier if message and is_order else ()
        return extraction, heard, await asyncio.to_thread(messages_meant, message, earlier) if earlier else ()

    async def _contradicted(self, extraction: Extraction, heard: Heard) -> set[str]:
        """The ids of the memories that no longer hold after the message, whatever words it has for that.

        Memories that it states again do not end, nor what else their sentence told (`I work at Acme as a cook`) when it
        tells another value of one of them. A correction is of what was said last.
        """
        if not extraction.message or extraction.forget:
            return set()
        held = await self._latest(extraction.owner, self._clock())
        people = names_of_relatives([*held, *heard.facts])
        mentions = [
            fact for hint in heard.hints if hint.how == "mentions" for fact in mentioned(hint, held, heard.facts)
        ]
        again = [*heard.facts, *mentions, *heard.denials]
        told: set[Attribute] = {one.attribute for one in again if one.attribute}
        kept = {each.attribute for each in heard.facts if keeps(each, held, heard.facts)}
        told |= {attribute for hint in heard.hints if hint.how == "moves" for attribute in hint.attributes}
        told -= kept
        values = [each.value for each in held]
        denied = [each for each in heard.denials if each.value]  # `I don't live in Leeds` ends no other town
        unheld = [one for one in denied if not any(same(one.attribute, one.value, each) for each in values)]
        kept |= {each.attribute for each in unheld if each.attribute}
        held = [each for each in held if each.attribute not in kept]
        held = [each for each in held if each.attribute or not any(near(each.text, note) for note in heard.notes)]
        changed = [each.text for each in held if each.attribute in told]
        held = [
            each
            for each in held
            if not any(same(each.attribute, each.value, one.value) for one in again)
            and (each.attribute in told or not any(text in each.text or each.text in text for text in changed))
        ]
        corrects = _corrects(heard)
        if corrects:
            held = [
                each
                for each in held
                if was_said_lately(each, extraction.source) or has_denied_value(each, extraction.message)
            ]
        found = await asyncio.to_thread(
            contradicted,
            extraction.message,
            held,
            extraction.source,
            told,
            people,
            extraction.earlier,
            corrects=corrects,
        )
        # The reconciliation ends what a new value replaces, and says which value that is.
        found = [each for each in found if not any(are_rivals(each, fact) for fact in heard.facts)]
        older = outgrown(heard.facts, held, people) if "relative" in told else []
        return {each.id for each in (*found, *older)}

    async def _with_restored(self, extraction: Extraction, heard: Heard) -> Heard:
        """The statements, and the memories that the message before has ended and that still hold, as this one says."""
        if not goes_on(extraction.message):
            return heard
        known = await all_of(self._repository, extraction.owner, MemoryQuery(status="approved"))
        still = still_holding(extraction.message, known, extraction.source)
        facts = [Fact(each.attribute, each.value, each.text) for each in still if each.attribute and each.value]
        notes = [each.text for each in still if not each.attribute]
        return heard._replace(facts=[*heard.facts, *facts], notes=[*heard.notes, *notes])

    async def _understood(
        self, extraction: Extraction, admitted: Heard, over: Collection[str], now: datetime
    ) -> tuple[Heard, ResolvedHints]:
        """Return the statements with the meaning of their hints, and what these and the network end or forget."""
        heard, understood = admitted, ResolvedHints.empty()
        older: list[Memory] = []
        held: Sequence[Memory] = ()
        if admitted.hints:
            everything = await all_of(self._repository, extraction.owner, MemoryQuery(status="approved"))
            if extraction.said:
                everything = [each for each in everything if each.began_at <= extraction.said.at]
            understood = understand(admitted.hints, everything, now, extraction.source)
            held = [each for each in everything if each.holds(now)]
            older = outgrown(understood.facts, held, names_of_relatives(held))
            facts = [each for each in understood.facts if extraction.doubt(each) is None]
            heard = admitted._replace(facts=[*beside(admitted.facts, understood), *facts])
        explains = [hint.words for hint in understood.explained]
        gone = admitted.news if understood.ended else ()
        noted = [each for each in admitted.notes if each not in gone and not any(words in each for words in explains)]
        heard = heard._replace(notes=noted)
        if over:
            explained = {each.id for each in understood.ended}
            held = await self._latest(extraction.owner, now)
            again = {each.text for each in understood.facts}
            ended = [each for each in held if each.id in over and each.text not in again]
            corrected = [each for each in ended if not understood.facts or each.id not in explained]
            understood.ended.extend(each for each in ended if each.id not in explained)
            heard = await asyncio.to_thread(_with_corrections, heard, corrected, extraction.message)
        elif (
            _is_order(extraction)
            and not (understood.unclear or admitted.denials)
            and _means_more(extraction, understood)
        ):
            held = await self._latest(extraction.owner, now)
            about = [hint.words for hint in admitted.hints if hint.how == "forgets"]
            surely, maybe = await asyncio.to_thread(meant, extraction.message, held, extraction.source, about)
            understood.forgotten.extend(each for each in surely if each not in understood.forgotten)
            understood.unclear.extend(maybe if not understood.forgotten else ())
        understood.ended.extend(each for each in older if each not in understood.ended)
        understood.ended.extend(ended_marriages(understood.ended, held, heard.facts))
        understood.ended.extend(told_of_the_dead(understood.ended, held, extraction.message))
        return heard, understood

    async def _shorten(
        self,
        reconciliation: Reconciliation,
        extraction: Extraction,
        notes: Sequence[str],
        gone: Sequence[ToldMessage],
        now: datetime,
    ) -> list[str]:
        """Leave nothing of what is over or `gone` in the memories told in the same words, whose ids are returned."""
        over, places = reconciliation.over, {each.source.place for each in gone}
        held = await self._latest(extraction.owner, now) if over or places else ()
        reconciliation.know(held)
        forgotten = [each for each in over if each.ending and each.ending.reason == "forgotten"]
        of_gone, said = [each for each in held if each.source.place in places], forms_of(extraction.message)
        forgotten += [each for each in of_gone if not said.isdisjoint(forms_of(each.text))]
        forgotten += _told_in(forgotten, held)
        about = forms_of_all(extraction.message)
        whole = [each for each in of_gone if each.attribute in OF_PEOPLE and about & forms_of(each.text)]
        reconciliation.end([*whole, *(each for each in forgotten if each.attribute is None)], "forgotten")
        told = [each for each in _told_in(over, held) if not any(each.text in note for note in notes)]
        return reconciliation.shorten([each for each in (*told, *of_gone) if each.attribute], names_of_relatives(held))

    async def _latest(self, owner: Owner, now: datetime) -> Sequence[Memory]:
        query = MemoryQuery(status="approved", holding_at=now, limit=_MOST_COMPARED)
        return await self._repository.select(owner, query)

    def _forgetting_records(
        self, extraction: Extraction, orders: Sequence[Denial], gone: Sequence[ToldMessage], now: datetime
    ) -> list[MemoryEntry]:
        """Entries that record a request to forget everything or something named, and the messages that it means."""
        everything = any(denial.attribute is None for denial in orders)
        words = EVERYTHING if everything else extraction.forget
        records = [(words, EVERYTHING if everything else None, extraction.source)] if words else []
        records += [(words or extraction.message, MESSAGE, each.source) for each in gone]
        return [
            MemoryEntry(
                None,
                Memory(
                    id=new_id(),
                    owner=extraction.owner,
                    text=text,
                    value=value,
                    source=source,
                    valid_from=now,
                    valid_until=now,
                    ending=Ending("forgotten", source=extraction.source),
                    created_at=now,
                    updated_at=now,
                ),
            )
            for text, value, source in records
        ]

    async def _concerned(self, owner: Owner, heard: Heard, now: datetime) -> list[Memory]:
        """Return the memories that hold now and that the statements may change."""
        if any(denial.attribute is None for denial in heard.denials):
            return await all_of(self._repository, owner, MemoryQuery(holding_at=now))
        asked = concerned([each.attribute for each in (*heard.facts, *heard.denials)])
        return await holding(self._repository, owner, asked, now)

    async def _admitted(self, extraction: Extraction) -> tuple[Heard, list[Memory]]:
        """Return the statements that may be remembered and the memories in quarantine; vacuous facts are dropped."""
        doubts = [(fact, extraction.doubt(fact)) for fact in extraction.heard.facts if not gate.is_vacuous(fact.value)]
        now = self._clock()
        waiting = [gate.quarantined(self._from_fact(extraction, now, fact), why, now) for fact, why in doubts if why]
        if waiting:
            await self._reviews.quarantine(extraction.owner, waiting, extraction.beginning)
        denials = [] if extraction.source.author in gate.UNTRUSTED else extraction.heard.denials
        hints = () if extraction.source.author in gate.UNTRUSTED else extraction.heard.hints
        facts = [fact for fact, why in doubts if not why]
        noted = [each for each in extraction.heard.notes if extraction.doubt(Fact("remember", each, each)) is None]
        return extraction.heard._replace(facts=facts, denials=denials, hints=hints, notes=noted), waiting

    def _cautious(
        self, extraction: Extraction, heard: Heard, known: Sequence[Memory], make: Callable[[Fact], Memory]
    ) -> tuple[Heard, list[Memory]]:
        """Return what a model extracted; anything that would end a surer statement of the user's waits for approval."""
        now, waiting = self._clock(), list[Memory]()
        at = extraction.said.at if extraction.said else now
        facts: list[Fact] = []
        denials: list[Denial] = []
        for fact in heard.facts:
            reconciliation = Reconciliation(known, now, extraction.source, at)
            reconciliation.state(fact, make)
            if _changes_trusted(reconciliation.entries):
                waiting.append(gate.quarantined(make(fact), "would end what the user has said themselves", now))
            else:
                facts.append(fact)
        for denial in heard.denials:
            reconciliation = Reconciliation(known, now, extraction.source, at)
            reconciliation.deny(denial)
            if _changes_trusted(reconciliation.entries) and denial.attribute:
                end = make(Fact(denial.attribute, denial.value or "", denial.text))
                end = replace(end, ending=Ending("denied", None, extraction.source))
                waiting.append(gate.quarantined(end, "would end what the user has said themselves", now))
            else:
                denials.append(denial)
        return heard._replace(facts=facts, denials=denials), waiting

    async def _took_back(self, owner: Owner, since: LedgerState) -> bool:
        """Whether the user has deleted or undone something since: a deletion shows only as a gap."""
        state = await self._repository.state(owner)
        missed = state.version - since.version
        if missed <= 0:
            return False
        changes = await self._repository.changes(owner, missed, before=state.version + 1)
        return len(changes) < missed or any(change.action in _TAKEN_BACK for change in changes)

    async def _begun_since(self, owner: Owner, at: datetime) -> list[Memory]:
        """Return the memories that began after that time, even if they have ended again."""
        made = await all_of(self._repository, owner, MemoryQuery(status="approved", since=at))
        return [each for each in made if each.began_at > at]

    def _from_fact(self, extraction: Extraction, now: datetime, fact: Fact) -> Memory:
        """It holds from when it was said, or in the time that its text names.

        Of two facts of a message the later one was made later, as lists show it.
        """
        from recuerdo.memories.extraction.validity import validity_of  # the words of three languages

        kind: Kind = "episodic" if fact.attribute == "plan" else "semantic"
        if gate.is_instruction(fact):
            kind = "procedural"
        made, life = self._clock(), self._expiry.lifetime(kind, now, extraction.ttl)
        said_at = extraction.said.at if extraction.said else now
        begins, ends = validity_of(fact, said_at.date())
        return Memory(
            id=new_id(),
            owner=extraction.owner,
            text=fact.text,
            kind=kind,
            attribute=fact.attribute,
            value=fact.value,
            source=extraction.source,
            trust=_HEARSAY if extraction.hearsay else 1.0,
            valid_from=begins or said_at,
            valid_until=ends,
            created_at=made,
            updated_at=made,
            **life._asdict(),
        )

    async def _add_notes(
        self, reconciliation: Reconciliation, extraction: Extraction, texts: Sequence[str], now: datetime
    ) -> None:
        """Add the notes, memories without an attribute, but for those that say the same as an earlier one."""
        if not texts:
            return
        alike = [each for each in await self._latest(extraction.owner, now) if each.attribute is None]
        for text in texts:
            made = self._from_fact(extraction, now, Fact("remember", text, text))
            reconciliation.add(replace(made, attribute=None, value=None), alike)


def _is_order(extraction: Extraction) -> bool:
    """Whether the message has words with which users ask to forget something."""
    return bool(extraction.forget) or any(each.how == "forgets" for each in extraction.heard.hints)


def _means_more(extraction: Extraction, understood: ResolvedHints) -> bool:
    """Whether an order may mean more memories than its words have found: everything about Hoani."""
    return not understood.forgotten or bool(forms_of_all(extraction.message))


def _told_in(gone: Sequence[Memory], held: Sequence[Memory]) -> list[Memory]:
    """The other memories that were told in the words of one that is forgotten or over."""
    ids = {each.id for each in gone}
    texts = {each.text for each in gone}
    return [each for each in held if each.id not in ids and any(one in each.text or each.text in one for one in texts)]


def _corrects(heard: Heard) -> bool:
    """Whether the message has words for correcting what was said."""
    return any(hint.how in ("corrects", "updates") for hint in heard.hints)


def _with_corrections(heard: Heard, ended: Sequence[Memory], message: str) -> Heard:
    """The statements, and the ended memories with what the message puts in place of a part of them.

    A number or a name that belongs into such a memory is neither a value of its own nor a note. A message with another
    number or day than what it ends is a note.
    """
    corrects = _corrects(heard)
    told = [
        (one, each) for one in ended if (each := restated(one, message, corrects=corrects) or updated(one, message))
    ]
    facts = [one for one in heard.facts if not any(_retells(one, each) for _, each in told)]
    facts += [each for one, each in told if one.attribute]
    is_new = not told and any(has_another_value(each, message) for each in ended)
    put = {word for one, each in told for word in telling_words(each.text) if word not in telling_words(one.text)}
    gone = () if is_new or not ended else heard.news
    kept = [each for each in heard.notes if each not in gone and put.isdisjoint(telling_words(each))]
    if is_new and not (kept or facts or "\n" in message):
        kept = [message]
    notes = [each.text for one, each in told if not one.attribute] or kept
    left = [one for one in ended if not one.attribute and all(one is not changed for changed, _ in told)]
    return heard._replace(facts=facts, notes=[*notes, *(rest for one in left if (rest := rest_of(one.text, message)))])


def _retells(fact: Fact, told: Fact) -> bool:
    """Whether a fact tells nothing that the other doesn't: `the show is on the 27th`."""
    is_part = fact.attribute == told.attribute and set(telling_words(fact.value)).issubset(telling_words(told.text))
    return fact.value in told.text or is_part


def _stated(given: Memory) -> tuple[Memory, Heard]:
    """The memory with the attribute and the value that its text states, and what else the text says."""
    heard = listen(given.text)
    if given.attribute is not None:
        value = next((fact.value for fact in heard.facts if fact.attribute == given.attribute), None)
        return replace(given, value=given.value or value), heard._replace(facts=[], denials=[])
    if given.kind != "semantic" or not heard.facts:
        return given, heard._replace(facts=[])
    [first, *others] = heard.facts
    return replace(given, attribute=first.attribute, value=first.value), heard._replace(facts=others)


def _timed(memory: Memory) -> Memory:
    """The memory, holding in the time that its text names."""
    from recuerdo.memories.extraction.validity import validity_of  # the words of three languages

    if memory.attribute is None or memory.value is None:
        return memory
    begins, ends = validity_of(Fact(memory.attribute, memory.value, memory.text), memory.created_at.date())
    return replace(memory, valid_from=memory.valid_from or begins, valid_until=memory.valid_until or ends)


def _beyond_doubt(_: Fact) -> None:
    """Nothing that is given by hand has to wait for approval."""
