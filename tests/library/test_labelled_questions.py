"""Sixty questions in three languages, offline: the right agent, and the right document first."""

import pytest
from questions import PRIVATE, PUBLIC, QUESTIONS

from recuerdo import Recuerdo
from recuerdo.agents.orchestrator import choose, seen_by
from recuerdo.core.scope import ANONYMOUS, Owner


@pytest.fixture(scope="module", params=["offline", "none"])
def embeddings(request):
    return request.param


async def test_the_right_agent_answers_and_cites_the_right_document_first(embeddings):
    """A public document is the public agent's, the tenant's own and what is about the user the private agent's."""
    right_agent, right_document = 0, 0
    answered = [pair for pair in QUESTIONS if pair[1] is not None]
    async with Recuerdo.open("memory://", embeddings=embeddings) as memory:
        for source, text in (PUBLIC | PRIVATE).items():
            access = "public" if source in PUBLIC else "tenant"
            await memory.library.add("acme", source, text.encode(), access=access)
        for question, source in QUESTIONS:
            owner = Owner("acme", "emi")
            found = await memory.chat.look_up(owner.thread("t-1"), question)
            agent = choose(owner, found)
            right_agent += agent == ("public_agent" if source in PUBLIC else "private_agent")
            cited = [hit.document.source for hit in seen_by(agent, found)]
            right_document += source is not None and cited[:1] == [source]
            anonymous = Owner("acme", ANONYMOUS)
            theirs = await memory.chat.look_up(anonymous.thread("t-1"), question)
            assert choose(anonymous, theirs) == "public_agent"
            assert all(hit.document.source in PUBLIC for hit in theirs)
    assert right_agent / len(QUESTIONS) >= 0.95
    assert right_document / len(answered) >= 0.85
