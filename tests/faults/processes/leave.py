"""Open, append, and exit without closing: leave.py FILE."""

import asyncio
import sys

from faults_load import OWNER, open_history

from recuerdo.core.messages import Message


async def main(file: str) -> None:
    opening = open_history(file)
    history = await opening.__aenter__()
    receipt = await history.append(OWNER.thread("t-1"), [Message.user("hello")])
    print(receipt.first_seq, flush=True)
    sys.exit(0)


asyncio.run(main(*sys.argv[1:]))
