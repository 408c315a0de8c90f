from collections.abc import Iterator

import httpx
import pytest
from serving import Backend, serving

from recuerdo.adapters.local import LocalAudit, LocalDatabase
from recuerdo.audit import AuditLog
from recuerdo.history.history import utc_now
from recuerdo.observability.metrics import Metrics
from recuerdo.server import ServerOptions


@pytest.fixture(scope="session")
def served_backend() -> Backend:
    return Backend()


@pytest.fixture(scope="session")
def served_url(served_backend: Backend) -> Iterator[str]:
    audit = AuditLog(LocalAudit(LocalDatabase()), utc_now)
    with serving(served_backend.opened(), ServerOptions(metrics=Metrics(), audit=audit)) as url:
        yield url


@pytest.fixture
def backend(served_backend: Backend) -> Backend:
    """The empty backend of the server."""
    served_backend.reset()
    return served_backend


@pytest.fixture
def url(served_url: str, backend: Backend) -> str:
    return served_url


@pytest.fixture(scope="session")
def pooled_client(served_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served_url, headers={"X-Recuerdo-User": "emi"}) as client:
        yield client


@pytest.fixture
def client(pooled_client: httpx.Client, backend: Backend) -> httpx.Client:
    """A client that acts as the user `emi`."""
    return pooled_client
