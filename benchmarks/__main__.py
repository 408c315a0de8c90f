"""Run the benchmarks and print what they measured."""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import (
    api,
    append,
    chat,
    checkpoints,
    contexts,
    dispatch,
    encryption,
    frameworks,
    load,
    many_threads,
    memories,
    million,
    mongodb_checkpoints,
    postgres,
    runs,
    search,
    security,
    shared_cache,
    start,
    store,
    tricks,
    window,
    writers,
)
from benchmarks.rounds import Measurement
from benchmarks.table import HEAD, as_json, as_row

QUICK = (append, window, chat, memories, start)
SERVED = (
    *(postgres, shared_cache, frameworks, checkpoints, mongodb_checkpoints, store, tricks),
    *(writers, million, many_threads, contexts, dispatch, runs, api, load, search, security),
    encryption,
)
TOPICS: Mapping[str, Callable[..., Awaitable[list[Measurement]]]] = {
    topic.TOPIC: topic.measure for topic in (*QUICK, *SERVED)
} | {memories.SERVED_TOPIC: memories.measure_on_postgres}


async def run(topics: list[str], folder: Path, *, full: bool, quiet: bool) -> list[Measurement]:
    """Measure the topics one after the other; each line is printed as soon as it is known, unless `quiet`."""
    measured: list[Measurement] = []
    for topic in topics:
        found = await TOPICS[topic](folder, full=full)
        measured += found
        if not quiet:
            print("\n".join(map(as_row, found)), flush=True)
    return measured


def main() -> None:
    """Parse the arguments, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "topics", nargs="*", metavar="NAME", help=f"any of: {', '.join(TOPICS)} (default: those that need no server)"
    )
    parser.add_argument("--full", action="store_true", help="three times as many rounds")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a Markdown table")
    arguments = parser.parse_args()
    if unknown := set(arguments.topics) - TOPICS.keys():
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}; there are {', '.join(TOPICS)}")
    if not arguments.json:
        print(HEAD, flush=True)
    # beside the working directory and not in /tmp, which may be a file system in memory
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        topics = arguments.topics or [topic.TOPIC for topic in QUICK]
        measured = asyncio.run(run(topics, Path(folder), full=arguments.full, quiet=arguments.json))
    if arguments.json:
        print(as_json(measured))
    sys.exit(0)


main()
