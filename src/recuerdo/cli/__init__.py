"""The command line: `recuerdo serve`, `recuerdo chat`."""

import errno
import sys
from contextlib import suppress

from recuerdo.cli.commands import app
from recuerdo.core.errors import RecuerdoError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main() -> None:
    """Run the command that the arguments name; an error that Recuerdo knows is one line and exit status 1."""
    try:
        app()
    except RecuerdoError as error:
        sys.exit(f"recuerdo: {error}")
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        with suppress(OSError):  # or what it holds is written once more at the end, in vain
            sys.stdout.close()
        sys.exit(f"recuerdo: Can't write: {error.strerror}. Make room where it is written, then repeat the command.")
