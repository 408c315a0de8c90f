"""Fixtures for all tests. This file also puts `tests/` on the path, so that `servers` can be imported."""

import gc
import os
import ssl
import sys
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

import certifi
import pytest
from hypothesis import HealthCheck, settings

from recuerdo.adapters.models.clients import ModelClients
from servers.disk import keep_files_in_memory
from servers.openai_server import OpenAIServer
from servers.patience import LIMITS_OF_POSTGRES, USUAL_LIMITS_OF_POSTGRES, be_patient
from servers.preloaded import embed_with_one_model

pytest_plugins = ["servers.plugin"]

# A busy machine is no failure of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
_new_context: Any = ssl.create_default_context
_shared_context = cache(_new_context)


def _default_context(*arguments: Any, **more: Any) -> ssl.SSLContext:
    """Every client of HTTPX makes one, also for plain HTTP: 25 ms to read the authorities that tests never meet."""
    of_httpx = not arguments and more in ({"cafile": certifi.where()}, {"cafile": os.environ.get("SSL_CERT_FILE")})
    return _shared_context(**more) if of_httpx else _new_context(*arguments, **more)


ssl.create_default_context = _default_context
_modules: Any = sys.modules
_modules["rfc3987_syntax"] = None  # jsonschema builds 38 parsers of it, 1.7 s, for formats that no schema here has
be_patient()
embed_with_one_model()
keep_files_in_memory()
gc.disable()  # imports and collecting make a million objects that stay


def pytest_collection_finish() -> None:
    """Imported and collected objects stay: each full garbage collection would walk a million objects of it."""
    gc.freeze()
    gc.enable()


@pytest.fixture
async def openai_server() -> AsyncIterator[OpenAIServer]:
    """A server that speaks the OpenAI protocol and answers as it is told."""
    async with OpenAIServer() as server:
        yield server


@pytest.fixture
async def model_clients() -> AsyncIterator[ModelClients]:
    """The HTTP clients of a test's models; their connections end with the test."""
    async with ModelClients() as clients:
        yield clients


@pytest.fixture
def usual_limits_of_postgres(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits that users have: for tests whose callers wait until they are over, since PostgreSQL is away."""
    for limit, seconds in USUAL_LIMITS_OF_POSTGRES.items():
        monkeypatch.setitem(LIMITS_OF_POSTGRES, limit, seconds)
