"""Programs run as if a library were not installed."""

import subprocess
import sys


def output_without(library: str, program: str) -> str:
    """Run the program in a Python of its own that does not find the library, and return its output."""
    hide = (
        "import importlib.util; found = importlib.util.find_spec\n"
        f"importlib.util.find_spec = lambda name, *rest: None if name == {library!r} else found(name, *rest)\n"
    )
    ran = subprocess.run([sys.executable, "-c", hide + program], capture_output=True, text=True, check=True)
    return ran.stdout.strip()
