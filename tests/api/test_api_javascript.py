"""LangGraph's JavaScript clients, unchanged, in a real Node: the tests themselves lie in tests/javascript."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from servers.recuerdo import RecuerdoServer

FOLDER = Path(__file__).parents[1] / "javascript"


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js on this machine")
@pytest.mark.skipif(not (FOLDER / "node_modules").exists(), reason="npm could not install the JavaScript clients")
@pytest.mark.parametrize("name", ["sdk", "use_stream", "protocol", "react"])
def test_javascript_clients_work_unchanged(api_server: RecuerdoServer, name: str) -> None:
    command = ["node", "--experimental-websocket", "--test", "--test-reporter=spec"]  # Node 20 has it behind this flag
    node = subprocess.run(
        [*command, f"{name}.test.mjs"],
        cwd=FOLDER,
        env={**os.environ, "RECUERDO_URL": api_server.url},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert node.returncode == 0, node.stdout[-6000:] + node.stderr[-2000:]
