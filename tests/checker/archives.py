"""Whether the archived marks that reads show can be true: each mark is a register that archiving writes."""

from collections.abc import Sequence

from checker.record import Appended, Archived, Operation, Read


class WrongMark(AssertionError):
    """A strong read shows a mark that nobody can have left."""


def check_marks(operations: Sequence[Operation]) -> None:
    """I4: a strong read shows what the last archiving before it left, or one at the same time."""
    archivings = [each for each in operations if isinstance(each, Archived)]
    if not archivings:
        return
    for read in operations:
        if isinstance(read, Read) and not read.is_cached:
            for message in read.messages:
                touching = [each for each in archivings if each.first <= message.seq <= each.last]
                if message.archived not in _possible(read, message.seq, touching, operations):
                    raise WrongMark(f"I4: {message} of {read} against {touching}")


def _possible(read: Read, seq: int, touching: Sequence[Archived], operations: Sequence[Operation]) -> set[bool]:
    """The marks that the message may have: of each archiving that no other surely followed, or none at all."""
    sure = [each for each in touching if each.ended < read.began and _was_there(each, read, seq, operations)]
    candidates = [each for each in touching if each.began < read.ended]
    marks = {each.archived for each in candidates if not any(each.ended < later.began for later in sure)}
    return marks if sure else marks | {False}


def _was_there(archiving: Archived, read: Read, seq: int, operations: Sequence[Operation]) -> bool:
    """Whether the message surely was in its place when it was archived: somebody knew it before."""
    return any(
        isinstance(each, Appended | Read)
        and each.ended < archiving.began
        and each.version.epoch == read.version.epoch
        and each.version.seq >= seq
        for each in operations
    )
