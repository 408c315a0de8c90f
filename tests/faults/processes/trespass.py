"""Open a file as a user without rights: trespass.py URL. Tells the error's type and text."""

import asyncio
import json
import os
import sys

import recuerdo.adapters.sqlite  # noqa: F401 (while this process may still read its own modules)
from recuerdo import Recuerdo
from recuerdo.core.errors import RecuerdoError

NOBODY = 65534


async def main(url: str) -> None:
    if os.geteuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        async with Recuerdo.open(url, embeddings="none"):
            print(json.dumps(["opened", ""]))
    except RecuerdoError as error:
        print(json.dumps([type(error).__name__, str(error)]))


asyncio.run(main(*sys.argv[1:]))
