"""The contract suites, a file for each topic. Import them from `recuerdo.testing`."""

import pytest

from recuerdo.core.scope import Owner, Scope
from recuerdo.testing.samples import fresh_owner


class AsNewTenant:
    """Tests that each act as a user of a new tenant."""

    pytestmark = pytest.mark.asyncio

    @pytest.fixture
    def owner(self) -> Owner:
        return fresh_owner()

    @pytest.fixture
    def scope(self, owner: Owner) -> Scope:
        return owner.thread("t-1")
