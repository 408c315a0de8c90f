"""The command line: `recuerdo serve`, `recuerdo chat`."""

import sys

from recuerdo.cli.commands import app
from recuerdo.core.errors import RecuerdoError


def main() -> None:
    """Run the command that the arguments name; an error that Recuerdo knows is one line and exit status 1."""
    try:
        app()
    except RecuerdoError as error:
        sys.exit(f"recuerdo: {error}")
