"""The detectors' recall: facts in labelled utterances, and what holds, held and has ended in lives told as dialogues.

tests/data has both. Nothing is tuned on what is named `unseen`. Times are CPU time of this process.
"""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.memories.extract import listen
from recuerdo.memories.likeness import same_value
from recuerdo.testing.clock import NOON, FakeClock

DATA = Path(__file__).parent.parent / "tests" / "data"
_EMI = Owner("acme", "emi")


class Heard(NamedTuple):
    """Facts that were found and right, found and wrong, and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """How many of those that were found are right."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """How many of those that were to be found were."""
        return self.right / max(1, self.right + self.missed)


async def report() -> str:
    """Two tables: utterances by set, and lives by set."""
    rows, times = ["| utterances | number | precision | recall |", "|---|---|---|---|"], list[float]()
    for path in sorted(DATA.glob("utterances*.jsonl")):
        utterances = _read(path)
        heard = _on_utterances(utterances, times)
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


def _on_utterances(utterances: list[dict[str, Any]], times: list[float]) -> Heard:
    right = wrong = missed = 0
    for utterance in utterances:
        begun = time.process_time()
        facts = listen(utterance["text"], utterance.get("question")).facts
        times.append(time.process_time() - begun)
        missing = [(each["attribute"], each["value"]) for each in utterance["facts"]]
        for fact in facts:
            matching = (each for each in missing if each[0] == fact.attribute and same_value(each[1], fact.value))
            if (expected := next(matching, None)) is None:
                wrong += 1
            else:
                right += 1
                missing.remove(expected)
        missed += len(missing)
    return Heard(right, wrong, missed)


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
        name = "style" if memory.attribute == "preference" else str(memory.attribute)
        value = (memory.value or "").removeprefix("respuestas ").removeprefix("respostas ").removesuffix(" answers")
        found.setdefault(name, []).append(value)
    names = found.keys() | session["known"].keys()
    return iter([sorted(found.get(name, [])) == session["known"].get(name) for name in names])
