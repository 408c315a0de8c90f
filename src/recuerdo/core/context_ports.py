"""What execution contexts need from outside; see `recuerdo.core.ports` for what ports are."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recuerdo.core.contexts import Enrichment, ExecutionContext, Session
from recuerdo.core.scope import Owner


class EnrichmentSource(Protocol):
    """Knows how assistants are configured."""

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        """The configuration of the owner's assistant, as it is now, or `stale` when it can't be asked for.

        `assistant_id` may also be the name of a graph, which stands for the graph's own assistant. Raises NotFound,
        InvalidInput for an assistant whose configuration can't be understood, or Unavailable.
        """
        ...


class SessionRepository(Protocol):
    """Sessions by their ids, which are unique over all tenants: whose one is, is asked before anybody knows."""

    async def find(self, session_id: str) -> Session | None:
        """The session, of whatever owner, and an expired one too."""
        ...

    async def save(self, session: Session, instead_of: Session | None) -> bool:
        """Store the session instead of one with the same id, or where there is none. One step.

        False, and nothing is stored, when what is there is not `instead_of`, as its stamp tells.
        """
        ...

    async def erase(self, owner: Owner) -> Sequence[str]:
        """Remove all of the owner's sessions. Returns their ids."""
        ...

    async def sweep(self, now: datetime, limit: int) -> int:
        """Remove sessions of all owners that have expired, so many at most. Returns how many."""
        ...


class ContextWatch(Protocol):
    """Is told what becomes of contexts, to count it."""

    def resolved(self, context: ExecutionContext, age: float) -> None:
        """A context was given to somebody, so many seconds after it was made."""
        ...

    def enriched(self, tenant: str, outcome: str) -> None:
        """The source was asked: `fresh`, `stale`, or the name of the error."""
        ...

    def invalidated(self, tenant: str, what: str) -> None:
        """Contexts were invalidated: one, all of an `assistant`, or all of a `tenant`."""
        ...


class NobodyWatches:
    """The ContextWatch where nobody counts."""

    def resolved(self, context: ExecutionContext, age: float) -> None:
        """See ContextWatch."""

    def enriched(self, tenant: str, outcome: str) -> None:
        """See ContextWatch."""

    def invalidated(self, tenant: str, what: str) -> None:
        """See ContextWatch."""
