"""The Helm chart: rendered by Helm, held against Kubernetes' schemas, and carried out with real processes."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from servers.manifest import Manifest
from servers.postgres import running_postgres
from servers.valkey import running_valkey

_ROOT = Path(__file__).parents[2]
_CHART = _ROOT / "deploy" / "helm" / "recuerdo"
_HELM = Path(sys.executable).parent / "helm"
_EVERYTHING = (
    "ingress.enabled=true",
    "ingress.tlsSecret=certificate",
    "autoscaling.enabled=true",
    "secret.modelApiKey=model-api-key",
    "networkPolicy.egress[0].to[0].ipBlock.cidr=10.0.0.0/8",
    "podAnnotations.team=memory",
)

pytestmark = pytest.mark.skipif(not _HELM.exists(), reason="Helm could not be installed on this machine")


def _render(*values: str) -> str:
    settings = [part for value in values for part in ("--set", value)]
    command = [_HELM, "template", "recuerdo", _CHART, "--namespace", "agents", *settings]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _objects(*values: str) -> dict[tuple[str, str], Any]:
    loaded = [each for each in yaml.safe_load_all(_render(*values)) if each]
    return {(each["kind"], each["metadata"]["name"]): each for each in loaded}


@pytest.mark.parametrize(
    "values",
    [(), _EVERYTHING, ("worker.enabled=false",), ("secret.cacheUrl=",)],
    ids=["plain", "all", "alone", "cacheless"],
)
@pytest.mark.parametrize("version", ["1.27", "1.34"])
def test_every_object_is_one_that_kubernetes_takes(values: tuple[str, ...], version: str) -> None:
    import kubernetes_validate

    for each in _objects(*values).values():
        kubernetes_validate.validate(each, version, strict=True)


def test_helm_finds_nothing_to_say_about_the_chart() -> None:
    done = subprocess.run([_HELM, "lint", "--strict", _CHART], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "value", ["server.replica=3", "settings.RECUERDO_HOST=0.0.0.0", "worker.queues=emails", "service.port=0"]
)
def test_a_value_that_means_nothing_is_refused(value: str) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        _render(value)
    assert "values don't meet the specifications" in refused.value.stderr


def test_no_pod_may_do_more_than_it_needs() -> None:
    for (kind, name), each in _objects(*_EVERYTHING).items():
        if kind not in ("Deployment", "Job"):
            continue
        pod = each["spec"]["template"]["spec"]
        [container] = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"], name
        assert not pod["automountServiceAccountToken"], name
        assert container["securityContext"]["readOnlyRootFilesystem"], name
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, name
        assert container["resources"]["limits"]["memory"], name


def test_the_chart_holds_no_secret_and_only_the_upgrade_gets_the_owners() -> None:
    objects = _objects()
    assert not [name for kind, name in objects if kind == "Secret"]
    for (kind, name), each in objects.items():
        assert ("owner-url" in yaml.safe_dump(each)) == ((kind, name) == ("Job", "recuerdo-upgrade")), name


def test_an_autoscaler_and_a_number_of_replicas_exclude_each_other() -> None:
    assert "replicas" not in _objects("autoscaling.enabled=true")["Deployment", "recuerdo"]["spec"]


def test_two_replicas_of_the_chart_share_what_they_are_told() -> None:
    secret = """
---
apiVersion: v1
kind: Secret
metadata: {name: recuerdo}
stringData: {owner-url: "OWNER", database-url: "OWNER", cache-url: "redis://CACHE/0"}
"""
    with running_postgres() as database, running_valkey() as cache:
        hosts = {"OWNER": database.url, "CACHE": f"127.0.0.1:{cache.port}"}
        manifest = Manifest(_render("worker.enabled=false") + secret, hosts)
        manifest.run_job("recuerdo-upgrade")
        create = ("recuerdo", "token", "create", "--tenant", "acme", "--user", "emi", "--name", "laptop")
        key = manifest.run("recuerdo", *create).split()[-1]
        with manifest.deployed("recuerdo") as (one, other):
            ask = _asking(key)
            ask(one, "Hola, me llamo Emiliano")
            assert "Emiliano" in ask(other, "¿Cómo me llamo?")


def _asking(key: str) -> Callable[[str, str], str]:
    def ask(address: str, message: str) -> str:
        answer = httpx.post(
            f"{address}/v1/chat", json={"thread_id": "t-1", "message": message}, headers={"x-api-key": key}, timeout=60
        )
        answer.raise_for_status()
        return answer.json()["reply"]["content"]

    return ask
