from collections.abc import Iterator

import httpx
import pytest
from serving import Backend, serving


@pytest.fixture
def backend() -> Backend:
    return Backend()


@pytest.fixture
def url(backend: Backend) -> Iterator[str]:
    with serving(backend.opened()) as url:
        yield url


@pytest.fixture
def client(url: str) -> Iterator[httpx.Client]:
    """A client that acts as the user `emi`."""
    with httpx.Client(base_url=url, headers={"X-Recuerdo-User": "emi"}, timeout=20) as client:
        yield client
