"""The image: what its Dockerfile promises, and, with RECUERDO_TEST_IMAGE, what its build makes."""

import os
import subprocess
from pathlib import Path

import pytest

from deploy.dockerfile import Instruction, build, exec_form, instructions

_ROOT = Path(__file__).parents[2]
_BUILD, _FINAL = instructions((_ROOT / "Dockerfile").read_text("utf-8"))
_IGNORED = (_ROOT / ".dockerignore").read_text("utf-8")


def _values(name: str, stage: list[Instruction] = _FINAL) -> list[str]:
    return [each.value for each in stage if each.name == name]


def test_the_image_runs_as_a_user_without_rights_that_kubernetes_can_check() -> None:
    """A number: `runAsNonRoot` can't tell whether a name is root."""
    assert _values("USER") == ["10001:10001"]


def test_only_the_data_folder_is_written_to() -> None:
    environment = " ".join(_values("ENV"))
    assert _values("VOLUME") == ["/data"]
    assert "RECUERDO_DATABASE_URL=sqlite:////data/recuerdo.db" in environment
    assert "RECUERDO_SPOOL=/data/spool" in environment


def test_the_context_holds_nothing_but_what_the_build_copies() -> None:
    copied = {path for value in _values("COPY", _BUILD) for path in value.split()[:-1]}
    assert {line[1:] for line in _IGNORED.splitlines() if line.startswith("!")} == copied
    assert _IGNORED.startswith("*\n")


def test_the_last_stage_takes_the_environment_alone() -> None:
    assert _values("COPY") == ["--from=build /opt/recuerdo /opt/recuerdo"]
    assert exec_form(_values("ENTRYPOINT")[0]) == ["recuerdo"]
    assert exec_form(_values("CMD")[0]) == ["serve"]


@pytest.mark.skipif("RECUERDO_TEST_IMAGE" not in os.environ, reason="takes a minute or more: make image-test")
@pytest.mark.timeout(900)
def test_the_build_makes_a_command_that_runs_with_every_extra(tmp_path: Path) -> None:
    build(_BUILD, _ROOT, _IGNORED, tmp_path)
    python = tmp_path / "opt/recuerdo/bin/python"
    version = subprocess.run([tmp_path / "opt/recuerdo/bin/recuerdo", "version"], capture_output=True, text=True)
    assert version.stdout.strip() == "0.1.0", version.stderr
    needed = "import fastapi, langgraph, psycopg, redis, pymongo, mcp, pypdf, numpy, quicktok"
    subprocess.run([python, "-c", needed], check=True)
    assert subprocess.run([python, "-m", "pip"], capture_output=True).returncode != 0
