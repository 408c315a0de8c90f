"""How good memory is, on labelled sets: python -m benchmarks.evaluation [section ...]

Each section is a module that measures through the public library and returns a Markdown table. Half of each set is held
out: nothing is tuned on it. LoCoMo, BEAM and MADial-Bench are not ours to ship: --locomo, --beam and --madial say where
they are.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks import beam, dialogues, hearing, locomo, madial, questions
from benchmarks.recall import milliseconds, rank


class Sources(NamedTuple):
    """Where data that is not ours to ship lies, and the database to search on."""

    database: str
    locomo: Path | None
    beam: Path | None
    madial: Path | None


async def on_locomo(sources: Sources) -> str:
    """Two friends who chat: what `user.search_history` finds of the evidence."""
    if sources.locomo is None:
        return "Left out: name the file of LoCoMo with --locomo path/to/locomo10.json."
    conversations = locomo.load(sources.locomo)
    ranked = await rank(sources.database, conversations)
    return f"{locomo.report(conversations, ranked)}\n\n{milliseconds(each for one in ranked.values() for each in one)}"


async def on_beam(sources: Sources) -> str:
    """A person and an assistant: the same by message and by exchange."""
    if sources.beam is None:
        return "Left out: name the folder of BEAM with --beam path/to/chats/100K."
    conversations = beam.load(sources.beam)
    ranked = await rank(sources.database, conversations)
    return f"{beam.report(conversations, ranked)}\n\n{milliseconds(each for one in ranked.values() for each in one)}"


async def on_madial(sources: Sources) -> str:
    """A child and an assistant: which memories `user.search` finds for a dialogue."""
    if sources.madial is None:
        return "Left out: name the folder of MADial-Bench with --madial path/to/MADial-Bench."
    given = madial.load(sources.madial)
    return madial.report(given, await madial.rank(sources.database, given))


Section = Callable[[Sources], Awaitable[str]]

SECTIONS: dict[str, Section] = {
    "hearing": lambda _: hearing.report(),
    "questions": lambda _: questions.report(),
    "dialogues": lambda _: dialogues.report(),
    "locomo": on_locomo,
    "beam": on_beam,
    "madial": on_madial,
}
"""The sections of the evaluation, by name. A section whose data is not there says how to get it."""


async def evaluate(names: list[str], sources: Sources) -> None:
    """Print the report of each section."""
    for name in names:
        print(f"## {name}\n\n{await SECTIONS[name](sources)}\n", flush=True)


def main() -> None:
    """Parse the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="all when none is named")
    parser.add_argument("--locomo", type=Path, help="locomo10.json")
    parser.add_argument("--beam", type=Path, help="the folder chats/100K of BEAM")
    parser.add_argument("--madial", type=Path, help="a checkout of MADial-Bench, or its folder data/en")
    parser.add_argument("--database", help="a database URL (default: a new SQLite file)")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        database = arguments.database or f"sqlite:///{folder}/recuerdo.db"
        sources = Sources(database, arguments.locomo, arguments.beam, arguments.madial)
        asyncio.run(evaluate(arguments.sections or [*SECTIONS], sources))


if __name__ == "__main__":
    main()
