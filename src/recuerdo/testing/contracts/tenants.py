"""What the contracts of repositories share: whom their tests act as."""

import pytest

from recuerdo.core.scope import Owner, Scope
from recuerdo.testing.remembered import fresh_owner


class AsNewTenant:
    """Tests that each act as a user of a tenant that nobody else has."""

    pytestmark = pytest.mark.asyncio

    @pytest.fixture
    def owner(self) -> Owner:
        return fresh_owner()

    @pytest.fixture
    def scope(self, owner: Owner) -> Scope:
        return owner.thread("t-1")
