"""What a process last saw of groups of documents, so that most decisions take one round trip; see ADR 0040.

It may be wrong at any time: the database compares its digest before anything comes of a decision.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import sha256
from time import monotonic
from typing import Any, NamedTuple

from recuerdo.adapters.times import to_microseconds
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.scope import Owner

_MOST_GROUPS = 2_000
_MOST_BYTES = 16_384
"""Of one group's documents: larger ones are asked for each time."""

_SECONDS_KEPT = 60.0
"""What others have erased must not lie here for long."""

Seen = dict[DocumentKey, Document]


class Group(NamedTuple):
    """What is changed together."""

    owner: Owner
    name: str


class DocumentCache:
    """The last known documents of recently used groups; with `most_groups=0` nothing is kept."""

    def __init__(self, most_groups: int = _MOST_GROUPS) -> None:
        self._most_groups = most_groups
        self._groups: OrderedDict[Group, tuple[float, Seen]] = OrderedDict()

    def of(self, group: Group, keys: Sequence[DocumentKey]) -> Seen:
        """What a decision on the group would see: its open documents, and those of the keys."""
        return {key: each for key, each in self._known(group).items() if each.open or key in keys}

    def found(self, group: Group, document: Document) -> None:
        """A document of the group that was seen alone."""
        self._keep(group, {**self._known(group), document.key: document})

    def learn(self, group: Group, keys: Sequence[DocumentKey], seen: Seen, change: Decision[Any]) -> None:
        """What a decision on these keys saw, and what came of it."""
        others = {key: each for key, each in self._known(group).items() if not each.open and key not in keys}
        now = {} if change.erase else {**others, **seen}
        for key in change.delete:
            now.pop(key, None)
        self._keep(group, {**now, **{each.key: each for each in change.put if each.group == group.name}})

    def forget(self, groups: Iterable[Group]) -> None:
        """Nothing is known of these."""
        for group in groups:
            self._groups.pop(group, None)

    def forget_all(self, owner: Owner) -> None:
        """The owner has nothing any more."""
        self.forget([group for group in self._groups if group.owner == owner])

    def _known(self, group: Group) -> Seen:
        return self._groups.get(group, (0.0, {}))[1]

    def _keep(self, group: Group, documents: Seen) -> None:
        self._groups.pop(group, None)
        if not documents or sum(len(each.body) for each in documents.values()) > _MOST_BYTES:
            return
        now = monotonic()
        self._groups[group] = now, documents
        while self._groups and (
            len(self._groups) > self._most_groups or next(iter(self._groups.values()))[0] < now - _SECONDS_KEPT
        ):
            self._groups.popitem(last=False)


def digest(seen: Seen) -> str:
    """What `recuerdo.decide` compares; empty for nothing."""
    if not seen:
        return ""
    return sha256(b"".join(_sight(seen[key]) for key in sorted(seen))).hexdigest()


def _sight(document: Document) -> bytes:
    """See `recuerdo.sight`."""
    name, group = document.id.encode(), document.group.encode()
    due = "-" if document.due is None else to_microseconds(document.due)
    head = f"{document.kind} {document.open:d} {due} {len(name)} {len(group)} {len(document.body)}"
    return b"%b%b%b%b" % (head.encode(), name, group, document.body)
