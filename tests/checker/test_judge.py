"""The judge itself: what can be true passes, and each way of lying is found."""

from collections.abc import Sequence
from typing import Any

import pytest

from checker.archives import WrongMark
from checker.judge import Final, Violation, judge
from checker.record import Appended, Archived, Erased, Forked, Operation, Read, Record, Seen, Window
from recuerdo.core.threads import NOWHERE, Version

WHO = {"client": "c", "thread": "t"}


def wrote(seq: int, began: float, ended: float = 1e9, *, epoch: int = 1, text: str = "") -> Appended:
    """An append of one message; nobody was told of it without an `ended` of its own."""
    text = text or f"text {seq}"
    if ended == 1e9:
        return Appended(**WHO, began=began, texts=(text,))
    return Appended(
        **WHO, began=began, ended=ended, texts=(text,), seqs=(seq,), ids=(f"id {text}",), version=Version(epoch, seq)
    )


def seen(*seqs: int, archived: Sequence[int] = ()) -> tuple[Seen, ...]:
    return tuple(Seen(seq, f"id text {seq}", f"text {seq}", seq in archived) for seq in seqs)


def read(version: tuple[int, int], messages: tuple[Seen, ...], began: float, **more: Any) -> Read:
    known = {"began": began, "ended": began + 0.5, "limit": 10, **more}
    return Read(**WHO, **known, version=Version(*version), messages=messages)


TWO = [wrote(1, 0, 1), wrote(2, 2, 3)]


@pytest.mark.parametrize(
    "operations",
    [
        [*TWO, read((1, 2), seen(1, 2), 4)],
        [wrote(1, 0, 1), wrote(2, 2, 9), read((1, 1), seen(1), 4)],
        [wrote(1, 0, 1), wrote(2, 2), read((1, 2), seen(1, 2), 4)],
        [*TWO, read((1, 1), seen(1), 4, is_cached=True)],
        [*TWO, Erased(**WHO, began=3, is_delete=True), read((0, 0), (), 4)],
        [*TWO, Erased(**WHO, began=3, ended=4, version=Version(2, 0)), read((2, 0), (), 5)],
        [*TWO, Archived(**WHO, began=3, first=1, last=1, archived=True), read((1, 2), seen(1, 2, archived=[1]), 4)],
        [*TWO, Window(**WHO, began=4, ended=5, limit=1, messages=seen(2))],
    ],
)
def test_what_can_be_true_passes(operations: list[Operation]) -> None:
    last = max(each.version for each in operations if isinstance(each, Read | Appended))
    is_gone = any(isinstance(each, Erased) for each in operations)
    judged(operations, {} if is_gone and operations[-1].version == NOWHERE else {"t": end_of(operations, last)})


@pytest.mark.parametrize(
    ("invariant", "operations"),
    [
        ("I1", [*TWO, wrote(3, 4, 5)]),
        ("I2", [*TWO, wrote(2, 4, 5, text="other")]),
        ("I2", [wrote(2, 0, 1), wrote(1, 2, 3)]),
        ("I2", [*TWO, read((1, 2), (seen(1)[0], Seen(2, "id text 1", "text 1")), 4)]),
        ("I3", [*TWO, read((1, 2), (seen(1)[0], Seen(2, "id", "nobody's")), 4)]),
        ("I3", [*TWO, read((1, 2), seen(2), 4)]),
        ("I3", [wrote(1, 0, 1), read((1, 2), seen(1, 2), 1.2), wrote(2, 2, 3)]),
        ("I4", [*TWO, read((1, 1), seen(1), 4)]),
        ("I4", [*TWO, read((0, 0), (), 4)]),
        ("I4", [*TWO, read((2, 0), (), 4)]),
        ("I4", [wrote(1, 0, 1), wrote(2, 2), read((1, 2), seen(1, 2), 4), read((1, 1), seen(1), 5)]),
        ("I4", [*TWO, Window(**WHO, began=4, ended=5, limit=1, messages=seen(1))]),
        ("I3", [*TWO, wrote(3, 4), Window(**WHO, began=6, ended=7, limit=3, messages=seen(1, 3))]),
        ("I5", [*TWO, read((1, 1), seen(1), 4, is_cached=True, min_version=Version(1, 2))]),
        ("I6", [*TWO, Erased(**WHO, began=3, ended=3.5, is_delete=True), read((1, 2), seen(1, 2), 4)]),
        ("I1", [*TWO, Forked(**WHO, began=4, ended=5, target="t-fork-1", at_seq=1)]),
    ],
)
def test_a_lie_is_found(invariant: str, operations: list[Operation]) -> None:
    with pytest.raises(Violation, match=f"^{invariant}"):
        judged(operations, {"t": Final(Version(1, 2), seen(1, 2))})


@pytest.mark.parametrize("archived", [True, False])
def test_a_mark_that_nobody_left_is_found(archived: bool) -> None:
    marking = Archived(**WHO, began=3.1, ended=3.5, first=1, last=1, archived=archived)
    shown = seen(1, 2, archived=[] if archived else [1])
    with pytest.raises(WrongMark):
        judged([*TWO, marking, read((1, 2), shown, 4)], {"t": Final(Version(1, 2), shown)})


def test_until_something_goes_wrong_cached_reads_have_no_excuse() -> None:
    operations = [*TWO, read((1, 1), seen(1), 4, is_cached=True)]
    with pytest.raises(Violation, match="I5"):
        judged(operations, {"t": Final(Version(1, 2), seen(1, 2))}, quiet_until=5)


def test_a_fork_of_other_messages_is_found() -> None:
    forked = Forked(**WHO, began=4, ended=5, target="t-fork-1", at_seq=1)
    finals = {"t": Final(Version(1, 2), seen(1, 2)), "t-fork-1": Final(Version(2, 1), (seen(2)[0]._replace(seq=1),))}
    with pytest.raises(Violation, match="I3"):
        judged([*TWO, forked], finals)


def end_of(operations: list[Operation], version: Version) -> Final:
    reads = [each.messages for each in operations if isinstance(each, Read) and each.version == version]
    return Final(version, reads[-1] if reads else seen(*range(1, version.seq + 1)))


def judged(operations: list[Operation], finals: dict[str, Final], quiet_until: float = 0.0) -> None:
    judge(Record(operations), finals, quiet_until)
