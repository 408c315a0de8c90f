"""The judge itself: what can be true passes, and each way of lying is found."""

from collections.abc import Sequence
from typing import Any

import pytest

from checker.archives import WrongMark
from checker.judge import Final, Violation, judge
from checker.promises import judge_promises
from checker.record import (
    Appended,
    Archived,
    Bound,
    Erased,
    ErasedUser,
    Forked,
    Looked,
    Operation,
    Outcome,
    Read,
    Record,
    Said,
    Seen,
    Waited,
    Window,
)
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
        ("I2", [wrote(1, 0, 1), Erased(**WHO, began=2, ended=3), read((2, 1), seen(1), 4)]),
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


def said(word: str, began: float, outcome: Outcome = "stored", *, epoch: int = 0, key: str | None = None) -> Said:
    told = {} if outcome == "unknown" else {"ended": began + 1}
    return Said(**WHO, began=began, word=word, way="chat", outcome=outcome, key=key, version=Version(epoch, 1), **told)


def looked(began: float, *words: str, epoch: int = 1, first: int = 1, **places: str) -> Looked:
    """The words are the messages of the thread from the seq `first` on."""
    messages = tuple(Seen(seq, f"id {word}", word) for seq, word in enumerate(words, first))
    shown = {"messages": frozenset(words)} | {place: frozenset(shown.split()) for place, shown in places.items()}
    return Looked(**WHO, began=began, ended=began + 0.5, shown=shown, version=Version(epoch, len(words)), said=messages)


def forgot(began: float, *, complete: bool = True) -> ErasedUser:
    return ErasedUser(**WHO, began=began, ended=began + 1, is_complete=complete)


def cleared(began: float, **more: Any) -> Erased:
    return Erased(**WHO, began=began, ended=began + 1, **more)


def waited(status: int, answer: object) -> Waited:
    return Waited(**WHO, began=1, ended=2, word="a", status=status, answer=answer)


def bound(began: float, asked: str | None, told: str | None, client: str = "c") -> Bound:
    who = {"client": client, "thread": ""}
    return Bound(**who, began=began, ended=began + 0.5, session="s", asked=asked, told=told)


@pytest.mark.parametrize(
    "operations",
    [
        [said("a", 0, epoch=1), looked(2, "a", memories="a")],
        [said("a", 0, "unknown"), looked(2)],
        [said("a", 0, "unknown"), looked(2, "a")],
        [said("a", 0, "not stored"), looked(2)],
        [said("a", 0, "not stored"), looked(0.2, "a"), looked(2)],
        [said("a", 0), forgot(2), looked(4)],
        [said("a", 0), forgot(2, complete=False), looked(4, "a")],
        [said("a", 0), looked(1.5, "a"), forgot(0.5), looked(4, "a")],
        [said("a", 0), forgot(2), said("a", 4), looked(6, "a", memories="a")],
        [said("a", 0, key="k"), cleared(2), said("a", 4, "not stored", key="k"), looked(6, memories="a")],
        [said("a", 0, key="k"), said("a", 1, key="k"), looked(3, "a")],
        [waited(200, {"said": "a"})],
        [waited(503, None)],
        [waited(404, None), forgot(1)],
        [bound(0, "t", "t"), bound(1, None, "t"), bound(2, "u", "u"), bound(3, None, "u"), bound(4, None, None, "d")],
        [bound(0, "t", "t"), forgot(1), bound(3, None, "u", "d")],
    ],
)
def test_promises_that_can_have_been_kept_pass(operations: list[Operation]) -> None:
    judge_promises(Record(operations))


@pytest.mark.parametrize(
    ("rule", "operations"),
    [
        ("told", [said("a", 0, "not stored"), looked(2, "a")]),
        ("told", [said("a", 0), looked(2, "a", "b")]),
        ("erased", [said("a", 0), forgot(2), looked(4, "a")]),
        ("erased", [said("a", 0, "unknown"), looked(2, "a"), forgot(3), looked(5, export="a")]),
        ("erased", [said("a", 0, "unknown"), forgot(2), looked(4, memories="a")]),
        ("erased", [said("a", 0), looked(2, search="a"), forgot(3), looked(5, state="a")]),
        ("key", [said("a", 0, epoch=1, key="k"), said("a", 4, epoch=2, key="k")]),
        ("key", [said("a", 0, "unknown", key="k"), said("a", 1, epoch=1, key="k"), looked(4, "a", epoch=2)]),
        ("key", [said("a", 0, key="k"), said("a", 1, key="k"), looked(3, "a", "a")]),
        ("key", [said("a", 0, "unknown", key="k"), said("a", 1, key="k"), cleared(3), looked(5, "a", epoch=2)]),
        ("key", [said("a", 0, key="k"), cleared(3, is_delete=True), looked(5, "a", epoch=2)]),
        ("kept", [said("a", 0), looked(2)]),
        ("kept", [said("a", 0), said("b", 2), looked(4, "b")]),
        ("wait", [waited(200, {})]),
        ("wait", [waited(200, {"said": "b"})]),
        ("wait", [waited(404, None)]),
        ("wait", [waited(200, {}), forgot(0)]),
        ("session", [bound(0, "t", "t"), bound(1, None, "u", "d")]),
        ("session", [bound(0, "t", "t"), bound(1, None, "u")]),
        ("session", [bound(0, "t", "t"), bound(1, "u", "t")]),
        ("session", [bound(0, "t", "t"), bound(1, None, None)]),
    ],
)
def test_a_broken_promise_is_found(rule: str, operations: list[Operation]) -> None:
    with pytest.raises(Violation, match=f"^{rule}"):
        judge_promises(Record(operations))


def end_of(operations: list[Operation], version: Version) -> Final:
    reads = [each.messages for each in operations if isinstance(each, Read) and each.version == version]
    return Final(version, reads[-1] if reads else seen(*range(1, version.seq + 1)))


def judged(operations: list[Operation], finals: dict[str, Final], quiet_until: float = 0.0) -> None:
    judge(Record(operations), finals, quiet_until)
