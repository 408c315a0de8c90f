"""LangGraph's own conformance kit."""

import tempfile
from pathlib import Path

from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from langgraph.checkpoint.conformance.initializer import RegisteredCheckpointer

from recuerdo.integrations.langgraph import RecuerdoSaver


async def test_every_capability_is_detected_and_passes_on_sqlite() -> None:
    with tempfile.TemporaryDirectory() as folder:
        await _assert_full(_registered(f"sqlite:///{Path(folder) / 'recuerdo.db'}"))


async def test_every_capability_is_detected_and_passes_in_memory() -> None:
    await _assert_full(_registered("memory://"))


async def test_every_capability_is_detected_and_passes_on_postgres(postgres_url: str) -> None:
    await _assert_full(_registered(postgres_url))


async def test_every_capability_is_detected_and_passes_on_mongodb(empty_mongodb_url: str) -> None:
    await _assert_full(_registered(empty_mongodb_url))


def _registered(url: str) -> RegisteredCheckpointer:
    @checkpointer_test(name=url)
    async def saver():
        async with RecuerdoSaver.from_conn_string(url, user="emi") as opened:
            await opened.setup()
            yield opened

    return saver


async def _assert_full(registered: RegisteredCheckpointer) -> None:
    """The kit calls full whatever it detects, so that `detected` counts as well."""
    report = await validate(registered)
    for capability in Capability:
        result = report.results[capability.value]
        assert result.detected, capability
        assert result.passed, result.failures
    assert sum(result.tests_passed for result in report.results.values()) >= 81
