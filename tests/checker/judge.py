"""Whether a record can be true of a history that loses nothing, doubles nothing, and never goes back.

Each check is a necessary condition of the design's invariants I1 to I5. Whatever an operation did, it did at one moment
between its beginning and its end; the moment of one that was never answered may be any later one.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from checker.archives import check_marks
from checker.record import Appended, Archived, Erased, Forked, Operation, Read, Record, Seen, Window
from recuerdo.core.threads import NOWHERE, Version


class Violation(AssertionError):
    """An invariant does not hold; the message names it, and what was seen."""


class Place(NamedTuple):
    """Where a message stands."""

    thread: str
    epoch: int
    seq: int


class Log:
    """Every message that anybody has seen, at its place. It only ever grows: two who disagree are a violation."""

    def __init__(self, record: Record) -> None:
        self._plans = {text: append for append in record.of(Appended) for text in append.texts}
        self._messages: dict[Place, tuple[str, str]] = {}
        self._seqs: dict[tuple[str, int, str], int] = {}
        self._places: dict[str, Place] = {}
        self._epochs: dict[tuple[str, str], int] = {}

    def learn(self, place: Place, message_id: str, text: str) -> None:
        """Somebody was shown this message there."""
        known = self._messages.setdefault(place, (message_id, text))
        if known != (message_id, text):
            raise Violation(f"I2: {place} was {known}, and now is {(message_id, text)}")
        at = self._seqs.setdefault((place.thread, place.epoch, text), place.seq)
        if at != place.seq:
            raise Violation(f"I2: {text!r} of {place.thread} is at {at} and at {place.seq} of epoch {place.epoch}")
        epoch = self._epochs.setdefault((place.thread, text), place.epoch)
        if epoch != place.epoch:
            raise Violation(f"I2: {text!r} of {place.thread} is in the epochs {epoch} and {place.epoch}")
        if "-fork-" not in place.thread and self._places.setdefault(message_id, place) != place:
            raise Violation(f"I2: the message {message_id} is at {place} and at {self._places[message_id]}")

    def check_sent(self, text: str, thread: str, by: float) -> None:
        """Nobody sees what nobody sent, or has not sent yet."""
        plan = self._plans.get(text)
        if plan is None or plan.began > by or plan.thread != thread.partition("-fork-")[0]:
            raise Violation(f"I3: {text!r} in {thread} was not sent there")

    def check_whole(self) -> None:
        """The messages of an append stand together, in their order."""
        starts: dict[tuple[str, int, str], int] = {}
        for (thread, epoch, seq), (_, text) in self._messages.items():
            append = self._plans[text]
            start = seq - append.texts.index(text)
            if starts.setdefault((thread, epoch, append.texts[0]), start) != start:
                raise Violation(f"I2: {append.texts} of {thread} are torn apart")

    def place(self, message_id: str) -> Place | None:
        return self._places.get(message_id)

    def at(self, place: Place) -> tuple[str, str] | None:
        return self._messages.get(place)


class Final(NamedTuple):
    """The final state of a thread, as every replica and the database itself report it."""

    version: Version
    messages: tuple[Seen, ...]


def judge(record: Record, finals: Mapping[str, Final], quiet_until: float = 0.0) -> None:
    """Raises Violation. `finals` are the threads that exist in the end.

    Until `quiet_until` nothing went wrong: by then cached reads have no excuse either.
    """
    log = Log(record)
    for append in record.of(Appended):
        _learn_receipt(log, append)
    for read in record.of(Read):
        _learn_read(log, read)
    for thread, final in finals.items():
        _learn_final(log, thread, final)
    log.check_whole()
    by_thread: dict[str, list[Operation]] = defaultdict(list)
    for operation in record.operations:
        by_thread[operation.thread].append(operation)
    for thread, operations in by_thread.items():
        _check_order(operations)
        _check_reads(operations, finals.get(thread, Final(NOWHERE, ())), quiet_until)
        _check_windows(log, operations)
        check_marks(operations)
    _check_forks(log, record, finals)


def _learn_receipt(log: Log, append: Appended) -> None:
    if append.is_acknowledged:
        for seq, message_id, text in zip(append.seqs, append.ids, append.texts, strict=True):
            log.learn(Place(append.thread, append.version.epoch, seq), message_id, text)


def _learn_read(log: Log, read: Read) -> None:
    seqs = [message.seq for message in read.messages]
    last = read.version.seq
    if seqs != list(range(max(1, last - read.limit + 1), last + 1)):
        raise Violation(f"I3: a read of {read.limit} of {read.thread} at {read.version} has the seqs {seqs}")
    for message in read.messages:
        log.check_sent(message.text, read.thread, read.ended)
        log.learn(Place(read.thread, read.version.epoch, message.seq), message.id, message.text)


def _learn_final(log: Log, thread: str, final: Final) -> None:
    if [message.seq for message in final.messages] != list(range(1, final.version.seq + 1)):
        raise Violation(f"I2: {thread} ends with gaps: {final}")
    for message in final.messages:
        log.check_sent(message.text, thread, float("inf"))
        log.learn(Place(thread, final.version.epoch, message.seq), message.id, message.text)


def _check_order(operations: Sequence[Operation]) -> None:
    """I2: an append that began behind another's receipt stands behind it."""
    appends = [each for each in operations if isinstance(each, Appended) and each.is_acknowledged]
    for later in appends:
        for earlier in appends:
            if earlier.ended < later.began and later.version <= earlier.version:
                raise Violation(f"I2: {later} was sent behind {earlier}")


def _check_reads(operations: Sequence[Operation], final: Final, quiet_until: float) -> None:
    """I1, I4, I5: a strong read shows whatever anybody knew before it began, and so does the end.

    A cached one shows what was acknowledged: others may have read sooner what was being appended.
    """
    erasures = [each for each in operations if isinstance(each, Erased)]
    known = [(each, each.version) for each in operations if _shows(each)]
    told = [pair for pair in known if not isinstance(pair[0], Read)]
    for read in operations:
        if isinstance(read, Read):
            if not read.is_cached or read.ended < quiet_until:
                earlier = [pair for pair in (told if read.is_cached else known) if pair[0].ended < read.began]
                _check_not_behind("I5" if read.is_cached else "I4", read.version, read, earlier, erasures)
            elif read.version < read.min_version:
                earlier = [pair for pair in known if pair[1] == read.min_version]
                _check_not_behind("I5", read.version, read, earlier, erasures)
    _check_not_behind("I1", final.version, None, known, erasures)


def _shows(operation: Operation) -> bool:
    return isinstance(operation, Appended | Read | Erased) and operation.is_acknowledged and operation.version.epoch > 0


def _check_not_behind(
    invariant: str,
    version: Version,
    read: Read | None,
    known: Sequence[tuple[Operation, Version]],
    erasures: Sequence[Erased],
) -> None:
    """Each known fact is there or was erased since, and no erased one is there any more."""
    ended = read.ended if read else float("inf")
    for operation, floor in known:
        if version.epoch == floor.epoch:
            lost = version.seq < floor.seq
        else:
            committed = float("-inf") if isinstance(operation, Read) and operation.is_cached else operation.began
            wanted = [each for each in erasures if each.ended > committed and each.began < ended]
            can_be = any(each.is_delete or version != NOWHERE for each in wanted)
            lost = NOWHERE != version < floor or not can_be
        if lost:
            raise Violation(f"{invariant}: {read or 'the end'} at {version} is behind {operation}")
    _check_erased(version, read, known, erasures)


def _check_erased(
    version: Version, read: Read | None, known: Sequence[tuple[Operation, Version]], erasures: Sequence[Erased]
) -> None:
    """I6: an epoch that was seen before an erasure began is not seen by whoever begins behind its end."""
    for erasure in erasures:
        if read is None or erasure.ended < read.began:
            old = [seen for operation, seen in known if operation.ended < erasure.began]
            if erasure.is_acknowledged and version != NOWHERE and any(version.epoch <= seen.epoch for seen in old):
                raise Violation(f"I6: {read or 'the end'} at {version} shows what {erasure} had erased")


def _check_windows(log: Log, operations: Sequence[Operation]) -> None:
    """I3, I4: a window is a run of messages up to the newest; only what was archived may be left out."""
    marks = [each for each in operations if isinstance(each, Archived)]
    for window in operations:
        if not isinstance(window, Window):
            continue
        places = [log.place(message.id) for message in window.messages]
        known = [place for place in places if place is not None]
        seqs = [message.seq for message in window.messages]
        if seqs != sorted(set(seqs)) or len({place.epoch for place in known}) > 1:
            raise Violation(f"I3: {window} mixes places {places}")
        for message in window.messages:
            log.check_sent(message.text, window.thread, window.ended)
        if not any(mark.began < window.ended for mark in marks):
            _check_unmarked(window, known, operations)


def _check_unmarked(window: Window, known: Sequence[Place], operations: Sequence[Operation]) -> None:
    seqs = [message.seq for message in window.messages]
    if seqs and seqs != list(range(seqs[0], seqs[-1] + 1)):
        raise Violation(f"I3: {window} has a hole")
    if seqs and len(seqs) < window.limit and seqs[0] != 1:
        raise Violation(f"I3: {window} is cut short")
    before = [each for each in operations if isinstance(each, Appended) and each.ended < window.began]
    for append in before if known else []:
        if append.version.epoch == known[0].epoch and append.version.seq > seqs[-1]:
            raise Violation(f"I4: {window} lacks {append}")


def _check_forks(log: Log, record: Record, finals: Mapping[str, Final]) -> None:
    """A fork that was acknowledged is there, and any fork is the beginning of one epoch of its source."""
    for fork in record.of(Forked):
        final = finals.get(fork.target)
        if final is None:
            if fork.is_acknowledged:
                raise Violation(f"I1: {fork} is not there")
            continue
        places = [place for message in final.messages if (place := log.place(message.id))]
        seqs = [message.seq for message in final.messages if log.place(message.id)]
        if (
            final.version.seq != fork.at_seq
            or [place.seq for place in places] != seqs
            or len({(place.thread, place.epoch) for place in places}) > 1
        ):
            raise Violation(f"I3: {fork} became {final}, and its messages are from {places}")
