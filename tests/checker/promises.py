"""Whether what users were told can be true of servers that keep their promises to each of them.

Every rule is a necessary condition: what was in doubt at the time, because two operations overlapped, is let pass. A
word belongs to one message (see Said), so wherever it is shown, that message is.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeVar

from checker.judge import Violation
from checker.record import Bound, Erased, ErasedUser, Looked, Operation, Record, Said, Waited

_Kind = TypeVar("_Kind", bound=Operation)


class User:
    """Everything that one user did and was told."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._operations = operations

    def of(self, kind: type[_Kind]) -> list[_Kind]:
        """The operations of that kind, by the time that they began."""
        return sorted((each for each in self._operations if isinstance(each, kind)), key=lambda each: each.began)

    @cached_property
    def looks(self) -> list[Looked]:
        return self.of(Looked)

    @cached_property
    def tries(self) -> dict[str, list[Said]]:
        """By word."""
        tries: dict[str, list[Said]] = defaultdict(list)
        for each in self.of(Said):
            tries[each.word].append(each)
        return tries

    @cached_property
    def sent(self) -> dict[str, float]:
        """When a word was sent for the last time, to be stored or to be answered by a run."""
        return {
            each.word: each.began for each in sorted([*self.of(Said), *self.of(Waited)], key=lambda each: each.began)
        }

    @cached_property
    def known_since(self) -> dict[str, float]:
        """When it was known first that a word was stored: somebody was told so, or was shown it."""
        known = [(each.word, each.ended) for each in self.of(Said) if each.outcome == "stored"]
        known += [(each.word, each.ended) for each in self.of(Waited)]
        known += [(word, look.ended) for look in self.looks for words in look.shown.values() for word in words]
        return {word: min(at for each, at in known if each == word) for word in {word for word, _ in known}}

    def removals(self, thread: str) -> list[Operation]:
        """The operations that removed the messages of a thread, or may have done so."""
        erasures: list[Operation] = [*self.of(ErasedUser)]
        return erasures + [each for each in self.of(Erased) if each.thread == thread]


def judge_promises(record: Record, rules: Collection[str] = ()) -> None:
    """Raises Violation, which begins with the name of the rule; without `rules` of any of them."""
    by_user: dict[str, list[Operation]] = defaultdict(list)
    for operation in record.operations:
        by_user[operation.client].append(operation)
    for operations in by_user.values():
        judge_user(User(operations), rules)
    if not rules or "session" in rules:
        _check_sessions(record)


def judge_user(user: User, rules: Collection[str] = ()) -> None:
    """The same, of one user, without what others may do to them."""
    for name, checks in RULES.items():
        for check in checks if not rules or name in rules else ():
            check(user)


def _check_told(user: User) -> None:
    """A message that was surely not stored is nowhere as soon as that was told, and every message shown was said."""
    for look in user.looks:
        for place, word in _shown(look):
            if word not in user.sent:
                raise Violation(f"told: {place} shows {word}, which nobody said to {look}")
            if word in user.tries and all(
                each.outcome == "not stored" and each.ended < look.began for each in user.tries[word]
            ):
                raise Violation(f"told: {place} shows {word}, which was not stored: {user.tries[word]} {look}")


def _check_erasures(user: User) -> None:
    """A fact that was known before a complete erasure began, and not said again, is nowhere after its receipt."""
    for erasure in user.of(ErasedUser):
        gone = {
            word
            for word, since in user.known_since.items()
            if since < erasure.began and user.sent[word] < erasure.began
        }
        for look in user.looks if erasure.is_complete else []:
            for place, word in _shown(look):
                if erasure.ended < look.began and word in gone:
                    raise Violation(f"erased: {place} shows {word} at {look.began} behind {erasure}")


def _check_sources(user: User) -> None:
    """A memory comes from a message that is there: an erasure that takes one takes the other."""
    for look in user.looks:
        words = {each.text for each in look.said}
        for word in look.shown.get("memories", frozenset()) - words:
            threads = {each.thread for each in user.tries[word]}
            cleared = [each for each in user.of(Erased) if each.thread in threads and each.began < look.ended]
            erasing = [each for each in user.of(ErasedUser) if each.ended > look.began and each.began < look.ended]
            if look.thread in threads and not cleared and not erasing:
                raise Violation(f"erased: there is a memory of {word} without its message in {look}")


def _check_epochs(user: User) -> None:
    """However often something is said with one key, it is stored once over all epochs."""
    places: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for each in user.of(Said):
        if each.outcome == "stored" and each.version.epoch:
            places[each.thread, each.word].add((each.version.epoch, 0))
    for look in user.looks:
        for message in look.said:
            places[look.thread, message.text].add((look.version.epoch, message.seq))
    for (thread, word), found in places.items():
        seqs = {place for place in found if place[1]}
        if len({epoch for epoch, _ in found}) > 1 or len(seqs) > 1:
            raise Violation(f"key: {word} of {thread} is stored at {sorted(found)}: {user.tries[word]}")


def _check_cleared(user: User) -> None:
    """A fact that was known before a thread was cleared is not said in it any more, by anybody."""
    for clear in user.of(Erased):
        for look in user.looks if clear.is_acknowledged else []:
            if look.thread == clear.thread and clear.ended < look.began:
                for message in look.said:
                    if user.known_since[message.text] < clear.began:
                        raise Violation(f"key: {message} of {look} is behind {clear}: {user.tries[message.text]}")


def _check_kept(user: User) -> None:
    """A message that is stored is there until somebody removes it."""
    for word, tries in user.tries.items():
        known = [each.ended for each in tries if each.outcome == "stored" and each.way != "run"]
        thread, began = tries[0].thread, tries[0].began
        for look in user.looks if known and thread else []:
            removals = [each for each in user.removals(thread) if each.ended > began and each.began < look.ended]
            is_there = word in {message.text for message in look.said}
            if look.thread == thread and min(known) < look.began and not removals and not is_there:
                raise Violation(f"kept: {look} lacks {tries}")


def _check_waits(user: User) -> None:
    """Waiting for a run answers what it ended with, or an error; and no error unless somebody removed the run."""
    for wait in user.of(Waited):
        removed = any(each.ended > wait.began and each.began < wait.ended for each in user.of(ErasedUser))
        is_excused = not wait.is_acknowledged or wait.status == 503 or (removed and wait.status >= 400)
        if not is_excused and not (wait.status == 200 and _output(wait.answer) == wait.word):
            raise Violation(f"wait: a run was to answer with its word: {wait}")


def _output(answer: Any) -> str | None:
    return answer.get("said") if isinstance(answer, dict) else None


def _check_sessions(record: Record) -> None:
    """A session stays its first user's, and in the thread that it was put in, until its user is erased."""
    binds: dict[str, list[Bound]] = defaultdict(list)
    for bind in record.of(Bound):
        binds[bind.session].append(bind)
    for bound in binds.values():
        first = next((each for each in bound if each.told is not None), None)
        if first is None:
            continue
        erasures = [each for each in record.of(ErasedUser) if each.client == first.client]
        for bind in bound:
            erased = any(each.began < bind.ended and each.ended > first.began for each in erasures)
            if bind.began > first.ended and not erased:
                _check_bind(bind, first, bound)


def _check_bind(bind: Bound, first: Bound, all_binds: Sequence[Bound]) -> None:
    if bind.client != first.client:
        if bind.told is not None:
            raise Violation(f"session: {bind} took the session of {first}")
        return
    if bind.told is None:
        raise Violation(f"session: {bind} was refused the session of {first}")
    before = [each for each in all_binds if each.client == first.client and each.ended <= bind.began]
    wanted = bind.asked or next((each.asked or each.told for each in reversed(before)), bind.told)
    if bind.told != wanted:
        raise Violation(f"session: {bind} is not where {before} were")


def _shown(look: Looked) -> Iterator[tuple[str, str]]:
    return ((place, word) for place, words in look.shown.items() for word in words)


RULES: dict[str, Sequence[Callable[[User], None]]] = {
    "told": [_check_told],
    "erased": [_check_erasures, _check_sources],
    "key": [_check_epochs, _check_cleared],
    "kept": [_check_kept],
    "wait": [_check_waits],
}
"""The rules about what one user was told, by the name that a violation of theirs begins with."""
