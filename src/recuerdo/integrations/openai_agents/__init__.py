"""The OpenAI Agents SDK over Recuerdo."""

from recuerdo.integrations.openai_agents.session import RecuerdoSession

__all__ = ["RecuerdoSession"]
