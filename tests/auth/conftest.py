from collections.abc import Iterator

import pytest

from servers.identity_provider import IdentityProvider, running_provider


@pytest.fixture(scope="session")
def running_identity_provider() -> Iterator[IdentityProvider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(running_identity_provider: IdentityProvider) -> IdentityProvider:
    """An identity provider in its first state."""
    running_identity_provider.reset()
    return running_identity_provider
