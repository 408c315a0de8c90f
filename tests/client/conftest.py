from collections.abc import Iterator

import pytest

from recuerdo.core.identifiers import new_id
from servers.process import server_folder
from servers.recuerdo import RecuerdoServer, running_recuerdo


@pytest.fixture(scope="session")
def client_server() -> Iterator[RecuerdoServer]:
    """A real server, whose users are the tests."""
    with running_recuerdo(database_url="memory://", embeddings="none") as server:
        yield server


@pytest.fixture(scope="session")
def mortal_server() -> Iterator[RecuerdoServer]:
    """A server over a file, which a test kills as long as it runs again when the test ends."""
    with server_folder() as folder:
        server = RecuerdoServer(folder, database_url=f"sqlite:///{folder}/memory.db", embeddings="none")
        server.start()
        yield server
        server.stop()


@pytest.fixture
def user() -> str:
    """A user of the test's own."""
    return f"usuário {new_id()}"
