"""A Valkey behind a proxy, for tests of what goes wrong on the way."""

import pytest

from servers.proxy import running_proxy
from servers.valkey import running_valkey


@pytest.fixture(scope="module")
def valkey():
    """A server of each file's own: everything in it may be purged."""
    with running_valkey() as valkey:
        yield valkey


@pytest.fixture
def proxy(valkey):
    with running_proxy(valkey.port) as proxy:
        yield proxy
