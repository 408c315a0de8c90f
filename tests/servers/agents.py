"""An agent-management service: a real HTTP server that knows agents, gives them tags, and fails as it is told."""

import hashlib
import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote


class AgentServer:
    """Answers `GET /agents/{id}`. `questions` are those that it was asked, `unchanged` those it answered with 304."""

    def __init__(self) -> None:
        self.agents: dict[str, dict[str, Any]] = {}
        self.questions: list[tuple[str, dict[str, str]]] = []
        self.unchanged = 0
        self.statuses: list[int] = []
        self.delay = 0.0
        self.delay_of_bytes = 0.0
        self._port = 0
        self._server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Listen, at the same port as before."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.answer(self)

            def log_message(self, *args: Any) -> None:
                """Says nothing."""

        self._server = _Server(("127.0.0.1", self._port), Handler)
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Be gone: connections are refused."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        agent = unquote(request.path.removeprefix("/agents/"))
        self.questions.append((agent, dict(request.headers)))
        time.sleep(self.delay)
        status = self.statuses.pop(0) if self.statuses else 200
        if status != 200:
            return _send(request, status, b"")
        if agent not in self.agents:
            return _send(request, 404, b"{}")
        body = json.dumps({"assistant_id": agent, **self.agents[agent]}).encode()
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if request.headers.get("If-None-Match") == tag:
            self.unchanged += 1
            return _send(request, 304, b"", tag)
        return _send(request, 200, body, tag, self.delay_of_bytes)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def _send(
    request: BaseHTTPRequestHandler, status: int, body: bytes, tag: str | None = None, delay_of_bytes: float = 0.0
) -> None:
    request.send_response(status)
    if tag:
        request.send_header("ETag", tag)
    if status in (301, 302, 307):
        request.send_header("Location", "http://127.0.0.1:9/agents/elsewhere")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    if not delay_of_bytes:
        request.wfile.write(body)
        return
    with suppress(OSError):  # whoever asked has gone
        for byte in body:
            request.wfile.write(bytes([byte]))
            time.sleep(delay_of_bytes)


@contextmanager
def running_agents() -> Generator[AgentServer]:
    """A new one, at work."""
    server = AgentServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()
