"""A manifest of Kubernetes, carried out on this machine: each of its containers is a process with a port of its own.

The image is the one of the Dockerfile, so arguments follow `recuerdo`.
"""

import http.client
import os
import subprocess
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from servers import preloaded
from servers.process import ServerProcess, free_port, server_folder

_PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
_SECONDS_FOR_A_JOB = 60


class Manifest:
    """The objects of a manifest. `hosts` says where on this machine its `host:port` are."""

    def __init__(self, text: str, hosts: Mapping[str, str]) -> None:
        for name, address in hosts.items():
            text = text.replace(name, address)
        objects = [each for each in yaml.safe_load_all(text) if each is not None]
        self._objects = {(each["kind"], each["metadata"]["name"]): each for each in objects}

    def run_job(self, name: str) -> str:
        """The output of the job, which must succeed."""
        container = self._container("Job", name)
        return self._run(container, ["recuerdo", *container["args"]])

    def run(self, deployment: str, *command: str) -> str:
        """The output of the command in a container of the deployment, as `kubectl exec` would have it."""
        return self._run(self._container("Deployment", deployment), list(command))

    @contextmanager
    def deployed(self, name: str) -> Generator[list[str]]:
        """The addresses of all replicas, whose probes succeed."""
        container = self._container("Deployment", name)
        with ExitStack() as stack:
            replicas = range(self._objects["Deployment", name]["spec"]["replicas"])
            yield [stack.enter_context(self._replica(container)) for _ in replicas]

    @contextmanager
    def _replica(self, container: dict[str, Any]) -> Generator[str]:
        with server_folder() as folder:
            port = free_port()
            variables = [f"{name}={value}" for name, value in self._variables(container).items()]
            process = ServerProcess(
                ["env", "-i", *variables, f"RECUERDO_PORT={port}", "recuerdo", *container["args"]], folder
            )
            process.start(lambda: all(_succeeds(port, container[probe]["httpGet"]["path"]) for probe in _PROBES))
            try:
                yield f"http://127.0.0.1:{port}"
            finally:
                process.stop()

    def _run(self, container: dict[str, Any], command: list[str]) -> str:
        done = subprocess.run(
            command, env=self._variables(container), capture_output=True, text=True, timeout=_SECONDS_FOR_A_JOB
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _container(self, kind: str, name: str) -> dict[str, Any]:
        [container] = self._objects[kind, name]["spec"]["template"]["spec"]["containers"]
        return container

    def _variables(self, container: dict[str, Any]) -> dict[str, str]:
        own = {each["name"]: each.get("value") or self._secret(each) for each in container["env"]}
        return {"PATH": os.pathsep.join([str(Path(preloaded.command()).parent), os.environ["PATH"]]), **own}

    def _secret(self, variable: dict[str, Any]) -> str:
        reference = variable["valueFrom"]["secretKeyRef"]
        return self._objects["Secret", reference["name"]]["stringData"][reference["key"]]


def _succeeds(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
