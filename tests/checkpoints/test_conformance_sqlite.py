"""LangGraph's own conformance kit, over SQLite."""

import tempfile
from pathlib import Path

from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability

from recuerdo.integrations.langgraph import RecuerdoSaver


@checkpointer_test(name="RecuerdoSaver over SQLite")
async def saver():
    with tempfile.TemporaryDirectory() as folder:
        async with RecuerdoSaver.from_conn_string(f"sqlite:///{Path(folder) / 'recuerdo.db'}") as opened:
            await opened.setup()
            yield opened


async def test_every_capability_is_detected_and_passes() -> None:
    report = await validate(saver)
    for capability in Capability:
        result = report.results[capability.value]
        assert result.detected, capability
        assert result.passed, result.failures
    assert sum(result.tests_passed for result in report.results.values()) >= 81
