"""The command line: `recuerdo serve`, `recuerdo chat` ..."""

import errno
import os
import sys
from contextlib import suppress

from recuerdo.cli.commands import application
from recuerdo.core.errors import RecuerdoError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main() -> None:
    """Run the command. A RecuerdoError becomes one line on standard error and exit status 1."""
    try:
        application([*sys.argv, *_completed()])()
    except RecuerdoError as error:
        sys.exit(f"recuerdo: {error}")
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        with suppress(OSError):  # otherwise Python would try to flush it at exit
            sys.stdout.close()
        sys.exit(f"recuerdo: Can't write: {error.strerror}. Free some space there, then repeat the command.")


def _completed() -> list[str]:
    """The words that a shell wants to be completed, as it hands them over."""
    return f"{os.environ.get('COMP_WORDS', '')} {os.environ.get('_TYPER_COMPLETE_ARGS', '')}".split()
