"""Documents in the memory of one process."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from recuerdo.adapters.local.connection import LocalDatabase
from recuerdo.adapters.signals import LocalSignals
from recuerdo.core.documents import Decision, Document, DocumentKey, DocumentKind, DocumentQuery, fitting
from recuerdo.core.graph_ports import DocumentRepository, Signals
from recuerdo.core.scope import Owner

_T = TypeVar("_T")


class LocalDocuments(DocumentRepository):
    """The DocumentRepository of one process."""

    def __init__(self, database: LocalDatabase, signals: Signals | None = None) -> None:
        self._database = database
        self._signals = signals or LocalSignals()

    async def get(self, owner: Owner, key: DocumentKey) -> bytes | None:
        document = self._of(owner).get(key)
        return document.body if document else None

    async def select(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> list[bytes]:
        found = fitting(self._matching(owner, kind, query), query)
        return [document.body for document in found[query.offset : query.offset + query.limit]]

    async def count(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> int:
        return len(fitting(self._matching(owner, kind, query), query))

    async def change(
        self,
        owner: Owner,
        group: str,
        keys: Sequence[DocumentKey],
        decide: Callable[[Sequence[Document]], Decision[_T]],
    ) -> _T:
        documents = self._of(owner)
        seen = [each for key, each in documents.items() if key in keys or (each.open and each.group == group)]
        change = decide(seen)
        if change.erase:
            for key in [key for key, each in documents.items() if each.group == group]:
                del documents[key]
        for key in change.delete:
            documents.pop(key, None)
        documents.update({document.key: document for document in change.put})
        for signal in change.signals:
            self._signals.publish(signal)
        return change.result

    async def erase(self, owner: Owner) -> int:
        return len(self._database.documents.pop(owner, {}))

    async def due(self, kind: DocumentKind, now: datetime, limit: int) -> list[tuple[Owner, Document]]:
        found = sorted(self._due(kind, now), key=lambda each: each[0])
        return [(owner, document) for _, owner, document in found[:limit]]

    async def count_due(self, kind: DocumentKind, now: datetime) -> int:
        return len(self._due(kind, now))

    def _due(self, kind: DocumentKind, now: datetime) -> list[tuple[datetime, Owner, Document]]:
        return [
            (document.due, owner, document)
            for owner, documents in self._database.documents.items()
            for document in documents.values()
            if document.kind == kind and document.due is not None and document.due <= now
        ]

    def _of(self, owner: Owner) -> dict[DocumentKey, Document]:
        return self._database.documents.setdefault(owner, {})

    def _matching(self, owner: Owner, kind: DocumentKind, query: DocumentQuery) -> list[Document]:
        return [
            each
            for each in self._of(owner).values()
            if each.kind == kind
            and (query.group is None or each.group == query.group)
            and (query.ids is None or each.id in query.ids)
        ]
