"""`from_conn_string` where it can't be opened: one clear error, and nothing that is left open behind it."""

import asyncio
import gc
import logging

import pytest

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.core.errors import ConfigurationError
from recuerdo.integrations.langgraph.saver import Opening


def refuse(_: Recuerdo) -> None:
    raise ConfigurationError("This can't be opened.")


@pytest.mark.parametrize("url", ["memory://", "sqlite://"])
@pytest.mark.parametrize("way", ["with", "async with"])
def test_a_failed_opening_is_one_error(caplog: pytest.LogCaptureFixture, way: str, url: str) -> None:
    """Generators that stay open are ended with the event loop, which logs a traceback for each."""

    async def open_in_loop() -> None:
        async with Opening(url, refuse):
            pytest.fail("opened")

    def open_it() -> None:
        with Opening(url, refuse):
            pytest.fail("opened")

    with caplog.at_level(logging.WARNING), pytest.raises(ConfigurationError, match=r"can't be opened|names no file"):
        open_it() if way == "with" else asyncio.run(open_in_loop())
    gc.collect()
    assert caplog.records == []
