"""`recuerdo serve --workers`: several processes on one port."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from servers import preloaded
from servers.process import server_folder
from servers.recuerdo import RecuerdoServer


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)


def workers_of(server: RecuerdoServer) -> set[int]:
    return {int(each) for each in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()}


def test_a_killed_worker_is_replaced_while_the_others_answer_and_all_end_together(postgres_url: str) -> None:
    with server_folder() as folder:
        server = RecuerdoServer(folder, more=("--workers", "2"), database_url=postgres_url, embeddings="none")
        server.start()
        try:
            until(lambda: len(workers_of(server)) == 2)
            first = workers_of(server)
            with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "emi"}) as client:
                said = {"messages": [{"role": "user", "content": "Hola"}]}
                assert client.post("/v1/threads/t/messages", json=said).status_code == 201
            killed = min(first)
            os.kill(killed, signal.SIGKILL)
            until(lambda: len(workers_of(server) - {killed}) == 2)
            until(server.answers)
            with httpx.Client(base_url=server.url, headers={"X-Recuerdo-User": "emi"}) as client:
                read = client.get("/v1/threads/t/messages").json()
            assert [each["content"] for each in read["messages"]] == ["Hola"]
            last = workers_of(server)
        finally:
            server.stop()
        assert not [pid for pid in last if Path(f"/proc/{pid}").exists()]


def test_several_workers_over_sqlite_are_refused_with_what_to_do(tmp_path: Path) -> None:
    command = [preloaded.command(), "serve", "--workers", "2"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 1
    assert "RECUERDO_DATABASE_URL" in ended.stderr
