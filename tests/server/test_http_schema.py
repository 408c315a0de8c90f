"""What the OpenAPI document says of every operation holds for what somebody sends who has only read the document."""

import os
import subprocess
import sys
from pathlib import Path

import httpx

CASES = int(os.environ.get("RECUERDO_TEST_SCHEMA_CASES", "2"))
"""Of each operation. More than a few, and every case that the document suggests is tried as well."""

NOT_CHECKED = "positive_data_acceptance"
"""Whether all that fits the document is accepted: JSON Schema can't say which graphs and cursors there are."""

WAITING = "^/(threads/{thread_id}/)?runs/wait$"
"""A run that somebody wants to begin in a year is waited for as long."""


def test_the_openapi_document_says_what_every_operation_takes_and_answers(url: str, tmp_path: Path) -> None:
    thorough = CASES > 10
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "run", f"{url}/openapi.json"),
        *("--header", "X-Recuerdo-User: fuzz", "--seed", "1", "--request-timeout", "60", "--continue-on-failure"),
        *("--max-examples", str(CASES), "--exclude-checks", NOT_CHECKED, "--exclude-path-regex", WAITING),
        *("--phases", "coverage,fuzzing,stateful" if thorough else "fuzzing"),
    ]
    tried = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=None)
    assert tried.returncode == 0, tried.stdout[-20_000:]
    httpx.get(f"{url}/ok", timeout=60).raise_for_status()
