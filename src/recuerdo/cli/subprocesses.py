"""Servers that a command runs as processes of their own: when to stop them, and how."""

import signal
import subprocess  # nosec B404
import threading
from types import FrameType

_SECONDS_TO_STOP = 15


def set_by_signals() -> threading.Event:
    """An event that SIGINT and SIGTERM set from now on, instead of ending this process."""
    stopped = threading.Event()

    def stop_all(_number: int, _frame: FrameType | None) -> None:
        stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop_all)
    return stopped


def stop(*servers: subprocess.Popen[bytes]) -> None:
    """Let the servers finish their requests at the same time and end; kill one that takes too long."""
    for server in servers:
        server.terminate()
    for server in servers:
        try:
            server.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            server.kill()
