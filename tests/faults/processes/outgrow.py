"""Append until a limit of the file size stops it, then go on without the limit: outgrow.py FILE BYTES.

Tells how many appends were acknowledged under the limit, what was raised, what was stored, and the seqs when the
refused append was sent twice more with its key behind the limit.
"""

import asyncio
import resource
import signal
import sys

from faults_load import OWNER, open_history, tell

from recuerdo.core.errors import DatabaseUnavailable
from recuerdo.core.messages import Message

SCOPE = OWNER.thread("t-1")
MESSAGE = Message.user("x" * 2000)


async def main(file: str, most_bytes: str) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    async with open_history(file) as history:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(most_bytes), hard))
        acknowledged = 0
        try:
            while acknowledged < 10_000:
                await history.append(SCOPE, [MESSAGE], idempotency_key=f"k-{acknowledged}")
                acknowledged += 1
        except DatabaseUnavailable as error:
            problem = type(error).__name__, str(error)
        under_limit = [message.seq for message in await history.read(SCOPE)]
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        for _ in range(2):
            await history.append(SCOPE, [MESSAGE], idempotency_key=f"k-{acknowledged}")
        seqs = [message.seq for message in await history.read(SCOPE)]
    tell([acknowledged, problem, under_limit, seqs])


asyncio.run(main(*sys.argv[1:]))
