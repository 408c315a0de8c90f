"""The command line: `recuerdo serve`, `recuerdo chat` ..."""

import errno
import sys
from contextlib import suppress

from recuerdo.cli.commands import application
from recuerdo.core.errors import RecuerdoError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def main() -> None:
    """Run the command. A RecuerdoError becomes one line on standard error and exit status 1."""
    try:
        application(sys.argv)()
    except RecuerdoError as error:
        sys.exit(f"recuerdo: {error}")
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        with suppress(OSError):  # otherwise Python would try to flush it at exit
            sys.stdout.close()
        sys.exit(f"recuerdo: Can't write: {error.strerror}. Free some space there, then repeat the command.")
