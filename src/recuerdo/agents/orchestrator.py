"""Chooses the public agent or the private one, by the user and by the documents that were found."""

from collections.abc import Sequence
from typing import Literal

from recuerdo.core.library import ChunkHit
from recuerdo.core.scope import Owner

AGENTS_NAME = "LangGraph"
"""The name of the graph's own events, in all APIs. LangGraph uses it for graphs without a name."""

Agent = Literal["public_agent", "private_agent"]


def choose(owner: Owner, found: Sequence[ChunkHit]) -> Agent:
    """The public agent for the anonymous user, and for what a public document answers best; else the private one."""
    if owner.is_anonymous or (found and found[0].document.access == "public"):
        return "public_agent"
    return "private_agent"


def seen_by(agent: Agent, found: Sequence[ChunkHit]) -> list[ChunkHit]:
    """Return the hits that the agent may use: public documents, or for the private agent all that its user may see."""
    return [hit for hit in found if agent == "private_agent" or hit.document.access == "public"]
