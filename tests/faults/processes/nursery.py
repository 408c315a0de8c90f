"""Fork a writer that never ends for each name on the standard input: nursery.py FILE TASKS.

A line with its process id, then what write.py says, and a line with its exit status. Forking spares every writer the
time that a Python takes to start.
"""

import asyncio
import os
import sys

from faults_load import tell
from write import main

FILE, TASKS = sys.argv[1:]

for name in sys.stdin:
    process = os.fork()
    if process == 0:
        tell(os.getpid())
        asyncio.run(main(FILE, name.strip(), TASKS, "0"))
    _, status = os.waitpid(process, 0)
    tell(os.waitstatus_to_exitcode(status))
