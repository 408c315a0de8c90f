"""Extractive summaries: the most informative sentences of a conversation."""

import re
from collections.abc import Iterable, Sequence

from recuerdo.core.messages import Message, Role
from recuerdo.core.words import normalize
from recuerdo.memories.extraction.gate import is_vacuous, reads_like_an_order
from recuerdo.memories.locales.joined import SUMMARIES
from recuerdo.memories.secrets import secret_in

LONGEST_SUMMARY = 1_200
"""Characters of a summary: it stands in prompts beside what it is about."""

SPEAKERS: tuple[Role, ...] = ("user", "assistant")
"""The roles whose messages are summarised; tool results are not."""

_LONGEST_SENTENCE = 240
_LOOKED_AT = 8_000
_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[^\W\d_]) [^\W\d_a-zà-ÿ]\w+")
_DAY = re.compile(rf"\b(?:{SUMMARIES.days})\b")
_DECISION = re.compile(rf"\b(?:{SUMMARIES.decisions})\b")


def outline(former: str, messages: Iterable[Message], longest: int = LONGEST_SUMMARY) -> str:
    """The sentences that carry names, numbers, dates, decisions and questions, in their order and their own words.

    They are chosen from the `former` outline and the messages that came after it, a line each, with who said it.
    Sentences that read like an order to the assistant are left out.
    """
    lines = _distinct([*former.splitlines(), *(line for message in messages for line in _lines(message))])
    ranked = sorted(range(len(lines)), key=lambda place: (_weight(lines[place]), place), reverse=True)
    kept: list[int] = []
    for place in ranked:
        longest -= len(lines[place]) + 1
        if longest < -1:
            break
        kept.append(place)
    return "\n".join(lines[place] for place in sorted(kept))


def _lines(message: Message) -> list[str]:
    if message.role not in SPEAKERS:
        return []
    sentences = (" ".join(each.split()) for each in _END.split(message.text[:_LOOKED_AT].replace("\0", " ")))
    return [
        f"{message.role}: {sentence[:_LONGEST_SENTENCE]}"
        for sentence in sentences
        if not (is_vacuous(sentence) or reads_like_an_order(sentence) or secret_in(sentence))
    ]


def _distinct(lines: Sequence[str]) -> list[str]:
    return list({normalize(line): line for line in lines}.values())


def _weight(line: str) -> int:
    speaker, _, sentence = line.partition(": ")
    folded = normalize(sentence)
    return (
        2 * bool(_NUMBER.search(sentence))
        + 2 * bool(_DAY.search(folded))
        + 3 * bool(_DECISION.search(folded))
        + min(2, len(_NAME.findall(sentence)))
        + sentence.endswith("?")
        + 2 * (speaker == "user")
        - 3 * (len(folded.split()) < 3)
    )
