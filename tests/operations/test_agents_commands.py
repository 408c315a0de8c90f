"""`recuerdo agents`: assistants of a tenant and of its users, through a real process."""

import json
from typing import Any

from operating import ran, refused


def listed(folder: Any, *arguments: str) -> list[tuple[str, str, int]]:
    found = json.loads(ran(folder, "agents", "list", "--json", *arguments).stdout)
    return sorted((each["name"], each["visibility"], each["version"]) for each in found)


def test_a_tenant_and_a_user_have_assistants(tmp_path: Any) -> None:
    prompts = '{"prompts": {"system": "Be brief."}}'
    shared = ran(tmp_path, "agents", "add", "Support", "--context", prompts).stdout.decode().strip()
    mine = ran(tmp_path, "agents", "add", "Mine", "--user", "emi").stdout.decode().strip()
    assert listed(tmp_path) == [("Support", "tenant", 1), ("recuerdo", "server", 1)]
    assert listed(tmp_path, "--user", "emi") == [("Mine", "private", 1), *listed(tmp_path)]
    assert listed(tmp_path, "--tenant", "other") == [("recuerdo", "server", 1)]
    assert b"Help has the version 2." in ran(tmp_path, "agents", "change", shared, "--name", "Help").stderr
    assert b"Help" in ran(tmp_path, "agents", "list").stdout
    ran(tmp_path, "agents", "change", "recuerdo", "--context", prompts)
    assert listed(tmp_path) == [("Help", "tenant", 2), ("recuerdo", "tenant", 2)]
    ran(tmp_path, "agents", "default", shared)
    assert json.loads(ran(tmp_path, "agents", "show", "recuerdo", "--user", "emi").stdout)["stands_for"] == shared
    for agent in (shared, "recuerdo"):
        ran(tmp_path, "agents", "remove", agent)
    assert listed(tmp_path, "--user", "emi") == [("Mine", "private", 1), ("recuerdo", "server", 1)]
    ran(tmp_path, "agents", "share", mine, "--user", "emi")
    assert listed(tmp_path, "--user", "eva") == [("Mine", "tenant", 1), ("recuerdo", "server", 1)]


def test_what_can_not_be_is_refused(tmp_path: Any) -> None:
    assert "--context" in refused(tmp_path, "agents", "add", "x", "--context", "[]")
    assert "no graph" in refused(tmp_path, "agents", "add", "x", "--graph", "none")
    assert "must be the UUID" in refused(tmp_path, "agents", "change", "nobody", "--name", "x")
    assert "--name" in refused(tmp_path, "agents", "change", "recuerdo")
    assert "context.prompts.orchestrator" in refused(
        tmp_path, "agents", "add", "x", "--context", '{"prompts": {"orchestrator": "x"}}'
    )
