"""The detectors' recall: facts in labelled utterances, and what holds, held and has ended in lives told as dialogues.

tests/data has both. Nothing is tuned on what is named `unseen`. Times are CPU time of this process.
"""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.core.memories import Fact, MemoryQuery, Source
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.memories.extract import listen
from recuerdo.memories.likeness import same_value
from recuerdo.testing.clock import NOON, FakeClock

DATA = Path(__file__).parent.parent / "tests" / "data"
_EMI = Owner("acme", "emi")


class Figures(NamedTuple):
    """Facts that were found and right, those that were missed, and those that were wrong, by attribute."""

    right: int
    missed: int
    wrong: Counter[str]

    @property
    def precision(self) -> float:
        """The share of right ones among the facts that were found."""
        return self.right / max(1, self.right + self.wrong.total())

    @property
    def recall(self) -> float:
        """The share of facts that were found."""
        return self.right / max(1, self.right + self.missed)


def compare(heard: Iterable[tuple[Sequence[Fact], Sequence[tuple[str, str]]]], ignored: str | None = None) -> Figures:
    """Compare the facts of each message with the attributes and values that it has.

    Facts of the `ignored` attribute are never wrong.
    """
    right, missed, wrong = 0, 0, Counter[str]()
    for facts, wanted in heard:
        missing = [*wanted]
        for fact in facts:
            matching = (each for each in missing if each[0] == fact.attribute and same_value(each[1], fact.value))
            if (expected := next(matching, None)) is not None:
                right += 1
                missing.remove(expected)
            elif fact.attribute != ignored:
                wrong[fact.attribute] += 1
        missed += len(missing)
    return Figures(right, missed, wrong)


async def report() -> str:
    """Two tables: utterances by set, and lives by set."""
    rows, times = ["| utterances | number | precision | recall |", "|---|---|---|---|"], list[float]()
    for path in sorted(DATA.glob("utterances*.jsonl")):
        utterances = _read(path)
        heard = compare(_on_utterances(utterances, times))
        rows.append(f"| {path.stem} | {len(utterances)} | {heard.precision:.3f} | {heard.recall:.3f} |")
    rows += ["", f"CPU time of a message: {1000 * median(times):.2f} ms (median of {len(times)})", ""]
    rows += ["| lives | number | checks | right |", "|---|---|---|---|"]
    for path in sorted(DATA.glob("lives*.jsonl")):
        lives = _read(path)
        checks = [check for life in lives for check in await _on_life(life, threads=path.stem == "lives")]
        rows.append(f"| {path.stem} | {len(lives)} | {len(checks)} | {sum(checks) / len(checks):.1%} |")
    return "\n".join(rows)


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _on_utterances(
    utterances: list[dict[str, Any]], times: list[float]
) -> Iterator[tuple[Sequence[Fact], Sequence[tuple[str, str]]]]:
    for utterance in utterances:
        begun = time.process_time()
        facts = listen(utterance["text"], utterance.get("question")).facts
        times.append(time.process_time() - begun)
        yield facts, [(each["attribute"], each["value"]) for each in utterance["facts"]]


async def _on_life(life: dict[str, Any], *, threads: bool) -> list[bool]:
    """Whether each attribute has the values at each session's time that it then had; `threads` begins one a session."""
    clock = FakeClock(tick=timedelta(seconds=1))
    memories, seq = Memories(LocalMemories(LocalDatabase()), None, clock), 0
    for number, session in enumerate(life["sessions"]):
        clock.set(NOON + timedelta(days=session["day"]))
        for said in session["said"]:
            seq += 2
            asked, text = (said["question"], said["text"]) if isinstance(said, dict) else (None, said)
            source = Source(thread=f"t-{number}" if threads else "t", seq=seq)
            await memories.remember(_EMI, text, source, question=asked)
    return [check for session in life["sessions"] for check in await _checks(memories, session)]


async def _checks(memories: Memories, session: dict[str, Any]) -> Iterator[bool]:
    at = NOON + timedelta(days=session["day"], hours=1)
    found: dict[str, list[str]] = {}
    for memory in await memories.as_of(_EMI, at, MemoryQuery(limit=1000)):
        if memory.attribute is None:  # a note
            continue
        name = "style" if memory.attribute == "preference" else memory.attribute
        value = (memory.value or "").removeprefix("respuestas ").removeprefix("respostas ").removesuffix(" answers")
        found.setdefault(name, []).append(value)
    names = found.keys() | session["known"].keys()
    return iter([sorted(found.get(name, [])) == session["known"].get(name) for name in names])
