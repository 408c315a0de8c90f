"""The answers that reads may give: every state that a thread was committed in, who was told of it, and when."""

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, replace

from recuerdo.adapters.local import LocalDatabase, LocalHistory
from recuerdo.adapters.local.connection import StoredThread
from recuerdo.core.messages import decode
from recuerdo.core.threads import NOWHERE, Version


class Violation(AssertionError):
    """An invariant of the design does not hold. The message names it."""


@dataclass(eq=False)
class State:
    """One committed state of a thread, as a database of its own that answers reads."""

    version: Version
    history: LocalHistory
    threads: list[StoredThread]
    bodies: list[bytes]

    def answer(self, method, *arguments):
        return immediately(getattr(self.history, method)(*arguments))


class Oracle:
    """The commit order of every thread."""

    def __init__(self, database):
        self._database = database
        self._states = {}
        self._heads = {}
        self._acknowledged = {}
        self._committed = {}
        self._epochs = {}

    def now(self, scope):
        """The number of the state that the thread is in."""
        return len(self._of(scope)) - 1

    def observe(self, scope, now):
        """Something may have been committed. Checks I1 and I2: the states of an epoch only ever grow.

        However often something is tried, it is there in one epoch at most: who clears a thread clears retries, too.
        """
        states = self._of(scope)
        thread = self._database.threads.get(scope)
        head = thread.head if thread else None
        if head != self._heads.get(scope):
            self._heads[scope] = head
            states.append(_freeze(scope, thread))
            _check_growth(states[-2], states[-1])
            self._check_epochs(scope, states[-1])
            self._committed.setdefault(scope, []).append(now)

    def acknowledged(self, scope, number, now):
        """A client knows that state `number` was reached."""
        times, numbers = self._acknowledged.setdefault(scope, ([], []))
        times.append(now)
        numbers.append(max(number, numbers[-1] if numbers else 0))

    def first_with(self, scope, version):
        """The number of the first state that has the messages up to `version`."""
        for number, state in enumerate(self._of(scope)):
            if state.version.epoch == version.epoch and state.version.seq >= version.seq:
                return number
        raise Violation(f"I1: {version} of {scope} was acknowledged and never committed")

    def known_at(self, scope, since):
        """The latest state that was acknowledged by the time `since`; by now, when that is None."""
        times, numbers = self._acknowledged.get(scope, ([], []))
        place = len(times) if since is None else bisect_right(times, since)
        return numbers[place - 1] if place else 0

    def committed_by(self, scope, time):
        """The latest state that was committed by then."""
        return bisect_right(self._committed.get(scope, []), time)

    def check_receipt(self, scope, receipt, texts):
        """I1: what was acknowledged is in the database, at the seqs of the receipt."""
        state = self._of(scope)[self.first_with(scope, receipt.version)]
        found = [decode(body).content for body in state.bodies[receipt.first_seq - 1 : receipt.version.seq]]
        if found != texts:
            raise Violation(f"I1: {texts} was acknowledged as {receipt}, and {found} is there")

    def check_strong(self, scope, began, asked, answer):
        """I4: the answer is that of a state which the thread was in during the read, that began in state `began`."""
        self._check("I4", scope, began, began, NOWHERE, asked, answer)

    def check_cached(self, scope, known, began, min_version, asked, answer):
        """I3 and I5: the answer is that of a state no older than `known`, at `min_version` or read during the read."""
        self._check("I5", scope, known, began, min_version, asked, answer)

    def _check(self, invariant, scope, known, began, min_version, asked, answer):
        states, least = self._of(scope), known
        for number in range(len(states) - 1, min(began, least) - 1, -1):
            allowed = number >= began or states[number].version >= min_version
            if allowed and states[number].answer(*asked) == answer:
                return
        matching = [number for number, state in enumerate(states) if state.answer(*asked) == answer]
        raise Violation(_diagnosis(invariant, states, matching, least, min_version, asked, answer))

    def _check_epochs(self, scope, state):
        epoch = state.version.epoch
        for text in (decode(body).content for body in state.bodies):
            before = self._epochs.setdefault((scope, text), epoch)
            if before != epoch:
                raise Violation(f"I6: {text} of epoch {before} was cleared, and is committed in {epoch} again")

    def _of(self, scope):
        if scope not in self._states:
            self._states[scope] = [_freeze(scope, None)]
        return self._states[scope]


def immediately(coroutine):
    """The result of a coroutine that awaits nothing."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the local adapter is expected not to wait")


def _freeze(scope, thread):
    database = LocalDatabase()
    if thread is not None:
        database.threads[scope] = replace(thread, messages=dict(thread.messages))
    bodies = [stored.record.body for stored in thread.messages.values()] if thread else []
    return State(thread.version if thread else NOWHERE, LocalHistory(database), list(database.threads.values()), bodies)


def _check_growth(before, after):
    if before.version.epoch == after.version.epoch and after.bodies[: len(before.bodies)] != before.bodies:
        raise Violation(f"I2: {after.version} does not go on from {before.version}")
    twice = [text for text, count in Counter(decode(body).content for body in after.bodies).items() if count > 1]
    if twice:
        raise Violation(f"I1: committed more than once: {twice}")


def _diagnosis(invariant, states, matching, least, min_version, asked, answer):
    if not matching:
        return f"I3: {asked} answered {answer}, which no committed state of the thread does"
    number = matching[-1]
    if states[number].version < min_version and number >= least:
        return f"I5: {asked} answered {states[number].version}, and {min_version} was asked for"
    return (
        f"{invariant}: {asked} answered state {number} ({states[number].version}); "
        f"{least} ({states[least].version}) was known to be reached, and {len(states) - 1} is the last"
    )
