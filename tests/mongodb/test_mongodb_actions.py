"""What MongoDB does not hold is said when a worker starts, and not found out when it is lost."""

import logging

import pytest

from recuerdo import Recuerdo
from recuerdo.app.workers import working_alone


async def test_a_worker_says_that_actions_end_with_the_process(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        async with (
            Recuerdo.open(database_url, embeddings="none") as memory,
            working_alone(memory, ["query"], None, concurrency=1),
        ):
            assert memory.worker.queues == ["query"]
    assert "This database stores no actions" in caplog.text
