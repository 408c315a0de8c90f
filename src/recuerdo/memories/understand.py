"""Interprets hints with the stored memories: values that they replace, begin again, end or ask to forget."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import NamedTuple

from recuerdo.core.memories import Attribute, Fact, Memory, Source
from recuerdo.core.words import words_of
from recuerdo.memories.extract import extract
from recuerdo.memories.extraction.context import Hint, correction
from recuerdo.memories.extraction.lexicon import households, names, organisations, possessions
from recuerdo.memories.extraction.readers.plans import is_day, moved_plan, names_time, plan_itself
from recuerdo.memories.extraction.relatives import named_relative, relation, relative_slot
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.forgetting import ToldMessage
from recuerdo.memories.likeness import form_of, same, telling_words
from recuerdo.memories.locales.joined import COMPARISONS, EXTRACTION, TAGGED, WORDS
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.people import (
    may_part,
    name_words,
    named_in,
    names_of_relatives,
    own_clause,
    person_of,
    without_others,
)
from recuerdo.memories.slots import OF_PEOPLE, slot

_TURNS, ONE_TURN = 6, 2
"""Messages within which a correction is of what was said, and a pronoun of whom: the user's, and answers in between."""

_PEOPLE: tuple[Attribute, ...] = ("family", "relative", "pet")
_DENIES = re.compile(rf"(?:{COMPARISONS.denies})\b")
_SHORTEST_BEGINNING = 5
"""Letters of a word that another one begins with, as `asthmatic` does with `asthma`."""

_ROOT = 4
"""Letters by which a plan is known, as `operan` is by `operación`."""

_LONG = 7
"""Letters of a word that has a beginning by which its forms are known."""

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NAMES = re.compile(rf"(,\s*(?:(?:{WORDS.ands})\s+)?|\s+(?:{WORDS.ands})\s+)")
_ARTICLE = re.compile(rf"(?:{WORDS.articles}|al|ao) ", re.IGNORECASE)
_AND = re.compile(rf",?\s+(?:{WORDS.ands})\s+", re.IGNORECASE)
BETWEEN_SENTENCES = re.compile(r"((?<=[.!?;])\s+|\n+)")
_CALLS = re.compile(EXTRACTION.calls)
_PHONE = re.compile(r"\+?[\d\s().-]{7,}")


class ResolvedHints(NamedTuple):
    """The meaning of hints: facts, memories that end or are forgotten, and those that the user has to choose from.

    `explained` are the hints that mean any of these.
    """

    facts: list[Fact]
    ended: list[Memory]
    forgotten: list[Memory]
    unclear: list[Memory]
    explained: list[Hint]

    @classmethod
    def empty(cls) -> "ResolvedHints":
        """The meaning of no hints, to be filled."""
        return cls([], [], [], [], [])


def understand(hints: Sequence[Hint], known: Sequence[Memory], now: datetime, source: Source) -> ResolvedHints:
    """Interpret the hints with the known memories, including those that have ended, the latest first."""
    understood = ResolvedHints.empty()
    held = [each for each in known if each.holds(now)]
    for hint in hints:
        before = _meanings(understood)
        if hint.how in ("corrects", "updates"):
            _correct(hint, held, source, understood)
        elif hint.how == "returns":
            understood.facts.extend(_return(hint, known, held))
        elif hint.how == "tells":
            _tell(hint, held, understood)
        elif hint.how == "mentions":
            understood.facts.extend(mentioned(hint, held, understood.facts))
        elif hint.how == "moves":
            _move(hint, held, source, understood)
        elif hint.how == "starts":
            if any(each.attribute == "employer" and _is_over(hint._replace(words=hint.text), each) for each in held):
                understood.facts.append(Fact("employer", hint.words, hint.text))
        elif hint.how == "ends":
            over = _over(hint, held) or _only_vehicle(hint, held) or _only_employer(hint, held)
            understood.ended.extend(over)
            understood.facts.extend(left for each in over if (left := _left(hint.words, each)))
        else:
            _forget(hint, held, understood)
        if _meanings(understood) > before:
            understood.explained.append(hint)
    return understood


def _meanings(understood: ResolvedHints) -> int:
    return sum(map(len, understood))


def beside(facts: Sequence[Fact], understood: ResolvedHints) -> list[Fact]:
    """The facts without those that the hints tell too, and those heard in words that correct something held."""
    words = [hint.words for hint in understood.explained if hint.how in ("corrects", "updates")]
    words += [hint.text for hint in understood.explained if hint.how == "moves" and hint.instead]
    days = [word for word in words if is_day(word)]
    told = {(each.attribute, each.value) for each in understood.facts}
    return [
        each
        for each in facts
        if (each.attribute, each.value) not in told
        and not any(each.value in one for one in words)
        and not (each.attribute == "plan" and any(one in each.value for one in days))
    ]


def _correct(hint: Hint, held: Sequence[Memory], source: Source, understood: ResolvedHints) -> None:
    if _DENIES.match(fold(hint.words)):  # `não é o 5º semestre` tells no other value
        return
    casual = hint.words == hint.words.lower()
    for memory in _corrigible(hint, held, source):
        value = memory.value or ""
        if memory.attribute == "family" and _is_another(hint.text, memory):
            continue
        if memory.attribute == "plan" and is_day(hint.words):
            _put_off(memory, hint, understood)
            return
        if new := correction(hint.words, memory.attribute, value, casual, memory.text):
            text = memory.text.replace(value, new) if value in memory.text else hint.text
            understood.facts.append(Fact(_named(memory), new, text))
            if memory.attribute in ("family", "pet"):
                understood.ended.append(memory)
            return


def _is_another(text: str, memory: Memory) -> bool:
    """Whether the text names another relative than the memory: `my new wife is Sinead` is not a son's name."""
    named = named_relative(text, None)
    return named != text and slot("family", named) != slot("family", named_relative(memory.text, memory.value))


def _named(memory: Memory) -> Attribute:
    return memory.attribute or "remember"


def _corrigible(hint: Hint, held: Sequence[Memory], source: Source) -> list[Memory]:
    """The memories that the words may correct: by the form of the value, by a first name, else the latest ones."""
    shown: Attribute | None = None
    if _EMAIL.search(hint.words):
        shown = "email"
    elif _PHONE.search(hint.words):
        shown = "phone"
    if shown:
        return [each for each in held if each.attribute == shown]
    first = telling_words(hint.words)[:1]
    renamed = [each for each in held if each.attribute == "name" and first and telling_words(each.value)[:1] == first]
    if hint.how == "updates" and renamed:
        return renamed
    recent = [each for each in held if was_said_lately(each, source)]
    recent.sort(key=lambda each: (each.updated_at, each.source.seq or 0), reverse=True)
    last = [each for each in recent if each.source.seq == recent[0].source.seq]
    if hint.instead:
        return [each for each in last if _share(telling_words(hint.instead), each) == 1]
    if is_day(hint.words):
        return [each for each in recent if each in last or each.attribute in ("plan", "birthday")]
    favourites = [each for each in last if each.attribute == "likes"]
    return [each for each in last if len(favourites) < 2 or each not in favourites]  # of two it does not say which


def _tell(hint: Hint, held: Sequence[Memory], understood: ResolvedHints) -> None:
    """Read a statement about a name as one about the relative of that name: `Ana estudia Medicina`."""
    name = (telling_words(hint.words) or (fold(hint.words),))[0]  # `dylans moved to York`
    for memory in held:
        if memory.attribute != "family" or name not in telling_words(memory.value):
            continue
        who, kin = relation(memory.text), named_relative(memory.text, memory.value)
        if who is None:
            continue
        start = fold(memory.text).find(kin)
        if start > 0 and kin not in fold(who):  # `esposa Daiane, filho Ravi`: Ravi is the son
            who = relation(memory.text[start:]) or who
        called = hint.words if fold(hint.words) == name else memory.value or hint.words
        text = f"{who} {called}{hint.text[len(hint.words) :]}"
        told = [each for each in extract(text) if each.attribute == "relative" and name in telling_words(each.text)]
        if _is_called_otherwise(memory, who, held):  # `my eldest, Ana, and the little one, Leo`: Leo is no eldest
            told = [Fact("relative", each.value, each.text.removeprefix(f"{who} ")) for each in told]
        understood.facts.extend(told)
        if hint.whole and told:
            slots = {relative_slot(each.text, each.value, every=True) for each in told}
            understood.ended.extend(
                each
                for each in held
                if each.attribute == "relative" and relative_slot(each.text, each.value, every=True) in slots
            )
        return


def mentioned(hint: Hint, held: Sequence[Memory], told: Sequence[Fact]) -> list[Fact]:
    """Read a value as one of a relative whom its sentence names: `Dillon's moved to` *Bristol*."""
    value = fold(hint.words)
    is_told = any(value in fold(each.value) or fold(each.value) in value for each in told)
    told_of = (word for each in held if each.attribute in OF_PEOPLE for word in words_of(each.text))
    known = names_of_relatives(held) | (names.GIVEN.intersection(told_of) - names.AMBIGUOUS)
    is_of_relative = named_in(telling_words(hint.text), known)
    return [Fact("relative", hint.words, hint.text)] if is_of_relative and not is_told else []


def with_names(facts: Sequence[Fact], held: Sequence[Memory]) -> list[Fact]:
    """The facts, each of a relative with their name if it has none and only one is known: `my brother` is Joseph."""
    known = [each for each in held if each.attribute == "family" and each.value and each.value.isalpha()]
    return [_with_name(each, known) if each.attribute == "relative" else each for each in facts]


def _with_name(fact: Fact, known: Sequence[Memory]) -> Fact:
    who, told = relation(fact.text), words_of(fact.text)
    if who is None or not fact.text.startswith(f"{who} ") or not names.GIVEN.isdisjoint(told):
        return fact
    kin = fold(who).rpartition(" ")[2]
    called = {each.value for each in known if fold(named_relative(each.text, each.value)) == kin}
    if len(called) != 1 or not names_of_relatives(known).isdisjoint(told):
        return fact
    return Fact(fact.attribute, fact.value, f"{who} {called.pop()}{fact.text.removeprefix(who)}")


def without_pronoun(message: str, held: Sequence[Memory], source: Source, earlier: Sequence[ToldMessage] = ()) -> str:
    """The message with a relative in place of the pronoun that it begins with: `she's moved` is `Ana's moved`.

    `held` are the memories of relatives. It is the only one of whom the message before told, or whom it names if it is
    one of the `earlier`; the pronoun stays where that told of several or of none.
    """
    found = TAGGED.pronoun.match(message)
    if found is None or source.seq is None:
        return message
    told = [each for each in held if comes_after(source, each.source, ONE_TURN)]
    people = names_of_relatives(held)
    about = {person_of(each, people) for each in told}
    if not told:  # of whom no memory tells, and an answered question may stand between
        before = [each.text for each in earlier if comes_after(source, each.source, 2 * ONE_TURN)]
        about = {*named_in(telling_words(before[-1]), people)} if before else set[str]()
    named = {each.value for each in held if each.value and " ".join(words_of(each.value)) in about}
    named = named or {who for each in told if (who := relation(each.text))}
    if len(named) != 1 or len(about) != 1:
        return message
    return _with_relative(message, found, named.pop())


def with_antecedents(message: str) -> str:
    """The message with a relative in place of each pronoun that begins a sentence: `my mother`, of `She is 80`.

    It is the only one of whom the sentence before told; the pronoun stays where that told of several or of none.
    """
    parts = BETWEEN_SENTENCES.split(message)
    for place in range(2, len(parts), 2):
        found = TAGGED.pronoun.match(parts[place])
        who = _only_relative(parts[place - 2]) if found else None
        if found and who:
            parts[place] = _with_relative(parts[place], found, who.removeprefix("a "))
    return "".join(parts)


def _with_relative(text: str, pronoun: re.Match[str], who: str) -> str:
    """The text with a relative in place of the pronoun that it begins with, behind a word before that: `y ella`."""
    before, space, _ = pronoun[0].rpartition(" ")
    behind = text[pronoun.end() :]
    apostrophe = "'" if behind.startswith("s ") else ""  # it is missing in `hes moved`
    return f"{before}{space}{who}{apostrophe}{behind}"


def _only_relative(sentence: str) -> str | None:
    """The relative of whom a sentence tells, if it tells of no other person: `my sister met Bob` does."""
    words = words_of(sentence)
    kin = [place for place, word in enumerate(words) if households.is_of_family(word)]
    named = [place for place, word in enumerate(words) if word in names.GIVEN]
    if len(kin) != 1 or len(named) > 1:
        return None
    between = [word for word in words[kin[0] + 1 : named[0]] if word not in names.TITLES] if named else []
    is_called = not between or _CALLS.fullmatch(" ".join(between)) is not None
    return relation(sentence) if is_called and (not named or named[0] > kin[0]) else None


def _is_called_otherwise(memory: Memory, who: str, held: Sequence[Memory]) -> bool:
    """Whether the memory's text names another relative between the word for one and its own."""
    behind = memory.text.partition(who)[2].partition(memory.value or "")[0]
    others = names_of_relatives(held) - {" ".join(words_of(memory.value or ""))}
    return not others.isdisjoint(words_of(behind))


def _move(hint: Hint, held: Sequence[Memory], source: Source, understood: ResolvedHints) -> None:
    """Move the plan that the words name, else the latest one of the last few messages."""
    plans = [each for each in held if each.attribute == "plan"]
    if hint.instead:
        for memory in _of_that_name(hint, plans):
            if moved_plan(memory.text, hint.words) == memory.text:
                understood.facts.append(Fact("plan", memory.value or "", memory.text))
            else:
                _put_off(memory, hint, understood)
        return
    said, has_time = telling_words(hint.text), names_time(hint.words)
    if not has_time:  # `Josué mudou pra Recife` is no news of `me mudar pra Olinda`
        said = [each for each in said if not _moves_house(each)]
    named = [each for each in plans if any(_has(said, word) for word in telling_words(plan_itself(each.value or "")))]
    recent = [each for each in plans if has_time and was_said_lately(each, source)]
    if not (named or recent) and has_time:
        _move_of_relative(hint, held, source, understood)
    for memory in sorted(named or recent, key=lambda each: each.updated_at, reverse=True)[:1]:
        _put_off(memory, hint, understood)


def _move_of_relative(hint: Hint, held: Sequence[Memory], source: Source, understood: ResolvedHints) -> None:
    """Move the only day of a relative that was told lately: `the op's been bumped to` *the 17th*."""
    people = names_of_relatives(held)
    named = named_in(telling_words(hint.text), people)
    days = [each for each in held if each.attribute == "relative" and is_day(each.value or "")]
    lately = [each for each in days if was_said_lately(each, source)]
    lately = [each for each in lately if not named or person_of(each, people) in named]
    others = names.GIVEN.intersection(telling_words(hint.text)) - name_words(people)
    lately = [each for each in lately if others.issubset(telling_words(each.text))]
    if len(lately) == 1 and (value := lately[0].value):
        day = _ARTICLE.sub("", hint.words)
        understood.facts.append(Fact("relative", day, lately[0].text.replace(value, day)))
        understood.ended.append(lately[0])


def _moves_house(word: str) -> bool:
    """Whether it may be of people who move house, or of a plan that is moved: `mudou`, `moved`."""
    dialogues = (each.detection.dialogue for each in LOCALES.values())
    return any(dialogue.moves_house.match(word) for dialogue in dialogues if dialogue)


def _of_that_name(hint: Hint, plans: Sequence[Memory]) -> list[Memory]:
    """The plan that alone has all words of what the hint gives a day to."""
    wanted = _wanted(hint.instead)
    begun = [{word[:_ROOT] for word in telling_words(each.text)} for each in plans]
    wanted_roots = {word[:_ROOT] for word in wanted}  # `el viaje` of `viajaremos`
    named = [each for each, roots in zip(plans, begun, strict=True) if wanted and wanted_roots <= roots]
    return named if len(named) == 1 else []


def _put_off(plan: Memory, hint: Hint, understood: ResolvedHints) -> None:
    value = plan.value or ""
    what = plan_itself(value)
    moved = moved_plan(value, hint.words)
    text = plan.text.replace(value, moved) if moved else moved_plan(plan.text, hint.words)
    understood.facts.append(Fact("plan", moved or f"{what} {hint.words}", text or f"{what}: {hint.text}"))
    understood.ended.append(plan)


def was_said_lately(memory: Memory, source: Source) -> bool:
    """Whether the memory comes from the last few messages of the conversation."""
    earlier = memory.source
    if earlier.thread != source.thread:
        return False
    return earlier.seq is None or source.seq is None or 0 <= source.seq - earlier.seq <= _TURNS


def comes_after(source: Source, earlier: Source, most: int) -> bool:
    """Whether a message comes after another one of its thread, and is at most so many messages away."""
    if earlier.thread != source.thread or earlier.seq is None or source.seq is None:
        return False
    return 0 < source.seq - earlier.seq <= most


def _return(hint: Hint, known: Sequence[Memory], held: Sequence[Memory]) -> list[Fact]:
    """The values of earlier times that are so again, and not a mere visit to where the user never was."""
    for attribute in hint.attributes:
        if any(each.attribute == attribute and _covers(each.value, hint.words) for each in held):
            return []
    for memory in known:
        if memory.attribute in hint.attributes and memory.value and _covers(memory.value, hint.words):
            return [Fact(_named(memory), memory.value, hint.text)]
    return []


def _covers(value: str | None, words: str) -> bool:
    """Whether the words begin with the value, or end with it behind a relative: `my mum's in Leeds`."""
    told, wanted = telling_words(words), telling_words(value)
    is_theirs = told[-len(wanted) :] == wanted and any(map(households.is_of_family, words_of(words)))
    return len(wanted) > 0 and (told[: len(wanted)] == wanted or is_theirs)


def _left(words: str, memory: Memory) -> Fact | None:
    """The others of several names when one of them is over: of `Mota y Nube` `Nube`."""
    value = memory.value or ""
    parts = list(_NAMES.split(value))
    if memory.attribute not in ("pet", "family") or len(parts) < 3:
        return None
    wanted = _wanted(words)
    kept = [name for name in parts[::2] if not any(_has(wanted, each) for each in telling_words(name))]
    if not kept or 2 * len(kept) > len(parts):
        return None
    article, _, name = kept[0].partition(" ")
    if name and memory.text.partition(value)[0].endswith(f" {article} "):  # of `a Mimi e a Pretinha` `Pretinha`
        kept[0] = name
    left = kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])}{parts[-2]}{kept[-1]}"
    return Fact(memory.attribute, left, memory.text.replace(value, left))


def _over(hint: Hint, held: Sequence[Memory]) -> list[Memory]:
    """The memories that the words name; of things told in one sentence those whose value has them: `sold the bike`."""
    wanted = _wanted(hint.words)
    over = [each for each in held if each.attribute in hint.attributes and _is_over(hint, each)]
    valued = [each for each in over if all(_has(telling_words(each.value), word) for word in wanted)]
    return [each for each in over if not valued or each in valued or each.attribute != "possession"]


def _is_over(hint: Hint, memory: Memory) -> bool:
    """Whether the words name the memory's value, or the memory has them all; of a plan most of them are enough."""
    wanted = _wanted(hint.words)
    value = [each for each in telling_words(memory.value) if not each.isdigit()]  # `Corsa 2012` is the Corsa
    if memory.attribute == "family" and TAGGED.couples.search(fold(hint.text)) and not may_part(memory):
        return False  # a sister and her husband part
    if memory.attribute in ("pet", "family") and "'s " in hint.words:  # `we lost Rex's lead`
        return False
    if value and all(_has(wanted, each) for each in value):
        return True
    said = words_of(hint.words)
    if memory.attribute == "family" and len(wanted) == 1 and households.is_of_family(said[-1]):
        return households.are_same_relation(said[-1], named_relative(memory.text, memory.value))
    if memory.attribute in ("pet", "family") and not any(
        households.is_relative(each) or households.is_animal(each) for each in wanted
    ):
        return bool(wanted) and set(wanted) <= set(value)  # the text of one name may tell of another as well
    if memory.attribute == "likes":  # `ya no corro` ends `correr por las mañanas`, and no `gosto de` is a value
        return bool(wanted) and all(_has(value, each) for each in wanted)
    return bool(wanted) and _share(wanted, memory) >= (0.6 if memory.attribute == "plan" else 1)


def _only_vehicle(hint: Hint, held: Sequence[Memory]) -> list[Memory]:
    """The only one that the user has of the kind that is over: `vendí` `el auto`."""
    wanted = _wanted(hint.words)
    if "possession" not in hint.attributes or len(wanted) != 1 or not possessions.is_vehicle(wanted[0]):
        return []
    owned = [each for each in held if each.attribute == "possession"]
    meant = [each for each in owned if possessions.may_be(wanted[0], each.value or "", each.text)]
    return meant if len(meant) == 1 else []


def _only_employer(hint: Hint, held: Sequence[Memory]) -> list[Memory]:
    """The only employer, of whatever kind that is, where a place of work is over: `fired from` `the pub`."""
    wanted = _wanted(hint.words)
    if hint.attributes != ("employer",) or len(wanted) != 1 or wanted[0] not in organisations.KINDS:
        return []
    known = [each for each in held if each.attribute == "employer"]
    return [each for each in known if len(known) == 1 and organisations.KINDS.isdisjoint(words_of(each.value or ""))]


def _forget(hint: Hint, held: Sequence[Memory], understood: ResolvedHints) -> None:
    parts = [_wanted(each) for each in _AND.split(hint.words)]
    if len(parts) > 1 and all(any(_is_named(part, each) for each in held) for part in parts):
        for part in parts:
            _forget_part(part, held, understood, whole=hint.whole)
    else:
        _forget_part(_wanted(hint.words), held, understood, whole=hint.whole)


def _forget_part(wanted: Sequence[str], held: Sequence[Memory], understood: ResolvedHints, *, whole: bool) -> None:
    meant = [each for each in held if wanted and _share(wanted, each) == 1]
    if not meant and len(wanted) > 2:
        best = max((_share(wanted, each) for each in held), default=0)
        meant = [each for each in held if best >= 0.6 and _share(wanted, each) == best]
    people = names_of_relatives(held)
    meant = [each for each in without_others(meant, wanted, people) if not _is_told_beside(each, wanted, people)]
    if not meant and named_in(wanted, people):  # `Tucker's asthma`, of which another sentence told than of his name
        told = [each for each in held if each.attribute == "relative" and telling_words(each.value)]
        meant = [each for each in told if all(_has(wanted, word) for word in telling_words(each.value))]
    worded = [each for each in meant if all(_has(telling_words(f"{each.text} {each.value or ''}"), w) for w in wanted)]
    meant = worded or meant  # a `tableta` that is told of, and no `losartan` although it is one
    named = [each for each in meant if _is_named(wanted, each)]
    if any(each.attribute == "relative" for each in named):
        meant = [each for each in meant if each.attribute != "family"]  # of `Tucker's asthma` Tucker is still a son
    if named and not all(each.attribute in _PEOPLE for each in meant):
        meant = meant if whole else named  # `my diabetes` is not the metformin that is taken for it
    alike = all(same(None, each.value, meant[0].value) for each in meant)
    if whole or alike or all(each.attribute in _PEOPLE for each in meant):
        understood.forgotten.extend(meant)
    else:
        understood.unclear.extend(meant)


def _is_told_beside(memory: Memory, wanted: Sequence[str], people: Collection[str]) -> bool:
    """Whether words of the order are in another clause than the value: where Ana lives, of `lives here and teaches`."""
    if memory.attribute not in OF_PEOPLE:
        return False
    own = [*telling_words(f"{own_clause(memory, people)} {memory.value or ''}")]
    beside = [each for each in wanted if not (households.is_of_family(each) or named_in([each], people))]
    return any(_has([*telling_words(memory.text)], each) and not _has(own, each) for each in beside)


def _is_named(wanted: Sequence[str], memory: Memory) -> bool:
    """Whether the words are about the memory and have the whole of its value."""
    value = telling_words(memory.value)
    return bool(wanted and value) and all(_has(wanted, each) for each in value) and _share(wanted, memory) == 1


def _wanted(words: str) -> list[str]:
    return [each for each in telling_words(words) if len(each) > 1 and each not in COMPARISONS.saying]


def _share(wanted: Sequence[str], memory: Memory) -> float:
    said = [*telling_words(f"{memory.text} {memory.value or ''} {memory.attribute or ''}")]
    said += words_of_attributes().get(memory.attribute, ())
    if memory.attribute == "relative":
        slot_of_relative = relative_slot(memory.text, memory.value, every=True) or ""
        kinds = words_of_attributes().items()
        said += next((words for each, words in kinds if slot_of_relative.endswith(f": {each}")), ())
    return sum(_has(said, each) for each in wanted) / len(wanted)


@cache
def words_of_attributes() -> Mapping[Attribute | None, frozenset[str]]:
    """The words of all languages for the values of attributes."""
    words: dict[Attribute | None, frozenset[str]] = {}
    for locale in LOCALES.values():
        for attribute, called in locale.detection.forgetting.called.items():
            words[attribute] = words.get(attribute, frozenset()) | called
    return words


def _has(said: Sequence[str], word: str) -> bool:
    """Whether the word is among them, in any of its forms: `viaje` and `viajo`, `move` and `moving`."""
    return any(
        each == word
        or (len(word) > 3 and _alike(each, word))
        or (len(word) >= _SHORTEST_BEGINNING and each.startswith(word))
        for each in said
    )


def _alike(one: str, other: str) -> bool:
    """Whether the words have one stem, or begin alike if both are long: `diabetes` and `diabética`."""
    if households.is_of_family(one) and households.is_of_family(other):
        return one == other  # `mi viejo` is not `mi vieja`
    is_long = min(len(one), len(other)) >= _LONG
    return form_of(one) == form_of(other) or (is_long and one[:_SHORTEST_BEGINNING] == other[:_SHORTEST_BEGINNING])
