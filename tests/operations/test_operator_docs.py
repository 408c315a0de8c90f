"""The commands for operators are documented, each in a section of its own with exactly its flags."""

import re
from pathlib import Path
from typing import Any, cast

import pytest
import typer

from recuerdo.adapters.signals import LocalSignals
from recuerdo.app.replicas import ReplicaGauge
from recuerdo.app.storage import StorageGauges
from recuerdo.cli.commands import application
from recuerdo.observability.metrics import Metrics
from recuerdo.observability.observed import Observation

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS: dict[str, Any] = {
    f"{group} {name}": command
    for group, each in cast(Any, typer.main.get_command(application())).commands.items()
    for name, command in getattr(each, "commands", {}).items()
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_documented_with_its_flags(name: str) -> None:
    page = (DOCS / "reference" / "cli.md").read_text("utf-8")
    _, found, rest = page.partition(f"\n## recuerdo {name}\n")
    assert found, f"docs/reference/cli.md has no section for `recuerdo {name}`"
    flags = {flag for one in COMMANDS[name].params for flag in one.opts if flag.startswith("--") and flag != "--help"}
    assert set(re.findall(r"^\| `(--[\w-]+)` \|", rest.partition("\n## ")[0], re.MULTILINE)) == flags


def test_every_metric_is_documented_and_no_other() -> None:
    page = (DOCS / "how-to" / "watch-it.md").read_text("utf-8")
    counted = Metrics()
    observation = Observation(counted)
    observation.spool(lambda: 0, lambda: 0)
    observation.repairs(lambda: 0)
    observation.outages(lambda: 0, lambda: 0)
    StorageGauges(cast(Any, None), "memory://", counted)
    ReplicaGauge(LocalSignals(), counted)
    there = set(re.findall(r"^# TYPE (recuerdo_\w+) ", counted.render().decode(), re.MULTILINE))
    told = set(re.findall(r"recuerdo_\w+", page))
    assert told == {name for name in there if not name.endswith("_created")}
