"""The hourly budget of a tenant for extraction by a model, counted in the database for all processes.

It is a limit and no bill: what a process that died had asked for counts as it was estimated.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.core.errors import ConfigurationError
from recuerdo.core.graph_ports import DocumentRepository
from recuerdo.core.ports import Clock
from recuerdo.core.scope import TenantOwner

_HOUR = 3600
_KEY = DocumentKey("spending", "extraction")


class Budget(NamedTuple):
    """A tenant's limits for an hour: calls of the model, and tokens of questions and answers together."""

    calls: int = 600
    tokens: int = 500_000


class _Spent(msgspec.Struct, frozen=True):
    hour: int
    calls: int = 0
    tokens: int = 0
    created_at: datetime = datetime.min.replace(tzinfo=UTC)  # documents are sorted by it


class Spending:
    """Counts what each tenant spends, hour by hour."""

    def __init__(self, documents: DocumentRepository, budget: Budget, clock: Clock) -> None:
        if budget.calls < 1 or budget.tokens < 1:
            raise ConfigurationError("A budget needs one call and one token an hour at least. Or leave extraction off.")
        self._documents = documents
        self._budget = budget
        self._clock = clock

    async def take(self, tenant: str, tokens: int) -> float | None:
        """Take one call and its tokens from the hour's budget; return the seconds until the next hour if it is spent.

        The remainder is given even when it is smaller, so that a large message is not put off for ever.
        """
        hour, passed = divmod(self._clock().timestamp(), _HOUR)

        def decide(found: Sequence[Document]) -> Decision[bool]:
            spent = _read(found, int(hour))
            if spent.calls >= self._budget.calls or spent.tokens >= self._budget.tokens:
                return Decision(False)
            return Decision(True, [_row(_Spent(int(hour), spent.calls + 1, spent.tokens + tokens))])

        taken = await self._documents.change(TenantOwner(tenant), _KEY.id, [_KEY], decide)
        return None if taken else _HOUR - passed

    async def correct(self, tenant: str, tokens: int) -> None:
        """So many tokens more were needed than were taken, or less when it is negative."""
        hour = int(self._clock().timestamp() // _HOUR)

        def decide(found: Sequence[Document]) -> Decision[None]:
            spent = _read(found, hour)
            return Decision(None, [_row(_Spent(hour, spent.calls, max(0, spent.tokens + tokens)))])

        await self._documents.change(TenantOwner(tenant), _KEY.id, [_KEY], decide)


def _read(found: Sequence[Document], hour: int) -> _Spent:
    spent = next((msgspec.json.decode(each.body, type=_Spent) for each in found if each.key == _KEY), _Spent(hour))
    return spent if spent.hour == hour else _Spent(hour)


def _row(spent: _Spent) -> Document:
    return Document(_KEY.kind, _KEY.id, _KEY.id, msgspec.json.encode(spent))
