"""How well the detectors do on labelled utterances in three languages, many of which hold no fact.

RECUERDO_TEST_MESSAGES=1 measures it with all of them, instead of every third or sixth one.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from recuerdo.core.memories import Fact
from recuerdo.memories.extract import extract
from recuerdo.memories.likeness import same_value

DATA = Path(__file__).parent.parent / "data"
EVERY = int(os.environ.get("RECUERDO_TEST_MESSAGES", "3"))
SETS = {
    "utterances.jsonl": 800,
    "utterances_[fr]*.jsonl": 210,
    "utterances_chats*.jsonl": 1260,
    "utterances_talk.jsonl": 300,
    "utterances_talk_unseen.jsonl": 290,
}
"""How many utterances each has. All but the first were written before the detectors were tried on them, and mended by
classes of grammar afterwards. Precision and recall at first sight: 0.978 and 0.968; with the words of seven countries
0.952 and 0.833; as people type in chats, without accents and capitals, 0.885 and 0.597, then 0.958 and 0.670, 0.864
and 0.729, 0.852 and 0.765, 0.957 and 0.898, 0.971 and 0.885, 0.954 and 0.874, 0.992 and 0.967, spelled as in text
messages 0.879 and 0.624, and 0.954 and 0.912; as people talk with an assistant, of all that they tell, 0.789 and 0.224,
and by what was built for the one half of these, 0.970 and 0.882 on the other. Nobody looks into `*_unseen.jsonl`.
"""


class Heard(NamedTuple):
    """A labelled utterance, and the facts that were found in it."""

    utterance: dict
    facts: list[Fact]


class Label(NamedTuple):
    language: str
    attribute: str


class Score(NamedTuple):
    """Found and right, found and wrong, missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)

    def __str__(self) -> str:
        return f"precision {self.precision:.3f}  recall {self.recall:.3f}  ({self.right}/{self.wrong}/{self.missed})"


class Tally:
    def __init__(self, heard: Iterable[Heard]) -> None:
        self.right: Counter[Label] = Counter()
        self.wrong: Counter[Label] = Counter()
        self.missed: Counter[Label] = Counter()
        self.mistakes: list[str] = []
        for each in heard:
            self._add(*each)

    def score(self, language: str = "", attribute: str = "") -> Score:
        def count(counter: Counter[Label]) -> int:
            return sum(
                number
                for label, number in counter.items()
                if language in ("", label.language) and attribute in ("", label.attribute)
            )

        return Score(count(self.right), count(self.wrong), count(self.missed))

    def report(self) -> Iterator[str]:
        yield f"all         {self.score()}"
        for language in ("es", "pt", "en"):
            yield f"{language}          {self.score(language)}"
        for attribute in sorted({label.attribute for label in self.right + self.wrong + self.missed}):
            yield f"{attribute:11} {self.score(attribute=attribute)}"
            for language in ("es", "pt", "en"):
                yield f"  {language}        {self.score(language, attribute)}"
        yield from self.mistakes

    def _add(self, utterance: dict, facts: list[Fact]) -> None:
        language, missing = utterance["language"], list(utterance["facts"])
        for fact in facts:
            expected = next(
                (one for one in missing if one["attribute"] == fact.attribute and same_value(one["value"], fact.value)),
                None,
            )
            if expected is None:
                self.wrong[Label(language, fact.attribute)] += 1
                self.mistakes.append(f"wrong   {utterance['text']!r}: {fact.attribute} {fact.value!r}")
            else:
                missing.remove(expected)
                self.right[Label(language, fact.attribute)] += 1
        for one in missing:
            self.missed[Label(language, one["attribute"])] += 1
            self.mistakes.append(f"missed  {utterance['text']!r}: {one['attribute']} {one['value']!r}")


@pytest.fixture(scope="module", params=SETS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def utterances(name) -> list[dict]:
    files = sorted(DATA.glob(name))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def heard(utterances) -> list[Heard]:
    every = EVERY if EVERY == 1 or len(utterances) < 500 else 2 * EVERY
    return [Heard(each, extract(each["text"], each.get("question"))) for each in utterances[::every]]


def test_the_set_is_large_balanced_and_much_of_it_holds_no_fact(utterances, name):
    languages = Counter(utterance["language"] for utterance in utterances)
    empty = sum(not utterance["facts"] for utterance in utterances)
    assert len(utterances) >= SETS[name]
    assert max(languages.values()) - min(languages.values()) < 0.2 * len(utterances)
    assert 0.33 < empty / len(utterances) < 0.6


def test_precision_and_recall_hold_overall_and_in_every_language(heard, name, capsys):
    tally = Tally(heard)
    with capsys.disabled():
        print("\n" + ("" if "unseen" in name else "\n".join(tally.report())))
    for language in ("", "es", "pt", "en"):
        score = tally.score(language)
        assert score.precision >= (0.92 if language else 0.95), f"{language or 'all'}: {score}"
        assert score.recall >= 0.85, f"{language or 'all'}: {score}"


def test_every_clause_is_in_the_users_own_words(heard):
    for utterance, facts in heard:
        said = " ".join(f"{utterance.get('question', '')} {utterance['text']}".split())
        for fact in facts:
            assert fact.text in said or fact.text in said.replace('"', " ").replace("  ", " ")
            assert fact.value in fact.text
