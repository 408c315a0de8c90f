"""A thread is stored in two steps: for runs, and as a conversation of the history."""

from typing import Any
from unittest.mock import AsyncMock

import pytest

from recuerdo import Recuerdo
from recuerdo.core.errors import DatabaseUnavailable, OutcomeUnknown
from recuerdo.core.scope import Owner
from recuerdo.history.history import utc_now
from recuerdo.runs.threads import Threads

EMI = Owner("acme", "emi")


async def test_a_database_that_goes_away_between_both_steps_is_not_said_to_have_stored_nothing() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        assert memory.documents is not None
        history: Any = AsyncMock()
        history.update_metadata.side_effect = DatabaseUnavailable("It is away. Nothing was stored.")
        threads = Threads(memory.documents, AsyncMock(), utc_now, history)
        with pytest.raises(OutcomeUnknown):
            await threads.create(EMI, threads.new("t", {"channel": "web"}))
        assert (await threads.get(EMI, "t")).metadata == {"channel": "web"}
