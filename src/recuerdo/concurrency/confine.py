"""The limits that a confined process sets itself. It imports next to nothing: such a process reads one document."""

import os
import sys
from types import TracebackType

OUT_OF_MEMORY = 77
"""The exit status of a process that ran into its limit of memory."""

_NICENESS = 10


def confine() -> None:
    """Limit this process to what `run_confined` wrote on the command line.

    Where the system knows no such limits (Windows), the process is ended by its time alone.
    """
    sys.excepthook = _end
    try:
        import resource
    except ModuleNotFoundError:
        return
    cpu_seconds, memory_bytes = (int(argument) for argument in sys.argv[1:3])
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, MemoryError):
        os._exit(OUT_OF_MEMORY)
    sys.__excepthook__(kind, error, trace)
