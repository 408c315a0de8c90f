"""What execution contexts need from outside; see `recuerdo.core.ports` for what ports are."""

from typing import Protocol

from recuerdo.core.contexts import Enrichment, ExecutionContext
from recuerdo.core.scope import Owner


class EnrichmentSource(Protocol):
    """Knows how assistants are configured."""

    async def enrich(self, owner: Owner, assistant_id: str) -> Enrichment:
        """The configuration of the owner's assistant, as it is now, or `stale` when it can't be asked for.

        `assistant_id` may also be the name of a graph, which stands for the graph's own assistant. Raises NotFound,
        InvalidInput for an assistant whose configuration can't be understood, or Unavailable.
        """
        ...


class ContextWatch(Protocol):
    """Is told what becomes of contexts, to count it."""

    def resolved(self, context: ExecutionContext, age: float) -> None:
        """A context was given to somebody, so many seconds after it was made."""
        ...

    def enriched(self, outcome: str) -> None:
        """The source was asked: `fresh`, `stale`, or the name of the error."""
        ...

    def invalidated(self, what: str) -> None:
        """Contexts were invalidated: one, all of an `assistant`, or all of a `tenant`."""
        ...


class NobodyWatches:
    """The ContextWatch where nobody counts."""

    def resolved(self, context: ExecutionContext, age: float) -> None:
        """See ContextWatch."""

    def enriched(self, outcome: str) -> None:
        """See ContextWatch."""

    def invalidated(self, what: str) -> None:
        """See ContextWatch."""
