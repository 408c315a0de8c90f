"""A real `recuerdo serve` over somebody's graphs, and the clients that LangGraph's users have."""

import uuid
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.client import LangGraphClient, SyncLangGraphClient

from servers.recuerdo import RecuerdoServer, running_recuerdo

GRAPHS = Path(__file__).parent / "graphs" / "langgraph.json"


@pytest.fixture(scope="session")
def api_server(tmp_path_factory: pytest.TempPathFactory) -> Generator[RecuerdoServer]:
    """One server for all tests of a run; each test acts as a user of its own."""
    database = tmp_path_factory.mktemp("api") / "api.db"
    with running_recuerdo(database_url=f"sqlite:///{database}", config=str(GRAPHS), embeddings="none") as server:
        yield server


@pytest.fixture
def user() -> str:
    return f"user-{uuid.uuid4()}"


@pytest.fixture
async def client(api_server: RecuerdoServer, user: str) -> AsyncGenerator[LangGraphClient]:
    """The asynchronous SDK, as one user."""
    async with get_client(url=api_server.url, headers={"X-Recuerdo-User": user}) as client:
        yield client


@pytest.fixture
async def stranger(api_server: RecuerdoServer) -> AsyncGenerator[LangGraphClient]:
    """The same server as another user sees it."""
    async with get_client(url=api_server.url, headers={"X-Recuerdo-User": "stranger"}) as client:
        yield client


@pytest.fixture
def sync_client(api_server: RecuerdoServer, user: str) -> Generator[SyncLangGraphClient]:
    """The synchronous SDK, as the same user."""
    with get_sync_client(url=api_server.url, headers={"X-Recuerdo-User": user}) as client:
        yield client
