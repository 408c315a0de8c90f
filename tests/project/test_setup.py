"""`scripts/setup`: uv installs where it can be had, with the mirrors that pip is set to, and pip does where it can't.

The interpreter and uv are programs that write down how they were called, so that nothing is installed.
"""

import os
import subprocess
from pathlib import Path

import pytest
from source_tree import ROOT

PYTHON = """#!/bin/bash
case "$*" in
    -c*) echo "$0" ;;
    *--without-pip*) mkdir -p "$VENV/bin"; cp "$STUBS/fetched-uv" "$VENV/bin/uv"; ln -sf "$0" "$VENV/bin/python" ;;
    *"config list") echo "global.index""-url='https://mirror.example/all'"; echo ":env:.find-links='/wheels /more'" ;;
    *" install "*) echo "pip $*" >> "$CALLS" ;;
esac
"""
UV = """#!/bin/bash
echo "uv $* ($UV_DEFAULT_INDEX $UV_FIND_LINKS)" >> "$CALLS"
exit $UV_FAILS
"""


@pytest.mark.parametrize(
    ("uv_fails", "expected"),
    [
        (0, ["pip install uv==", "uv pip install run.txt (https://mirror.example/all /wheels,/more)"]),
        (
            1,
            [
                "pip install uv==",
                "uv pip install run.txt (https://mirror.example/all /wheels,/more)",
                "pip install run.txt",
            ],
        ),
    ],
    ids=["uv can", "uv can't"],
)
def test_pip_fetches_uv_and_takes_over_where_uv_cannot_install(
    tmp_path: Path, uv_fails: int, expected: list[str]
) -> None:
    calls = _set_up(tmp_path, uv_fails)
    assert len(calls) == len(expected), calls
    for call, parts in zip(calls, expected, strict=True):
        assert all(part in call for part in parts.split(" ")), (call, parts)


def _set_up(place: Path, uv_fails: int) -> list[str]:
    for name, text in {"python": PYTHON, "fetched-uv": UV, "uv": "#!/bin/bash\nexit 127\n"}.items():
        (place / name).write_text(text, "utf-8")
        (place / name).chmod(0o755)
    environment = {
        "PATH": f"{place}:{os.environ['PATH']}",
        "PYTHON": str(place / "python"),
        "STUBS": str(place),
        "CALLS": str(place / "calls"),
        "VENV": str(place / "venv"),
        "UV_FAILS": str(uv_fails),
    }
    subprocess.run(
        [ROOT / "scripts" / "setup", environment["VENV"], "requirements/run.txt"],
        env=environment,
        check=True,
        capture_output=True,
        timeout=60,
    )
    return (place / "calls").read_text("utf-8").splitlines()
