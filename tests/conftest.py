"""Fixtures for all tests. This file also puts `tests/` on the path, so that `servers` can be imported."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, settings

from servers.openai_server import OpenAIServer

pytest_plugins = ["servers.plugin"]

# A busy machine is no failure of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture
async def openai_server() -> AsyncIterator[OpenAIServer]:
    """A server that speaks the OpenAI protocol and answers as it is told."""
    async with OpenAIServer() as server:
        yield server
