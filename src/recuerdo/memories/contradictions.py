"""Finds the memories that a message of the user contradicts or ends, and those that it asks to forget.

Patterns know some of the words for it, see understand.py. A network knows the others: it reads the message beside the
memories, see extraction/cross_encoder.py.
"""

import re
from collections.abc import Collection, Sequence
from typing import Literal

from recuerdo.core.memories import Attribute, Memory, Source
from recuerdo.core.words import normalize, words_of
from recuerdo.memories.corrections import denied_value, has_value, restated
from recuerdo.memories.extraction.context import inquires
from recuerdo.memories.extraction.guards import NEARLY, THINKS_BETTER
from recuerdo.memories.extraction.lexicon import households, organisations, places, possessions
from recuerdo.memories.extraction.relatives import named_relative
from recuerdo.memories.extraction.sentences import in_its_place
from recuerdo.memories.forgetting import ToldMessage, forms_of_all
from recuerdo.memories.likeness import form_of, forms_of, found_in, is_number, key_of, small_words, telling_words
from recuerdo.memories.locales.joined import COMPARISONS, GUARDS, TAGGED, WORDS
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.people import (
    CLAUSE,
    is_of_counterpart,
    may_part,
    name_words,
    named_in,
    names_of_relatives,
    own_clause,
    person_of,
    without_others,
)
from recuerdo.memories.slots import OF_PEOPLE, is_of_other_slot
from recuerdo.memories.understand import BETWEEN_SENTENCES, words_of_attributes

MOST = 10
"""Memories that are compared: the latest of the same conversation, and those that share most words."""

_LATEST, _GREETING = 4, 20
"""Memories, and characters of a message that may be nothing but a greeting: `hola de nuevo`."""

_SHORTEST_OF_SEVERAL = 3
"""Words of a statement beside others that is compared with the memories."""

_SHORTEST = 2
"""Words of a message that tells nothing if the memory has them all."""

_LONGEST = 400
"""Characters of a message: a longer one tells of too many things."""

CONTRADICTED, REPLACED, CORRECTED, DENIED = 0.92, 0.96, 0.8, 0.5
"""How sure the network has to be that a memory no longer holds, that it is replaced by another value of its kind, which
often stands beside it, that words which name it and correct something mean it, and that those mean it which say that
its number is another."""

MEANT, MAYBE_MEANT, ORDERED = 0.8, 0.2, 0.93
"""The same for an order to forget a memory, to ask the user whether they mean it, and for a message to be an order."""

MEANT_WITHOUT_WORD = 0.9
"""How sure it has to be that an order means a note, or what is told of a relative, of which it has no word."""

_IN_OTHER_WORDS: tuple[Attribute, ...] = ("health", "allergy", "diet", "job", "employer", "studies", "city")
"""Attributes that an order may mean without a word of theirs: `my eye` is the glaucoma."""

NAMED, NAMED_OF_PERSON, PARTED = 0.65, 0.5, 0.9
"""The same where the message has a word of the memory, where it has one and the person's name, and where it names who
may have parted from the user."""

_MANY_TOLD = 12
"""Words of a memory that one word of a message does not name."""

_SMALL = 2
"""Letters of words that name nothing."""

_LEAST_ALONE = {"end": 0.3, "forget": 0.1}
"""How sure it has to be where it reads the memory alone: beside others unlike those that it learned from, it errs."""

_OWN_CLAUSE, _NEARLY = 0.7, 0.9
"""How sure it has to be that a clause of a sentence ends, and the share of the chance of the likeliest memory of a
sentence that another one has to have to end with it."""

_LONGEST_ORDER = 16
"""Words of an order to forget that has none of its usual words."""

_REMINDS = re.compile(rf"\b(?:{GUARDS.reminds})\b")
_GOES_ON = re.compile(rf"(?:(?!(?:{WORDS.nots})\b)\w+ ){{0,3}}(?:{GUARDS.still})\b")
_BUT = re.compile(rf"\b(?:{WORDS.buts})\b")
_PART_OF = re.compile(rf"\b(\w{{3,}})(?= (?:{WORDS.of}) (?:(?:{WORDS.articles}|{WORDS.my}) )?(\w{{3,}}))")


def contradicted(
    message: str,
    held: Sequence[Memory],
    source: Source,
    told: Collection[Attribute],
    people: Collection[str] = (),
    earlier: Sequence[ToldMessage] = (),
    *,
    corrects: bool,
) -> list[Memory]:
    """The memories that no longer hold, or were wrong, after a message that told values of some attributes.

    A message that `corrects` something has words for that, and is about what was said last. `people` are the names of
    the user's relatives, normalized: what is told of one ends nothing of another whom the same sentence told of. Of
    the `earlier` messages the sentences are read that told the memories, and else the memories.
    """
    if not held:
        return []
    if len(message) <= _GREETING and any(each.offline.greetings.match(normalize(message)) for each in LOCALES.values()):
        return []
    if not corrects and _REMINDS.search(normalize(message)):
        return []
    message = "\n".join(map(_what_happened, message.splitlines()))
    if not (told or corrects):
        message = "\n".join(each for each in message.splitlines() if not (_goes_on(each) or _tells_nothing(each)))
    if not message:
        return []
    denied = denied_value(message)
    said = set(telling_words(message))
    held = _touched(held, message, told, said, people, denied=denied, corrects=corrects)
    is_short = len(words_of(message)) <= _SHORTEST
    over: list[Memory] = []
    concerned = _concerned("end", message, held, source, earlier)
    towns = [memory for memory, chance in concerned if memory.attribute == "city" and chance >= CORRECTED]
    for memory, chance in concerned:
        if in_its_place(memory.attribute, memory.value, message) is not None:
            over.append(memory)
            continue
        if chance < DENIED or _shares_only_people(memory, said, people):  # the least of them
            continue
        if is_short and {each for each in said if len(each) > 1} <= {*telling_words(memory.text)}:
            continue  # `n mum` goes on asking
        if denied is None and _is_repeated_number(memory, message):
            continue
        is_named = not said.isdisjoint(telling_words(memory.text))
        if _is_of_other_news(memory, told, said, is_named=is_named):
            continue
        is_restated = restated(memory, message, corrects=corrects) is not None and (is_named or not corrects)
        if is_restated or (corrects and is_named and memory.attribute not in told):
            least = DENIED if denied and is_named else CORRECTED
        else:
            least = REPLACED if memory.attribute in told else CONTRADICTED
            least = min(least, _least_of_named(memory, said, people, beside=memory.attribute in told))
        if chance >= least and (is_restated or _ends_own_clause(message, memory, held, people)):
            over.append(memory)
    over += [each for each in towns if each not in over and any(each.text in other.text for other in over)]
    over = [each for each in over if not _is_beside(each, held, message, said)]
    changed = [each for each in over if each.attribute == "relative"]
    whose = {person_of(each, people) for each in changed} - {None}
    # A relative of whom something else is no longer true is still one.
    over = [
        each
        for each in over
        if each.attribute != "family"
        or not (person_of(each, people) in whose or any(each.text == other.text for other in changed))
    ]
    latest = max((each.source.seq or 0 for each in over), default=0)
    return [each for each in over if not corrects or (each.source.seq or 0) == latest]


def _ends_own_clause(message: str, memory: Memory, held: Sequence[Memory], people: Collection[str]) -> bool:
    """Whether what the memory is of ends, and not what the same sentence tells of a relative besides."""
    beside = [
        each for each in held if each.attribute == "relative" and (each.text in memory.text or memory.text in each.text)
    ]
    if len(beside) == 1 or memory not in beside:
        return True
    clauses = [own_clause(each, people) for each in beside]
    ends = dict(zip(clauses, _chances("end", message, clauses), strict=False))
    return ends.get(own_clause(memory, people), 0.0) >= _OWN_CLAUSE


def _touched(
    held: Sequence[Memory],
    message: str,
    told: Collection[Attribute],
    said: set[str],
    people: Collection[str],
    *,
    denied: str | None,
    corrects: bool,
) -> Sequence[Memory]:
    """The memories that the message may end: about the people and things that it is about, in words that end such."""
    if "remember" in told:  # whatever the user wants to be remembered stands beside what they wanted before
        held = [each for each in held if each.attribute != "remember"]
    if set(told) == {"preference"} or (set(told) == {"name"} and TAGGED.names.search(normalize(message))):
        held = [each for each in held if each.attribute in told]  # nothing else changes with them
    if denied:  # `no tiene 33, sino 34`: whatever has no 33 in it still holds
        held = [each for each in held if has_value(each, denied)]
    if named := named_in(said, people):
        held = [each for each in held if not _is_of_another(each, message, named, people)]
    held = [each for each in held if each.attribute != "possession" or not _is_of_another_thing(each, said)]
    held = [each for each in held if not is_of_other_slot(each.attribute, each.text, message)]
    held = [each for each in held if not is_of_counterpart(each.text, said)]
    if TAGGED.couples_part.search(normalize(message)):
        partners = names_of_relatives([each for each in held if each.attribute == "family" and may_part(each)])
        held = [each for each in held if not _is_of_kin(each, said, people, partners)]
    if "plan" in told and not corrects:
        held = [each for each in held if each.attribute != "plan" or not _is_to_another_place(each, message)]
    if corrects or denied or TAGGED.parts.search(normalize(message)):
        return held
    # Only words of parting end a relative or an animal.
    return [
        each
        for each in held
        if each.attribute not in ("family", "pet") or in_its_place(each.attribute, each.value, message) is not None
    ]


def _is_of_kin(memory: Memory, said: set[str], people: Collection[str], partners: Collection[str]) -> bool:
    """Whether the end of a couple changes nothing of it: a brother is still one, and lives where he lives."""
    if memory.attribute == "relative":
        own = {*telling_words(own_clause(memory, people))} - name_words(people)
        return person_of(memory, people) not in partners and said.isdisjoint(own)
    return memory.attribute == "family" and not may_part(memory)


def _is_of_other_news(memory: Memory, told: Collection[Attribute], said: set[str], *, is_named: bool) -> bool:
    """Whether the message tells news of another kind, which end no such memory."""
    match memory.attribute:
        case "family":  # of whom something new is told is still one
            return "relative" in told or ("family" in told and not may_part(memory))
        case "health":  # an appointment cures nothing
            return "plan" in told and "health" not in told
        case "job":  # an engineer with another company is one
            return "employer" in told and "job" not in told and not is_named
        case "likes" | "dislikes":  # what one likes besides is no change
            return memory.attribute in told and not said.issuperset(telling_words(memory.value))
        case "employer":  # `moved closer to the hospital` leaves no hospital
            return "city" in told and "employer" not in told and not _is_called(memory, said)
        case _:
            return False


def _least_of_named(memory: Memory, said: set[str], people: Collection[str], *, beside: bool) -> float:
    """How sure the network has to be where the message names what the memory tells, and maybe of whom.

    A new value of its kind may stand `beside` it, unless it is of a person who is named.
    """
    forms = {form_of(each) for each in said}
    told = [each for each in telling_words(memory.text) if len(each) > _SMALL or each.isdigit()]
    shared = {each for each in told if form_of(each) in forms} - small_words()
    if memory.attribute == "city":
        shared &= set(telling_words(memory.value))  # `moro com minha mãe` names no town
    things = {each for each in shared - name_words(people) if not households.is_of_family(each)}
    if things and things < shared:
        return NAMED_OF_PERSON
    parts = memory.attribute == "family" and may_part(memory)
    called = {*telling_words(memory.value), named_relative(memory.text, memory.value)} if parts else set[str]()
    if beside or (len(things) == 1 and len(told) >= _MANY_TOLD):
        return 1.0
    return NAMED if things else PARTED if not said.isdisjoint(called) else 1.0


def _is_beside(memory: Memory, held: Sequence[Memory], message: str, said: set[str]) -> bool:
    """Whether the message is about something else that was told in the same words: `Verdi` of `Verdi y Puccini`."""
    together = [each for each in held if each.text == memory.text and each.attribute == memory.attribute]
    named = [each for each in together if not said.isdisjoint(telling_words(each.value))]
    if not named and found_in(is_number, message):
        named = [each for each in together if is_number(each.value or "")]
    return len(together) > 1 and bool(named) and memory not in named


def _is_of_another(memory: Memory, message: str, named: Sequence[str], people: Collection[str]) -> bool:
    """Whether the memory is of another relative than those named, or an age and the message has no number.

    Whatever is said of Harriet, who moved, Philippa is still 38, and Harriet 35.
    """
    whose = person_of(memory, people) if memory.attribute in OF_PEOPLE else None
    if whose is None:
        return False
    is_age = memory.attribute == "relative" and is_number(memory.value or "")
    return whose not in named or (is_age and not found_in(is_number, message))


def _is_of_another_thing(memory: Memory, said: set[str]) -> bool:
    """Whether the message is of a vehicle, and the memory of no such thing: `I sold my bike`, and a guitar."""
    vehicles = [each for each in said if possessions.is_vehicle(each)]
    shares = not said.isdisjoint(telling_words(memory.value))
    return (
        bool(vehicles)
        and not shares
        and not any(possessions.may_be(each, memory.value or "", memory.text) for each in vehicles)
    )


def _is_to_another_place(plan: Memory, message: str) -> bool:
    """Whether the message is of a plan in another place: `mi viaje a Lima es en junio` moves no `viaje a Salta`."""
    return places.are_elsewhere(words_of(message), words_of(plan.text))


def _shares_only_people(memory: Memory, said: set[str], people: Collection[str]) -> bool:
    """Whether only the names of relatives are in the message and the memory: `Ana y yo nos casamos` ends no trip."""
    shared = said.intersection(telling_words(memory.text))
    persons = name_words(people)
    return memory.attribute not in ("family", "relative", "pet") and len(shared) > 0 and shared <= persons


def _is_repeated_number(memory: Memory, message: str) -> bool:
    """Whether the memory is a number that the message has as well: `cold. 11 below` ends no age of 11."""
    value = key_of(memory.value or "")
    return memory.attribute in ("age", "relative") and value.isdigit() and value in found_in(is_number, message)


def _is_called(employer: Memory, said: set[str]) -> bool:
    """Whether the message has a word of the employer's name, beside one for what it is: `the hospital`."""
    return not said.isdisjoint(each for each in telling_words(employer.value) if each not in organisations.KINDS)


def _what_happened(line: str) -> str:
    """The line without clauses of what only nearly happened: of `sold the van, nearly cried` the first one.

    Nothing has happened where the user thought better of it: `listed the van but changed my mind`.
    """
    if THINKS_BETTER.search(normalize(line)):
        return ""
    if not NEARLY.search(normalize(line)):
        return line
    return ", ".join(each for each in CLAUSE.split(line)[::2] if not NEARLY.search(normalize(each)))


def _tells_nothing(statement: str) -> bool:
    """Whether a statement asks something, also where it has no mark, `e o pai`, or tells nothing to be remembered."""
    from recuerdo.memories.extraction.answer_type import tells_nothing  # the tagger, for those who remember

    return inquires(statement) or tells_nothing(statement)


def _goes_on(statement: str) -> bool:
    """Whether it begins with what is as it was, and goes on without a number or a but: `todavía le debo a Beto`."""
    folded = normalize(statement)
    return bool(_GOES_ON.match(folded)) and not (found_in(is_number, statement) or _BUT.search(folded))


def meant(
    order: str, held: Sequence[Memory], source: Source, about: Sequence[str] = ()
) -> tuple[list[Memory], list[Memory]]:
    """The memories that an order to forget means; where it surely means none, also those that it may mean.

    `about` are the words behind the order: of `the uncle's bike` no work of the uncle's is meant, though it may be.
    """
    words, people = telling_words(order), names_of_relatives(held)
    said = forms_of(order)
    held = without_others(held, words, people)
    held = [each for each in held if not _is_of_whole(each, order)]
    found = [
        (memory, chance)
        for memory, chance in _concerned("forget", order, held, source)
        if chance >= MAYBE_MEANT and (memory.attribute != "preference" or said.intersection(forms_of(memory.text)))
    ]
    persons, named = name_words(people), named_in(words, people)
    told = [word for each in about for word in telling_words(each)]
    things = {form_of(each) for each in told if each not in persons and not households.is_of_family(each)}
    things = forms_of_all(order) or things
    alike = [
        memory
        for memory, chance in found
        if not things
        or _is_meant_without_word(memory, chance, named)
        or _has_one(memory, things, people)
        or not things.isdisjoint(map(form_of, words_of_attributes().get(memory.attribute, ())))
    ]
    surely = [memory for memory, chance in found if chance >= MEANT and memory in alike]
    having = [each for each in surely if _has_one(each, things, people)]
    maybe = [each for each, _ in found if each in alike or each.attribute in _IN_OTHER_WORDS]
    maybe = [each for each in maybe if not named or person_of(each, people) in (None, *named)]
    return having or surely, [] if surely else maybe


def _is_meant_without_word(memory: Memory, chance: float, named: Sequence[str]) -> bool:
    """Whether an order that names these people may mean a note, or what is told of a relative, without a word of it."""
    is_sure, is_named = chance >= MEANT_WITHOUT_WORD, bool(named_in(telling_words(memory.text), named))
    if memory.attribute is None:
        return is_sure or is_named
    return memory.attribute == "relative" and is_sure and is_named


def messages_meant(order: str, told: Sequence[ToldMessage]) -> list[ToldMessage]:
    """The user's earlier messages that an order to forget means, which has a word of theirs.

    If it asks to forget everything about Pepe, a lower chance is enough for a message that names him. Also one that has
    a word of those instead, `I paid Pepe 200` of `I owe Pepe 640 for the heater`, if that is surer.
    """
    texts = [each.text for each in told]
    about = forms_of_all(order)
    meant = [
        text
        for text, chance in _forgotten(order, texts).items()
        if chance >= (MEANT if about.isdisjoint(forms_of(text)) else MAYBE_MEANT)
    ]
    beside = _forgotten(order, texts, *meant) if meant else {}
    return [each for each in told if each.text in meant or beside.get(each.text, 0) >= ORDERED]


def orders_to_forget(message: str, texts: Sequence[str]) -> bool:
    """Whether a message surely asks to forget one of the texts of which it has a word."""
    if len(words_of(message)) > _LONGEST_ORDER or _REMINDS.search(normalize(message)):
        return False
    return any(chance >= ORDERED for chance in _forgotten(message, texts).values())


def _forgotten(order: str, texts: Sequence[str], *meant: str) -> dict[str, float]:
    """How likely the order means each of the texts that share most words with it, and with those that it has meant."""
    said = set[str]().union(*map(forms_of, (order, *meant)))
    shared = {each: len(said & forms_of(each)) for each in texts}
    nearest = sorted(filter(shared.get, shared), key=lambda each: shared[each], reverse=True)[:MOST]
    likely = [each for each in shared if each in nearest]
    return dict(zip(likely, _chances("forget", order, likely), strict=False))


def _is_of_whole(memory: Memory, order: str) -> bool:
    """Whether the order is about a part of a thing that is owned, and the memory of it alone: `the rates of the bike`.

    Of others a part is most often what is known: `the name of my dog`.
    """
    if memory.attribute != "possession":
        return False
    words = forms_of(memory.text)
    parts = [(form_of(each[1]), form_of(each[2])) for each in _PART_OF.finditer(normalize(order))]
    return any(whole in words and part not in words and part not in COMPARISONS.saying for part, whole in parts)


def _has_one(memory: Memory, things: Collection[str], people: Collection[str]) -> bool:
    return any(form_of(each) in things for each in telling_words(own_clause(memory, people)))


def _concerned(
    task: Literal["end", "forget"],
    message: str,
    held: Sequence[Memory],
    source: Source,
    earlier: Sequence[ToldMessage] = (),
) -> list[tuple[Memory, float]]:
    """The memories that a text may be about, and how likely it ends or means each.

    Of a message with several statements each is compared for itself, and with whole sentences, as the network has
    learned it. Of several memories that one sentence told the likeliest are meant.
    """
    likely = comparable(message, held, source) if len(message) <= _LONGEST else []
    sentences = {each.id: _sentence(each, earlier) for each in likely}
    texts = list(dict.fromkeys(sentences.values()))
    found, meant, compared = dict.fromkeys(texts, 0.0), {each.text for each in likely}, set[str]()
    lines = message.splitlines() if task == "end" else [message]
    for line in [each for each in lines if len(each.split()) >= _SHORTEST_OF_SEVERAL] or [message]:
        for text, chance in zip(texts, _chances(task, line, texts), strict=False):
            is_likely = chance >= (DENIED if task == "end" else CORRECTED)
            if chance > found[text] and not (is_likely and _chances(task, line, [text])[0] < _LEAST_ALONE[task]):
                found[text] = chance
                if is_likely:
                    of_text = dict.fromkeys(each.text for each in likely if sentences[each.id] == text)
                    meant -= _unlikely(task, line, list(of_text))
                    compared |= of_text.keys() if len(of_text) > 1 else set()
    others = [each for each in likely if each.text not in compared]
    meant -= {each.text for each in others if _is_of_the_rest(message, each.text, sentences[each.id])}
    return [(each, found[sentences[each.id]] if each.text in meant else 0.0) for each in likely]


def _sentence(memory: Memory, earlier: Sequence[ToldMessage]) -> str:
    """The sentence in which the user told the memory, or the memory's text where its message is unknown."""
    told = next((each.text for each in earlier if each.source.place == memory.source.place), "")
    return next((each for each in BETWEEN_SENTENCES.split(told) if memory.text in each), memory.text)


def _is_of_the_rest(message: str, text: str, sentence: str) -> bool:
    """Whether a message shares words with a sentence only where that tells something else than a memory's text."""
    said = forms_of(message) if text != sentence else set[str]()
    return said.isdisjoint(forms_of(text)) and not said.isdisjoint(forms_of(sentence))


def _unlikely(task: Literal["end", "forget"], message: str, told: Sequence[str]) -> set[str]:
    """Of the texts that one sentence told those that a message is less likely about than about another one."""
    chances = _chances(task, message, told) if len(told) > 1 else ()
    return {text for text, chance in zip(told, chances, strict=False) if chance < max(_NEARLY * max(chances), DENIED)}


def _chances(task: Literal["end", "forget"], message: str, texts: Sequence[str]) -> Sequence[float]:
    """How likely the message ends, or asks to forget, each text: nothing where the network is not installed."""
    from recuerdo.memories.extraction import cross_encoder  # a network, for those who remember

    encoder = cross_encoder.load() if texts else None
    if encoder is None:
        return ()
    compare = encoder.ended if task == "end" else encoder.forgotten
    return compare(message, [cross_encoder.ComparedSentence(each, remembered=True) for each in texts])


def rest_of(text: str, message: str) -> str | None:
    """The clauses of a note that a message does not end, if they are worth a note: of two medicines the one that stays.

    None where the first clause ends too: the others add to that.
    """
    from recuerdo.memories.extraction.answer_type import worth_of  # the tagger, for those who remember

    parts = CLAUSE.split(text)
    chances = _chances("end", message, parts[::2])
    if not chances or chances[0] >= _OWN_CLAUSE or len(parts[0].split()) < _SHORTEST_OF_SEVERAL:
        return None
    clauses = zip(["", *parts[1::2]], parts[::2], chances, strict=True)
    rest = "".join(f"{before}{clause}" for before, clause, chance in clauses if chance < _OWN_CLAUSE)
    return rest if rest != text and worth_of(rest) == "note" else None


def comparable(message: str, held: Sequence[Memory], source: Source) -> list[Memory]:
    """The memories that the message may be about, at most MOST and what their sentences told besides, oldest first."""
    ordered = sorted(held, key=lambda each: (each.created_at, each.source.seq or 0))
    if len(ordered) <= MOST:
        return ordered
    said = set(telling_words(message))
    here = [place for place, each in enumerate(ordered) if each.source.thread == source.thread][-_LATEST:]
    shared = [len(said.intersection(telling_words(f"{each.text} {each.value or ''}"))) for each in ordered]
    best = sorted(range(len(ordered)), key=lambda place: (place in here, shared[place], place), reverse=True)
    chosen = [ordered[place].text for place in best[:MOST]]
    return [each for each in ordered if any(each.text in text for text in chosen)]
