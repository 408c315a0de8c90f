"""An erasure of documents, and decisions on them that have begun before."""

import asyncio
from collections.abc import Sequence

import psycopg
from test_postgres_epochs import somebody_waits

from recuerdo.adapters.registry import open_repositories
from recuerdo.core.documents import Decision, Document, DocumentKey
from recuerdo.testing.samples import fresh_scope

KEY = DocumentKey("run", "r")


def rewritten(found: Sequence[Document]) -> Decision[int]:
    """Write what is there once more, as the end of a run does; what is gone stays gone."""
    return Decision(len(found), put=[each._replace(body=b'{"status":"done"}') for each in found])


async def test_a_decision_that_has_seen_a_document_writes_it_not_again_behind_an_erasure(
    postgres_url: str, superuser: psycopg.AsyncConnection
) -> None:
    owner = fresh_scope().owner
    async with open_repositories(postgres_url) as repositories:
        documents = repositories.documents
        assert documents
        new = Document(*KEY, "t", b'{"status":"pending"}')
        await documents.change(owner, "t", [KEY], lambda _: Decision(None, put=[new]))
        async with superuser.transaction():
            erasing = "SELECT recuerdo.erase_documents(session_user::text, %s, %s)"
            await superuser.execute(erasing, (owner.tenant, owner.user))
            waiting = asyncio.create_task(documents.change(owner, "t", [KEY], rewritten))
            await somebody_waits(superuser, waiting)
        assert await waiting == 0
        assert await documents.get(owner, KEY) is None
        assert await documents.erase(owner) == 0
