"""`from_conn_string` where it can't be opened: one clear error, and nothing that is left open behind it."""

import asyncio
import gc
import logging
import traceback

import pytest

from recuerdo.app.recuerdo import Recuerdo
from recuerdo.core.errors import ConfigurationError, RecuerdoError
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


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://127.0.0.1:1/absent", "127.0.0.1:1 can't be reached: .*refused.*Check the database URL"),
        ("mongodb://127.0.0.1:1/absent?timeoutMS=500", "127.0.0.1:1 .*Errno.*Check the hosts in the database URL"),
        ("mysql://127.0.0.1", "A database URL starts with"),
    ],
)
@pytest.mark.parametrize("way", ["with", "async with", "open"])
def test_a_failed_opening_prints_a_few_lines_of_which_the_last_says_what_to_do(url: str, said: str, way: str) -> None:
    """The driver's own errors and the way through Recuerdo's files filled two screens."""

    async def open_in_loop() -> None:
        async with Recuerdo.open(url) if way == "open" else Opening(url, refuse):
            pytest.fail("opened")

    def open_it() -> None:
        with Opening(url, refuse):
            pytest.fail("opened")

    with pytest.raises(RecuerdoError, match=said) as failed:
        open_it() if way == "with" else asyncio.run(open_in_loop())
    frames = traceback.extract_tb(failed.tb)
    assert len([frame for frame in frames if "recuerdo/" in frame.filename and "/tests/" not in frame.filename]) == 1
    assert "".join(traceback.format_exception(failed.value)).count("Traceback") == 1
