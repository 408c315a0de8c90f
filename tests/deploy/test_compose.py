"""compose.yaml with the files that its services mount, and the units of systemd; without Docker and systemd."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
import yaml

from recuerdo.app.settings import Settings
from servers.postgres import running_postgres

_ROOT = Path(__file__).parents[2]
_COMPOSE: dict[str, Any] = yaml.safe_load((_ROOT / "compose.yaml").read_text("utf-8"))
_SERVICES: dict[str, Any] = _COMPOSE["services"]
_OURS = [name for name, each in _SERVICES.items() if each["image"].startswith("recuerdo:")]


def test_the_services_are_there() -> None:
    assert {"address", "server", "worker", "upgrade", "database", "cache", "prometheus", "grafana"} <= _SERVICES.keys()
    assert _SERVICES["server"]["deploy"]["replicas"] == 2


@pytest.mark.parametrize("name", _SERVICES)
def test_what_a_service_mounts_and_waits_for_is_there(name: str) -> None:
    service = _SERVICES[name]
    for volume in service.get("volumes", ()):
        source = volume.split(":")[0]
        assert (_ROOT / source).exists() if source.startswith(".") else source in _COMPOSE["volumes"], volume
    assert set(service.get("depends_on", ())) <= _SERVICES.keys()
    waits_for_health = [
        other for other, how in service.get("depends_on", {}).items() if how["condition"] == "service_healthy"
    ]
    for other in waits_for_health:
        has_check = "healthcheck" in _SERVICES[other] or other == "server"  # the image has one
        assert has_check, f"{name} waits for ever for {other}"


@pytest.mark.parametrize("name", _OURS)
def test_our_containers_write_nowhere_but_where_they_must(name: str) -> None:
    service = _SERVICES[name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    known = {f"RECUERDO_{setting}".upper() for setting in Settings.model_fields} | {"RECUERDO_AUTH_API_KEYS"}
    assert service["environment"].keys() <= known


def test_ports_are_published_on_this_machine_only() -> None:
    published = [port for each in _SERVICES.values() for port in each.get("ports", ())]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_the_roles_that_the_database_starts_with_are_enough_and_no_more(tmp_path: Path) -> None:
    """The statements of roles.sh, against a real PostgreSQL."""
    script = (_ROOT / "deploy/compose/roles.sh").read_text("utf-8")
    subprocess.run(["sh", "-n", _ROOT / "deploy/compose/roles.sh"], check=True)
    [statements] = re.findall(r"<<'SQL'\n(.*?)\nSQL", script, re.DOTALL)
    before, after = statements.split("\\connect recuerdo\n")
    with running_postgres() as database:
        with psycopg.connect(database.url, autocommit=True) as superuser:
            for statement in before.replace(":'owner'", "'one'").replace(":'server'", "'two'").split(";\n"):
                superuser.execute(statement)  # type: ignore[arg-type]
        with psycopg.connect(_as(database.url, "postgres", None), autocommit=True) as superuser:
            superuser.execute(after)  # type: ignore[arg-type]
        upgrade = _recuerdo("db", "upgrade", url=_as(database.url, "recuerdo_owner", "one"), folder=tmp_path)
        assert upgrade.returncode == 0, upgrade.stderr
        served = _recuerdo("db", "check", url=_as(database.url, "recuerdo_server", "two"), folder=tmp_path)
        assert served.returncode == 0, served.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not on this machine")
@pytest.mark.parametrize("unit", sorted((_ROOT / "deploy" / "systemd").iterdir()), ids=lambda unit: unit.name)
def test_systemd_finds_nothing_wrong_with_a_unit(unit: Path, tmp_path: Path) -> None:
    """Its program is not on this machine, so another one stands in for it."""
    program = tmp_path / "recuerdo"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    checked = tmp_path / unit.name
    checked.write_text(unit.read_text("utf-8").replace("/opt/recuerdo/bin/recuerdo", str(program)))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", checked], capture_output=True, text=True)
    assert not [line for line in done.stderr.splitlines() if unit.name in line]


def test_the_units_of_systemd_share_their_folder_as_one_user() -> None:
    """Each dynamic user that starts takes the folder, with the database, from the one before."""
    units = [unit.read_text("utf-8").splitlines() for unit in (_ROOT / "deploy" / "systemd").iterdir()]
    for setting in ("DynamicUser=yes", "User=recuerdo", "StateDirectory=recuerdo"):
        assert all(setting in unit for unit in units), setting


def _as(url: str, user: str, password: str | None) -> str:
    parts = psycopg.conninfo.conninfo_to_dict(url)
    password = quote(password or str(parts["password"]), safe="")
    return f"postgresql://{user}:{password}@{parts['host']}:{parts['port']}/recuerdo"


def _recuerdo(*arguments: str, url: str, folder: Path) -> subprocess.CompletedProcess[str]:
    from cli.command import run

    return run(folder, *arguments, RECUERDO_DATABASE_URL=url)
