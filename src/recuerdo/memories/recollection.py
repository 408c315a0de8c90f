"""The memories that a prompt carries: the profile and those relevant to the text, without forgotten ones."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from recuerdo.core.memories import Memory
from recuerdo.core.words import fold, words_of

if TYPE_CHECKING:
    from recuerdo.memories.forgetting import Forgotten

MOST_FORMER = 4


class Recollection(NamedTuple):
    """A recall: `memories` that hold, `former` ones that did, and the `forgotten` things that must not be shown.

    `over` are all that the user has ended: where a prompt quotes the message that one of them comes from, it says so.
    `scores` are those of the memories that were found by the text, by their ids; the others stand in any prompt.
    """

    memories: list[Memory]
    former: Sequence[Memory] = ()
    forgotten: Sequence["Forgotten"] = ()
    over: Sequence[Memory] = ()
    scores: Mapping[str, float] = {}

    def without(self, gone: Sequence[Memory]) -> "Recollection":
        """Leave out memories about forgotten things; those of `gone` that were not forgotten are over."""
        from recuerdo.memories.forgetting import forgotten_by  # the words of three languages

        forgotten = [each for memory in gone if (each := forgotten_by(memory))]
        told = [each for each in self.memories if not any(one.hides(each.text, each.created_at) for one in forgotten)]
        over = [each for each in gone if _may_be_told(each)]
        return self._replace(memories=told, forgotten=forgotten, over=over)

    def and_former(self, found: Sequence[Memory], now: datetime) -> "Recollection":
        """With the best of those that held in the past."""
        ended = [each for each in found if each.valid_until and each.valid_until <= now and _may_be_told(each)]
        return self._replace(former=ended[:MOST_FORMER])

    def over_in(self, places: Collection[tuple[str | None, int | None]]) -> list[Memory]:
        """The ended memories whose sources are these messages (thread and seq), the latest first."""
        told = [each for each in self.over if (each.source.thread, each.source.seq) in places]
        told = [each for each in told if each not in self.former]
        return sorted(told, key=lambda each: each.updated_at, reverse=True)[:MOST_FORMER]

    def hides(self, text: str, said_at: datetime | None, thread: str, seq: int) -> bool:
        """Whether a message must not be quoted: it states what was forgotten since, or is the request to forget it."""
        if not self.forgotten:
            return False
        from recuerdo.memories.forgetting import is_hidden  # the words of three languages

        return is_hidden(text, said_at, (thread, seq), self.forgotten)


def of_orders(said: Iterable[tuple[str, datetime | None]]) -> Recollection:
    """Return the recollection for users without memories: what they ask to forget in these messages of theirs."""
    from recuerdo.memories.forgetting import forgotten_in  # the words of three languages

    return Recollection([], forgotten=forgotten_in(said))


def asks_about_past(text: str) -> bool:
    """Whether a question is about the past, or since when something is so."""
    from recuerdo.memories.locales import LOCALES  # the words of three languages, for those who recall

    folded = fold(text)
    return any(locale.offline.past.search(folded) for locale in LOCALES.values())


def asks_for_everything(text: str) -> bool:
    """Whether a question asks for everything known about the user."""
    from recuerdo.memories.locales import LOCALES  # the words of three languages, for those who recall

    folded = " ".join(words_of(text))
    return any(locale.offline.topics["everything"].search(folded) for locale in LOCALES.values())


def merge(
    profile: Sequence[Memory], hits: Sequence[Memory], limit: int, standing: Sequence[Memory] = ()
) -> list[Memory]:
    """Return the memories for a prompt: the standing ones, the best hits and the profile, each once, at most `limit`.

    A quarter of the places at most belongs to the standing ones, or half if some are pinned, which come first, and half
    of the others to the best hits. So neither they nor a long profile ever crowd out what was asked about.
    """
    pinned = 0
    for each in standing:
        pinned += each.pinned
    standing = standing[: limit // 4 + min(pinned, limit // 4)]
    half = (limit - len(standing) + 1) // 2
    distinct = {memory.id: memory for memory in chain(standing, hits[:half], profile, hits[half:])}
    return [*distinct.values()][:limit]


def _may_be_told(memory: Memory) -> bool:
    return memory.ending is None or memory.ending.reason != "forgotten"
