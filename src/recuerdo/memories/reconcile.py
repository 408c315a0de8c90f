"""Reconciles new statements with known memories: duplicates, refinements, contradictions. Pure; no word is lost."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from msgspec.structs import replace

from recuerdo.core.memories import Attribute, Denial, Ending, EndReason, Fact, Memory, MemoryEntry, Source
from recuerdo.memories.likeness import begins, near, same, same_value
from recuerdo.memories.people import own_clause
from recuerdo.memories.slots import FOLLOWERS, OF_PEOPLE, OPPOSITES, SINGLE_VALUED, slot

Make = Callable[[Fact], Memory]

EVERYTHING, MESSAGE = "*", "message"
"""The value of a memory that says that all of before is forgotten, or the message that is its source."""


class Reconciliation:
    """Takes a user's statements one after the other, and decides what to write.

    `known` are the memories that hold at `now`, of all attributes in `concerned`. A statement from long before now, at
    `said_at`, ends nothing that began since: then `known` has those memories as well, even ended ones.
    """

    def __init__(self, known: Sequence[Memory], now: datetime, source: Source, said_at: datetime | None = None) -> None:
        self._before = {memory.id: memory for memory in known}
        self._after = dict(self._before)
        self._now = now
        self._source = source
        self._said_at = said_at

    @property
    def entries(self) -> list[MemoryEntry]:
        """The memories that are new or changed, each as it was and as it is."""
        changed = [(self._before.get(each), memory) for each, memory in self._after.items()]
        return [MemoryEntry(before, after) for before, after in changed if before != after]

    @property
    def over(self) -> list[Memory]:
        """The memories that end."""
        living = {each.id for each in self._before.values() if each.ending is None}
        return [each for each in self._after.values() if each.ending and each.id in living]

    def know(self, memories: Sequence[Memory]) -> None:
        """Take in further memories that hold."""
        for memory in memories:
            self._before.setdefault(memory.id, memory)
            self._after.setdefault(memory.id, memory)

    def deny(self, denial: Denial, reason: EndReason = "denied") -> None:
        """End the memories that a statement says are over, or all of them."""
        denied = self._older(denial.attribute) if denial.attribute else list(self._after.values())
        for memory in denied:
            if denial.value is None or _alike(memory, denial.value):
                self._end(memory, reason)
                self._end_followers(memory)

    def end(self, memories: Sequence[Memory], reason: EndReason) -> None:
        """End memories that the user wants to be over, or forgotten."""
        for memory in memories:
            if memory.id in self._after and self._lives(self._after[memory.id]):
                self._end(memory, reason)
                self._end_followers(memory)

    def shorten(self, memories: Sequence[Memory], people: Collection[str]) -> list[str]:
        """Let memories that stay tell only their own clauses, and return the ids of those that told more."""
        shorter = {each.id: own_clause(each, people) for each in memories if self._after[each.id] == each}
        shorter = {memory: clause for memory, clause in shorter.items() if clause != self._after[memory].text}
        for memory, clause in shorter.items():
            self._after[memory] = replace(self._after[memory], text=clause, updated_at=self._now)
        return [*shorter]

    def state(self, fact: Fact, make: Make) -> None:
        """Add a fact, which may be known already, refine a known one, or end one that it contradicts."""
        rivals = self._rivals(fact)
        if known := next((memory for memory in rivals if _knows(memory, fact)), None):
            self._date(known, make(fact))
        elif self._refined(rivals, fact) is None:
            self.take(make(fact))

    def _refined(self, rivals: Sequence[Memory], fact: Fact) -> Memory | None:
        """The rival that the fact tells more precisely, changed to say so; None if there is none."""
        if refined := next((memory for memory in rivals if self._refines(memory, fact)), None):
            refined = replace(refined, text=fact.text, value=fact.value, updated_at=self._now)
            self._after[refined.id] = refined
        return refined

    def _date(self, known: Memory, again: Memory) -> None:
        """Take from what is known, and said again, the times that it names now."""
        said_at = self._said_at or self._now
        if (again.valid_from, again.valid_until) in ((said_at, None), (known.valid_from, known.valid_until)):
            return
        times = {"valid_from": min(known.began_at, again.began_at), "valid_until": again.valid_until}
        self._after[known.id] = replace(known, text=again.text, updated_at=self._now, **times)

    def add(self, memory: Memory, alike: Sequence[Memory] = (), *, timed: bool = False) -> Memory:
        """Add a finished memory; returns it as it is stored, or the existing one that says the same.

        A memory without a value is the same as one that is `alike`, if that has nearly the same words. One that is
        `timed` keeps its own expiry.
        """
        if memory.attribute is None or memory.value is None:
            living = (each for each in alike if self._lives(self._after.get(each.id, each)))
            same_kind = [each for each in living if each.attribute == memory.attribute and each.value is None]
            if known := next((each for each in same_kind if _says(each, memory)), None):
                return known
        else:
            fact = Fact(memory.attribute, memory.value, memory.text)
            rivals = self._rivals(fact)
            if known := next((each for each in rivals if _knows(each, fact)), None):
                return known
            if refined := self._refined(rivals, fact):
                return refined
        self.take(memory, timed=timed)
        return self._after[memory.id]

    def take(self, memory: Memory, *, timed: bool = False) -> None:
        """Add a memory, and end what can't be true beside it; or end it by what came since it was said.

        It takes over the pin of what it replaces.
        """
        if (later := self._later(memory)) is not None:
            ending = Ending("superseded", later.id, later.source)
            self._after[memory.id] = replace(memory, valid_until=later.began_at, ending=ending)
            return
        replaced: list[Memory] = []
        for rival in self._contradicted(memory):
            self._end(rival, "superseded", memory.id, memory.valid_from)
            self._end_followers(rival)
            replaced.append(rival)
        for opposite in self._older(OPPOSITES.get(memory.attribute) if memory.attribute else None):
            if memory.value is not None and _alike(opposite, memory.value):
                self._end(opposite, "contradicted", memory.id)
                replaced.append(opposite)
        for old in replaced:
            if old.pinned:
                self._after[old.id] = replace(self._after[old.id], pinned=False)
                memory = _pinned_like(old, memory, timed)
        self._after[memory.id] = memory

    def _rivals(self, fact: Fact) -> list[Memory]:
        wanted = _slot(fact.attribute, fact.text, fact.value)
        return [memory for memory in self._holding(fact.attribute) if _slot_of(memory) == wanted]

    def _contradicted(self, memory: Memory) -> list[Memory]:
        older = self._older(memory.attribute)
        return [each for each in older if are_rivals(each, memory) and not _are_told_together(each, memory)]

    def _later(self, memory: Memory) -> Memory | None:
        """The first that began since the memory was said and can't be true beside it."""
        if (said_at := self._said_at) is None:
            return None
        since = [each for each in self._after.values() if each.began_at > said_at and _excludes(each, memory)]
        return min(since, key=lambda each: each.began_at, default=None)

    def _older(self, attribute: Attribute | None) -> list[Memory]:
        """Return the memories that hold and already held when the statement was made."""
        said_at = self._said_at
        return [each for each in self._holding(attribute) if said_at is None or each.began_at <= said_at]

    def _refines(self, memory: Memory, fact: Fact) -> bool:
        if fact.attribute == "remember":
            return near(memory.text, fact.text)
        return fact.attribute in SINGLE_VALUED and begins(fact.value, memory.value)

    def _holding(self, attribute: Attribute | None) -> list[Memory]:
        return [
            memory
            for memory in self._after.values()
            if attribute is not None and memory.attribute == attribute and self._lives(memory)
        ]

    def _lives(self, memory: Memory) -> bool:
        """Whether it holds, or will as soon as our clock is where that of its writer was."""
        return memory.holds(max(self._now, memory.began_at))

    def _end(self, memory: Memory, reason: EndReason, by: str | None = None, since: datetime | None = None) -> None:
        """End the memory now, or when its replacement began, if that was while it held."""
        ending = Ending(reason, by, self._source)
        was_so = since is not None and memory.began_at < since < (self._said_at or self._now)
        until = since if was_so and since else max(self._now, memory.began_at)
        self._after[memory.id] = replace(memory, valid_until=until, ending=ending, updated_at=self._now)

    def _end_followers(self, memory: Memory) -> None:
        for attribute in FOLLOWERS.get(memory.attribute, ()) if memory.attribute else ():
            for follower in self._older(attribute):
                self._end(follower, "outdated", memory.id)


def _pinned_like(old: Memory, memory: Memory, timed: bool) -> Memory:
    """The memory with the pin of the old one, and with the time for which that was to be kept."""
    if timed:
        return replace(memory, pinned=True)
    return replace(memory, pinned=True, expires_at=old.expires_at, refresh=old.refresh)


def concerned(attributes: Sequence[Attribute | None]) -> list[Attribute]:
    """The attributes whose memories have to be looked at when values of these come in."""
    asked: list[Attribute] = [attribute for attribute in attributes if attribute is not None]
    also: list[Attribute] = [OPPOSITES[attribute] for attribute in asked if attribute in OPPOSITES]
    for attribute in asked:
        also += FOLLOWERS.get(attribute, ())
    return list(dict.fromkeys(asked + also))


def _slot_of(memory: Memory | Fact) -> str | None:
    return _slot(memory.attribute, memory.text, memory.value)


def _slot(attribute: Attribute | None, text: str, value: str | None) -> str | None:
    """Return the memory's single-valued slot, if any; a relative's slot needs the words of all languages."""
    if attribute not in OF_PEOPLE:
        return slot(attribute, text)
    from recuerdo.memories.extraction.relatives import is_relative_of_another, named_relative, relative_slot

    if attribute == "relative":
        return relative_slot(text, value)
    return None if is_relative_of_another(text, value) else slot(attribute, named_relative(text, value))


def _knows(memory: Memory, fact: Fact) -> bool:
    if same(fact.attribute, memory.value, fact.value):
        return True
    if fact.attribute in SINGLE_VALUED:
        return begins(memory.value, fact.value)
    return fact.attribute == "remember" and near(memory.text, fact.text) and len(memory.text) >= len(fact.text)


def _says(known: Memory, memory: Memory) -> bool:
    return same_value(known.text, memory.text) or (
        near(known.text, memory.text) and len(known.text) >= len(memory.text)
    )


def are_rivals(one: Memory | Fact, other: Memory | Fact) -> bool:
    """Whether the two are values of what there is one value of."""
    if one.attribute is None or one.attribute != other.attribute or one.value is None or other.value is None:
        return False
    wanted = _slot_of(other)
    return wanted is not None and _slot_of(one) == wanted


def _are_told_together(one: Memory, other: Memory) -> bool:
    """Whether one message tells both of people: `my wife is Aoife, and we've two lads, Cian and Oisin`."""
    at_once = (one.source, one.valid_from) == (other.source, other.valid_from)
    return at_once and one.attribute in OF_PEOPLE


def _excludes(later: Memory, memory: Memory) -> bool:
    opposite = OPPOSITES.get(memory.attribute) if memory.attribute else None
    if opposite is not None and later.attribute == opposite and memory.value is not None:
        return _alike(later, memory.value)
    return later.status == "approved" and are_rivals(later, memory)


def _alike(memory: Memory, value: str) -> bool:
    return same(memory.attribute, memory.value, value) or begins(memory.value, value) or begins(value, memory.value)
