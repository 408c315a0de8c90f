"""The TypeScript client in a real Node, against a real server; most of its tests lie in clients/typescript/test."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from recuerdo.client import Client
from servers.recuerdo import RecuerdoServer
from servers.typescript import CLIENT, PATIENCE, built_client, is_missing, run_program

pytestmark = pytest.mark.skipif(bool(is_missing()), reason=is_missing())
KILLS = 3


@pytest.mark.parametrize("name", ["client", "faults"])
def test_the_client_does_in_node_what_the_python_client_does(client_server: RecuerdoServer, name: str) -> None:
    node = subprocess.run(
        ["node", "--test", "--test-reporter=spec", f"test/{name}.test.mjs"],
        cwd=built_client(),
        env={**os.environ, "RECUERDO_URL": client_server.url},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert node.returncode == 0, node.stdout[-6000:] + node.stderr[-2000:]


def test_a_server_killed_again_and_again_makes_no_append_twice_and_loses_none(
    mortal_server: RecuerdoServer, user: str
) -> None:
    program = subprocess.Popen(
        ["node", "test/appending.mjs", mortal_server.url, user],
        cwd=built_client(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with program:
        assert program.stdin is not None
        assert program.stdout is not None
        told = []
        for _ in range(KILLS):
            told += [program.stdout.readline() for _ in range(5)]
            mortal_server.kill()
            mortal_server.start()
        program.stdin.close()
        told += program.stdout.readlines()
        assert program.wait(PATIENCE) == 0
    with Client(mortal_server.url, user=user) as client:
        stored = [*client.thread("t").messages()]
    assert [message.id for message in stored] == [line.strip() for line in told]
    assert [message.text for message in stored] == [str(number) for number in range(len(stored))]


def test_a_program_is_checked_against_the_types_of_the_api(tmp_path: Path) -> None:
    good = 'import { Client } from "recuerdo";\nconsole.log(typeof new Client("http://x").thread("t").append);\n'
    assert run_program(good, tmp_path) == "function\n"
    wrong = 'import { Client } from "recuerdo";\nnew Client("http://x").chat("hi", { thread: "t-1" });\n'
    with pytest.raises(AssertionError, match="'thread' does not exist in type 'ChatOptions"):
        run_program(wrong, tmp_path)


def test_the_package_has_no_dependency_and_the_version_of_the_python_package() -> None:
    package = json.loads((CLIENT / "package.json").read_text("utf-8"))
    assert "dependencies" not in package
    import recuerdo

    assert package["version"] == re.split(r"[ab+]|rc|\.dev", recuerdo.__version__)[0]
    lock = (CLIENT / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock
