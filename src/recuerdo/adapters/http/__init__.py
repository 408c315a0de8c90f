"""Services that are asked over HTTP."""

from recuerdo.adapters.http.enrichment import AgentService

__all__ = ["AgentService"]
