"""Extracts facts about a user from the user's messages, and the sentences that are worth a note: asks no model."""

from collections.abc import Iterable, Sequence

from recuerdo.core.memories import Attribute, Fact
from recuerdo.memories.extraction.agreed import CORRECTION, agreed, apart, without_kinds
from recuerdo.memories.extraction.answer_type import ASKING, SURELY_ASKING, Worth, expected_answer, worth_of
from recuerdo.memories.extraction.context import Heard, Hint, answers, asked, correction, hints, question_answered
from recuerdo.memories.extraction.engine import DetectedFact, detect
from recuerdo.memories.extraction.lexicon import clubs, households
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.sentences import in_its_place, is_taken_back
from recuerdo.memories.extraction.statements import Statement, ends, statements
from recuerdo.memories.extraction.tagger import TaggedValue, tag
from recuerdo.memories.extraction.unheard import unheard
from recuerdo.memories.extraction.validity import held
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.likeness import same_value, telling_words
from recuerdo.memories.locales.joined import TAGGED, WORDS
from recuerdo.memories.people import names_of_relatives, own_clause, up_to_own_clause
from recuerdo.memories.slots import OF_PEOPLE, SINGLE_VALUED

_MOST_FACTS = 32
_BARE = 4
"""Words of an answer that tells of the user only what they were asked of themselves."""

_SHORT = 6
"""Words of a message that may go on asking: `e a consulta de quinta`."""

_LONGEST_NOTED = 800
"""Characters of a message in which notes are looked for: a longer one was pasted, or is for a model to read."""

_LONGEST_NOTE, _SHORTEST_NOTE, _MOST_NOTES = 240, 3, 4
"""Characters, and words, of a note, and notes of one message."""

_LEAST_BESIDE_NAMES = 2
"""Words that a note has beside the names of relatives in it: `le presté la moto a mi cuñado Wil`."""

_RETOLD: tuple[Attribute, ...] = ("family", "pet", "plan")
"""When users ask to remember something about these, the whole sentence is kept."""

_TIMELESS: tuple[Attribute, ...] = ("name", "birthday", "age", "origin", "plan", "remember")
"""Attributes of which no words say since when: a plan's times are in its own words."""

_REST_OF_CLAUSE = Pattern(
    rf"(?:(?![,.;:!?()|]|\s(?:{WORDS.ands}|{WORDS.buts}|{WORDS.thats}|{WORDS.ors}|{WORDS.becauses})\s).){{0,80}}"
)
_RIGHT_BEFORE = Pattern(rf"[\s,]*(?:(?:{WORDS.thats})\s)?(?:(?:{WORDS.i})\s)?")

_FIGURES = Pattern(r"\d+")

_CAPITAL_INSIDE = Pattern(r"(?<=[\w,;] )(?!I\b|I')[A-ZÀ-Ý]")


def extract(text: str, question: str | None = None) -> list[Fact]:
    """The facts that the user states of themselves in `text`, in the order in which they are said.

    Each has the value in the user's own words and the clause that it stands in; of a bare answer that is the `question`
    with it, which the assistant asked before. Anything denied, asked, supposed, quoted or said about another
    person is not a fact. Spanish, Portuguese and English are understood. Of a very long text only the two ends
    are read, so that the time is bounded.
    """
    return listen(text, question).facts


def listen(text: str, question: str | None = None) -> Heard:
    """The facts that the user states in `text`, see `extract`, what they take back, and what needs what is held."""
    text = ends(text)
    stated = list(statements(text))
    heard = _by_detectors(text, question, stated)
    if not (stated or heard.facts) or any(denial.attribute is None for denial in heard.denials):
        return heard  # a question, in which the tagger could find nothing; or all is to be forgotten
    answered = question_answered(text, question) if question else None
    is_of_user = answered is not None and (len(text.split()) > _BARE or bool(asked(answered)))
    tagged = tag(text, answered if is_of_user else None)
    if address := TAGGED.addresses.match(fold(text)):
        tagged = _without_addressed(tagged, fold(text)[address.end() :])
    if not tagged:
        return heard
    heard.facts[:] = agreed(heard.facts, text, tagged)
    facts, hinted = unheard(text, answered, stated, heard, tagged)
    if facts and not answered and _asks_in_short(text):
        facts = []
    facts = without_kinds(apart([*heard.facts, *facts], text, tagged), text)
    facts = [
        _of_club(_with_allergy(fact, stated))
        for fact in facts
        if in_its_place(fact.attribute, fact.value, text) is None and not _is_family_name(fact, text)
    ]
    people = [each.value for each in facts if each.attribute == "family"]
    facts = [up_to_own_clause(each, people) if each.attribute in OF_PEOPLE else each for each in facts]
    return Heard(facts[:_MOST_FACTS], heard.denials, [*heard.hints, *hinted][:_MOST_FACTS])


def listen_and_note(text: str, question: str | None = None) -> Heard:
    """Listen, and add as `notes` the sentences worth keeping that the facts don't cover.

    Such a sentence gave no fact, or only who a relative is, or has figures that no fact has. A network tells
    `le debo 4,500 a doña Chayo` from `dormí fatal`. Where the tagger is not installed, there are no notes.
    """
    heard = listen(text, question)
    if len(text) > _LONGEST_NOTED or None in [denial.attribute for denial in heard.denials]:
        return heard  # which is to forget all
    names = [each.value for each in heard.facts if each.attribute == "family"]
    people = names_of_relatives(heard.facts) if names else ()
    facts = [each for each in heard.facts if each.value not in names]
    told = [own_clause(each, people) if each.attribute == "relative" else each.text for each in facts]
    told += [each.value for each in facts]
    told += [each.text for each in heard.denials]
    notes: dict[str, Worth] = {}
    for statement in statements(text):
        said = " ".join(statement.text.split()).strip(" ,;:.-")
        if len(said) > _LONGEST_NOTE or len(said.split()) < _SHORTEST_NOTE or said in notes:
            continue
        here = [each for each in told if each in said or said in each]
        if here and set(_FIGURES.findall(said)).issubset(_FIGURES.findall(" ".join(here))):
            continue
        named = [word for each in names if each in said for word in telling_words(each)]
        beside = [each for each in telling_words(said) if len(each) > 1 and each not in named]
        kin = [each for each in beside if households.is_of_family(each)] if named else []
        if any(map(str.isalpha, beside)) and (not named or len(beside) >= len(kin) + _LEAST_BESIDE_NAMES):
            notes[said] = worth_of(said)
    noted = [each for each, worth in notes.items() if worth != "none"][:_MOST_NOTES]
    return heard._replace(notes=noted, news=[each for each in noted if notes[each] == "over"])


def _is_family_name(fact: Fact, text: str) -> bool:
    """Whether it is only what relatives call the user: `my grandbabies call me Mawmaw`."""
    before = fold(text).partition(fold(fact.value))[0] if fact.attribute == "name" else ""
    calls = TAGGED.others_call_me.search(before)
    return calls is not None and households.is_of_family(before[: calls.start()].rpartition(" ")[2])


def _without_addressed(tagged: list[TaggedValue], told: str) -> list[TaggedValue]:
    """The values without those of a relative whose word is only said to the assistant: `tío, curro en un bar`."""
    if any(map(households.is_close, told.split())):
        return tagged
    return [each for each in tagged if each.attribute not in OF_PEOPLE]


def _asks_in_short(text: str) -> bool:
    """Whether a short message asks without a mark: the same about another, `y el Blasi`, or for `my diabetes drug`."""
    least = ASKING if TAGGED.also.match(text) else SURELY_ASKING if TAGGED.own.match(text) else None
    return least is not None and len(text.split()) <= _SHORT and expected_answer(text).asks >= least


def _of_club(fact: Fact) -> Fact:
    """The fact, as a liking where nobody comes from it: `soy de River`, `sou corinthiano`."""
    is_club = fact.attribute == "origin" and fold(fact.value) in clubs.CLUBS_OR_SUPPORTERS
    return Fact("likes", fact.value, fact.text) if is_club else fact


def _with_allergy(fact: Fact, stated: Sequence[Statement]) -> Fact:
    """The fact with what is said after it of an allergy: `no como mariscos` `porque me dan alergia`."""
    if fact.attribute not in ("diet", "dislikes"):
        return fact
    for statement in stated:
        text = " ".join(statement.text.split())
        start = text.find(fact.text)
        reason = _ALLERGY.match(fold(text), start + len(fact.text)) if start >= 0 else None
        if reason:
            return Fact(fact.attribute, fact.value, text[start : reason.end()])
    return fact


_ALLERGY = Pattern(rf"[^.;!?]{{1,60}}?{TAGGED.allergy.source}")


def by_detectors(text: str, question: str | None = None) -> Heard:
    """Extract facts without the tagger."""
    text = ends(text)
    return _by_detectors(text, question, statements(text))


def _by_detectors(text: str, question: str | None, stated: Iterable[Statement]) -> Heard:
    casual = not _CAPITAL_INSIDE.search(text)
    heard = Heard([], [], [])
    for statement in stated:
        detected = detect(statement, casual or statement.text.isupper())
        if any(denial.attribute is None for denial in detected.denied):
            heard.facts.clear()
        found = _dated(_corrected(_unplanned(_without_echoes(detected.found)), statement), statement)
        hinted = [*hints(statement)]
        hinted = _beside(hinted, found) if found else _in_place(hinted, heard.facts, casual)
        heard = Heard(
            [*heard.facts, *(one.fact for one in found)], [*heard.denials, *detected.denied], [*heard.hints, *hinted]
        )
        if len(heard.facts) >= _MOST_FACTS:
            break
    facts = _distinct(heard.facts)
    if question and not facts:
        facts = answers(text, question, casual)
    return Heard(facts[:_MOST_FACTS], heard.denials[:_MOST_FACTS], heard.hints[:_MOST_FACTS])


def _beside(found: list[Hint], stated: Sequence[DetectedFact]) -> list[Hint]:
    """The endings beside facts about other things: `I left the Mater, I start at St James on Monday`."""
    return [
        each
        for each in found
        if (each.how == "moves" and each.instead)
        or (
            each.how in ("ends", "tells", "moves", "starts") and not any(one.fact.value in each.words for one in stated)
        )
    ]


def _in_place(found: list[Hint], facts: list[Fact], casual: bool) -> list[Hint]:
    """The hints but for corrections of what was said in the same message, which take its place."""
    left: list[Hint] = []
    for hint in found:
        last = facts[-1] if facts and hint.how == "corrects" else None
        value = correction(hint.words, last.attribute, last.value, casual, last.text) if last else None
        if last and value:
            facts[-1] = Fact(last.attribute, value, last.text.replace(last.value, value))
        else:
            left.append(hint)
    return left


def _without_echoes(found: Sequence[DetectedFact]) -> list[DetectedFact]:
    """Without `remember` where what is to be remembered is a fact of its own, or without what only retells it."""
    asked = next((one for one in found if one.fact.attribute == "remember"), None)
    if asked is None:
        return list(found)
    kept = [one for one in found if one.start < asked.value_start or one.fact.attribute not in _RETOLD]
    if any(one.start >= asked.value_start for one in kept if one is not asked):
        kept.remove(asked)
    return kept


def _unplanned(found: Sequence[DetectedFact]) -> list[DetectedFact]:
    """Without what is only planned: `el sábado nos mudamos a Toluca`."""
    plans = [
        (one.value_start, one.value_start + len(one.fact.value or "")) for one in found if one.fact.attribute == "plan"
    ]
    return [
        one
        for one in found
        if one.fact.attribute == "plan" or not any(start < one.value_start < end for start, end in plans)
    ]


def _dated(found: Sequence[DetectedFact], statement: Statement) -> list[DetectedFact]:
    """The facts, each with the words that say from when or until when it holds: `desde 2019 trabajo en Intel`."""
    dated: list[DetectedFact] = []
    for index, one in enumerate(found):
        end = one.value_start + len(one.fact.value)
        following = found[index + 1].value_start if index + 1 < len(found) else len(statement.text)
        behind = _REST_OF_CLAUSE.match(statement.folded, end, following)
        last = behind.end() if behind else end
        own = end if index and found[index - 1].value_start >= one.start else one.start
        when = held(statement.folded, own, last)
        if when is None and (not index or found[index - 1].start == one.start):
            before = held(statement.folded, 0, one.start)
            when = before if before and _RIGHT_BEFORE.fullmatch(statement.folded, before[1], one.start) else None
        text = statement.text[min(one.start, when[0]) : max(end, when[1])] if when else None
        timeless = one.fact.attribute in _TIMELESS or one.fact.text not in " ".join(statement.text.split())
        if text is None or timeless:
            dated.append(one)
        else:
            fact = Fact(one.fact.attribute, one.fact.value, " ".join(text.split()))
            dated.append(one._replace(fact=fact))
    return dated


def _corrected(found: Sequence[DetectedFact], statement: Statement) -> list[DetectedFact]:
    """Without a value that is taken back in the same sentence: `me llamo Juan, perdón, me llamo José`."""
    kept: list[DetectedFact] = []
    for index, one in enumerate(found):
        if is_taken_back(statement.folded, one.value_start + len(one.fact.value)):
            continue
        later = [other for other in found[index + 1 :] if other.fact.attribute == one.fact.attribute]
        if one.fact.attribute in SINGLE_VALUED and any(
            CORRECTION.search(statement.folded, one.value_start, other.start) for other in later
        ):
            continue
        kept.append(one)
    return kept


def _distinct(facts: Sequence[Fact]) -> list[Fact]:
    """Each once; of a state that changes within a message (`me casé, ahora estoy casada`) the last."""
    kept: list[Fact] = []
    states = [fact for fact in facts if fact.attribute == "marital_status"]
    for fact in facts:
        if fact.attribute == "marital_status" and fact is not states[-1]:
            continue
        if not any(fact.attribute == other.attribute and same_value(fact.value, other.value) for other in kept):
            kept.append(fact)
    return kept
