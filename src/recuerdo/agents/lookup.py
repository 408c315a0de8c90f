"""Looks documents up for an answer, and cites the used ones."""

import logging
from collections.abc import Sequence
from typing import Any

from recuerdo.core.contexts import ExecutionContext, RetrievalParameters
from recuerdo.core.library import ChunkHit
from recuerdo.core.scope import Scope
from recuerdo.library import Library

THRESHOLD = 0.15
"""The least score of a passage that a model is shown, unless the assistant says another."""

_log = logging.getLogger(__name__)


async def look_up(library: Library | None, scope: Scope, text: str, context: ExecutionContext | None) -> list[ChunkHit]:
    """The parts of documents that the text is about, best first. None when that fails: an answer goes on without.

    The anonymous user's are public ones alone. Raises InvalidInput for what can't be looked up as it is wanted.
    """
    wanted = context.retrieval if context else RetrievalParameters()
    if library is None or not text.strip() or wanted.k < 1:
        return []
    library.check(wanted)
    try:
        return await library.search(
            scope.tenant,
            text,
            limit=wanted.k,
            public_only=scope.owner.is_anonymous,
            collections=wanted.collections,
            threshold=THRESHOLD if wanted.threshold is None else wanted.threshold,
            rerank=wanted.rerank,
        )
    except Exception as error:  # whatever it is, an answer without documents is better than none
        _log.warning("documents can't be looked up: %s", type(error).__name__, exc_info=error)
        return []


def retrieved(found: Sequence[ChunkHit]) -> str:
    """The passages as one text, each under the number by which a reply cites it."""
    return "\n\n".join(f"[{number}] {hit.document.title}: {hit.chunk.text}" for number, hit in enumerate(found, 1))


def relevance_of(found: Sequence[ChunkHit]) -> float:
    """The score of the best passage, from 0 to 1; 0 without any."""
    return max((hit.score for hit in found), default=0.0)


def sources_of(found: Sequence[ChunkHit]) -> list[dict[str, Any]]:
    """Return the sources for a reply, which cites them by `n`."""
    return [
        {
            "n": number,
            "document": hit.document.id,
            "title": hit.document.title,
            "collection": hit.document.collection,
            "access": hit.document.access,
            "heading": hit.chunk.heading,
            "start": hit.chunk.start,
            "end": hit.chunk.end,
            "score": hit.score,
        }
        for number, hit in enumerate(found, 1)
    ]
