from collections.abc import Iterator

import pytest

from recuerdo.core.identifiers import new_id
from servers.recuerdo import RecuerdoServer, running_recuerdo


@pytest.fixture(scope="session")
def client_server() -> Iterator[RecuerdoServer]:
    """A real server, whose users are the tests."""
    with running_recuerdo(database_url="memory://", embeddings="none") as server:
        yield server


@pytest.fixture
def user() -> str:
    """A user of the test's own."""
    return f"usuário {new_id()}"
