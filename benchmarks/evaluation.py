"""How good memory is, on labelled sets: python -m benchmarks.evaluation [section ...]

Each section is a module with a `report(**paths)` that measures through the public library and returns a Markdown table.
Half of each set is held out: nothing is tuned on it, and only its figures are printed.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable

from benchmarks import hearing, questions

Section = Callable[[], Awaitable[str]]

SECTIONS: dict[str, Section] = {"hearing": hearing.report, "questions": questions.report}
"""What can be evaluated, by name. A section whose data is not there says how to get it."""


async def evaluate(names: list[str]) -> None:
    """Print the report of each section."""
    for name in names:
        print(f"## {name}\n\n{await SECTIONS[name]()}\n", flush=True)


def main() -> None:
    """Parse the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="all when none is named")
    asyncio.run(evaluate(parser.parse_args().sections or [*SECTIONS]))


if __name__ == "__main__":
    main()
