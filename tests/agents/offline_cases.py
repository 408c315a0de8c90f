"""The table of conversations in offline_cases.txt."""

from pathlib import Path


def cases() -> list[tuple[str, str, str]]:
    """(what stands before, the message, the reply) of every line."""
    _, *blocks = Path(__file__).with_suffix(".txt").read_text("utf-8").split("\n# ")
    return [_case(line) for block in blocks for line in block.strip().splitlines()[1:]]


def _case(line: str) -> tuple[str, str, str]:
    before, _, rest = line.partition("|")
    message, _, reply = rest.partition(" -> ")
    return before.strip(), message.strip(), reply.strip()
