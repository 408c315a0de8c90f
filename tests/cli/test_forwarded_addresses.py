"""The address of a caller behind a proxy, by which limits and the audit log go."""

from pathlib import Path

import httpx
import pytest

from servers.recuerdo import running_recuerdo

CLAIMED = "203.0.113.9"


@pytest.mark.parametrize(("named", "believed"), [("127.0.0.1", CLAIMED), ("10.0.0.5", "127.0.0.1")])
def test_only_a_named_proxy_says_what_address_a_caller_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, believed: str
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", named)
    settings = {"database_url": f"sqlite:///{tmp_path / 'recuerdo.db'}", "auth_api_keys": "true"}
    with running_recuerdo(**settings) as server:
        headers = {"x-api-key": "recuerdo_wrong", "X-Forwarded-For": CLAIMED}
        assert httpx.get(f"{server.url}/v1/threads", headers=headers).status_code == 401
        refused = [line for line in server.log.read_text().splitlines() if "authentication.failed" in line]
    assert [f"address={believed}" in line for line in refused] == [True]
