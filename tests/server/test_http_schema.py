"""The OpenAPI document is true of every operation, for callers that have read nothing else."""

import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import jwt
import pytest
from serving import serving

from recuerdo import Recuerdo
from recuerdo.adapters.local import LocalApiKeys, LocalAudit, LocalDatabase
from recuerdo.app.graphs import Hosted, hosting
from recuerdo.audit import AuditLog
from recuerdo.core.roles import OPERATOR_ROLE
from recuerdo.history.history import utc_now
from recuerdo.observability.metrics import Metrics
from recuerdo.server import ServerOptions
from recuerdo.server.auth.options import AuthOptions, Issuer

CASES = int(os.environ.get("RECUERDO_TEST_SCHEMA_CASES", "2"))
"""Of each operation. More than a few, and every case that the document suggests is tried as well."""

NOT_CHECKED = "positive_data_acceptance"
"""Whether all that fits the document is accepted: JSON Schema can't say which graphs and cursors there are."""

WAITING = "^/(threads/{thread_id}/)?runs/wait$"
"""A run that somebody wants to begin in a year is waited for as long."""

SECRET = "a secret of thirty-two bytes, or more"
ISSUER = Issuer("us", ("recuerdo",), secret=SECRET, algorithms=("HS256",), highest_role=OPERATOR_ROLE)


@pytest.fixture
def guarded_url(tmp_path: Path) -> Iterator[str]:
    """A server that authenticates its callers, over a database of its own."""
    database = LocalDatabase()
    options = ServerOptions(
        auth=AuthOptions(issuers=(ISSUER,), api_keys=True),
        api_keys=LocalApiKeys(database),
        audit=AuditLog(LocalAudit(database), utc_now),
        metrics=Metrics(),
    )
    with serving(opened(f"sqlite:///{tmp_path / 'r.db'}"), options) as url:
        yield url


@asynccontextmanager
async def opened(database: str) -> AsyncGenerator[Hosted]:
    async with Recuerdo.open(database, embeddings="none") as memory, hosting(memory) as hosted:
        yield hosted


def test_the_openapi_document_says_what_every_operation_takes_and_answers(guarded_url: str, tmp_path: Path) -> None:
    """Every operation is open to the caller, who has the highest role, and whom no erasure takes it from."""
    thorough = CASES > 10
    httpx.get(f"{guarded_url}/openapi.json").raise_for_status()  # schemathesis waits 10 seconds for it
    claims = {"iss": "us", "aud": "recuerdo", "sub": "fuzz", "tenant": "acme", "role": OPERATOR_ROLE}
    token = jwt.encode(claims | {"exp": time.time() + 86_400}, SECRET)
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "run", f"{guarded_url}/openapi.json"),
        *("--header", f"Authorization: Bearer {token}", "--seed", "2", "--request-timeout", "60"),
        *("--max-examples", str(CASES), "--exclude-checks", NOT_CHECKED, "--exclude-path-regex", WAITING),
        *("--phases", "coverage,fuzzing,stateful" if thorough else "fuzzing", "--continue-on-failure"),
    ]
    tried = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=None)
    assert tried.returncode == 0, tried.stdout[-20_000:]
    httpx.get(f"{guarded_url}/ok").raise_for_status()
