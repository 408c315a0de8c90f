"""Reports junk among a user's memories, in any store, and changes nothing."""

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from recuerdo.core.memories import Memory
from recuerdo.memories.extraction.gate import NEVER, UNTRUSTED, is_vacuous, reads_like_an_order
from recuerdo.memories.likeness import near, normal_form, same, telling_words
from recuerdo.memories.slots import slot


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory that should not be there, why, and the one that says the same or the contrary, if one does."""

    memory_id: str
    problem: str
    text: str
    other: str | None = None


class Audit(msgspec.Struct, frozen=True):
    """The number of memories, the problems of each, and how often each problem occurs."""

    memories: int
    junk_rate: float
    problems: dict[str, int]
    findings: list[Finding]


def audit(memories: Sequence[Memory]) -> Audit:
    """Look at one user's memories that hold. Each counts once, with the first problem that it has."""
    findings: list[Finding] = []
    sound = _Sound()
    for memory in memories:
        finding = next(_problems(memory, sound.comparable(memory)), None)
        if finding is None:
            sound.add(memory)
        else:
            findings.append(finding)
    return report(len(memories), findings)


def report(memories: int, findings: Sequence[Finding]) -> Audit:
    """The figures of the findings, of one user or of many."""
    problems = Counter(finding.problem for finding in findings)
    return Audit(memories, len(findings) / max(1, memories), dict(problems), list(findings))


class _Sound:
    """Memories without a problem, found by what another one must have to be their duplicate or contradiction.

    Of near texts one has all words of the other: the smallest word of either is in the other.
    """

    def __init__(self) -> None:
        self._places: dict[tuple[object, ...], list[int]] = {}
        self._memories: list[Memory] = []

    def add(self, memory: Memory) -> None:
        for key in {*_keys(memory, "in"), *_keys(memory, "smallest")}:
            self._places.setdefault(key, []).append(len(self._memories))
        self._memories.append(memory)

    def comparable(self, memory: Memory) -> list[Memory]:
        """Those that may be duplicates or contradictions, in the order in which they came."""
        words = {("smallest", *key[1:]) for key in _keys(memory, "in") if key[0] == "in"}
        smallest = {("in", *key[1:]) for key in _keys(memory, "smallest") if key[0] == "smallest"}
        others = {key for key in _keys(memory, "in") if key[0] != "in"}
        found = {place for key in words | smallest | others for place in self._places.get(key, ())}
        return [self._memories[place] for place in sorted(found)]


def _keys(memory: Memory, words: str) -> Iterator[tuple[object, ...]]:
    """Yield the keys of the memory: its words or the smallest of them, its value in two forms, and its slot."""
    said = set(telling_words(memory.text))
    for word in said if words == "in" else ([min(said)] if said else []):
        yield words, memory.attribute, word
    if memory.attribute is not None and memory.value is not None:
        yield "value", memory.attribute, normal_form(memory.attribute, memory.value)
        yield "words", memory.attribute, *sorted(telling_words(memory.value))
        if (place := slot(memory.attribute, memory.text)) is not None:
            yield "slot", memory.attribute, place


def _problems(memory: Memory, others: Sequence[Memory]) -> Iterator[Finding]:
    def found(problem: str, other: Memory | None = None) -> Finding:
        return Finding(memory.id, problem, memory.text, other.id if other else None)

    if is_vacuous(memory.text):
        yield found("vacuous")
    if memory.source.author in (*NEVER, *UNTRUSTED) and memory.review is None:
        yield found("not the user's words")
    if memory.kind != "summary" and reads_like_an_order(memory.text):
        yield found("reads like an order")
    for other in others:
        if _duplicates(memory, other):
            yield found("duplicate", other)
        elif _contradicts(memory, other):
            yield found("contradiction", other)


def _duplicates(memory: Memory, other: Memory) -> bool:
    if memory.kind != other.kind:
        return False
    if memory.attribute is not None and memory.value is not None:
        return memory.attribute == other.attribute and same(memory.attribute, memory.value, other.value)
    return memory.attribute == other.attribute and near(memory.text, other.text)


def _contradicts(memory: Memory, other: Memory) -> bool:
    if memory.attribute != other.attribute or memory.value is None or other.value is None:
        return False
    mine = slot(memory.attribute, memory.text)
    return mine is not None and mine == slot(other.attribute, other.text)
