"""Ages, marriages, studies, illnesses, allergies and diets."""

from collections.abc import Sequence

from recuerdo.memories.extraction.language import ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import households, jobs, organisations, places, traits
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.phrases import phrase
from recuerdo.memories.extraction.readers.spans import LAUGHTER, OF, plain_run, proper_run, skip, trimmed_end
from recuerdo.memories.extraction.readers.towns import sure_city
from recuerdo.memories.extraction.words import Word
from recuerdo.memories.locales.joined import READERS

_DIGITS = Pattern(r"\d{1,3}")
_HYPHENATED = Pattern(r"[a-z]+-[a-z]+")
_INFINITIVE = Pattern(r"[a-z]{2,}(?:ar|er|ir|arme|erme|irme)")
_LAUGHS = Pattern(r"(?:[jh]+[aeiu]+){2,}[jh]*|k{2,}|(?:rs)+|lo+l+|lmf?ao|x+d+")
_YOUNGEST = 10
"""People who write are hardly younger; a smaller number without `years` is not an age: `tengo 2`."""


def age(input_: ReaderInput) -> Reading | None:
    """How old the user is: a number with `years`, or one that nothing is counted by."""
    return _age(input_, _YOUNGEST)


def any_age(input_: ReaderInput) -> Reading | None:
    """Read an age, children's included."""
    return _age(input_, 0)


def introduced_age(input_: ReaderInput) -> Reading | None:
    """Read an age that begins an introduction, before a job: `34`, software engineer at Stripe."""
    words = input_.words
    titled = len(words) > 2 and words[1].text == "," and any(jobs.is_job(word.folded) for word in words[2:5])
    return age(input_) if titled else None


def _age(input_: ReaderInput, youngest: int) -> Reading | None:
    words = input_.words
    last = _number_end(words)
    if not last:
        return None
    counted = words[last].folded if last < len(words) else ""
    if counted in traits.YEARS or (counted in traits.YEARS_OF_ADULTS and _is_grown(words[:last], _YOUNGEST)):
        following = words[last + 1].folded if last + 1 < len(words) else ""
        behind = words[last + 2].folded if last + 2 < len(words) else ""
        lasts = following in READERS.places | OF - READERS.fused and behind not in READERS.ages
        return None if lasts else Reading("age", 0, last, last + 1)
    joined = counted in input_.language.joiners | traits.AFTER_AGE | READERS.slang or LAUGHTER.fullmatch(counted)
    joined = joined or (counted in input_.language.starters and counted in traits.OF_ONESELF)
    closed = not counted or (words[last].is_mark and words[last].text not in "%$€°/:-+#&") or joined
    return Reading("age", 0, last) if closed and (youngest == 0 or _is_grown(words[:last], youngest)) else None


def _is_grown(number: Sequence[Word], youngest: int) -> bool:
    if number[0].text.isdigit():
        return int(number[0].text) >= youngest
    return len(number) > 1 or number[0].folded not in traits.SMALL_NUMERALS


def _number_end(words: Sequence[Word]) -> int:
    if words and _DIGITS.fullmatch(words[0].text):
        return 1 if int(words[0].text) < 120 else 0
    last = 0
    while last < min(len(words), 4):
        word = words[last].folded
        numeral = word in traits.NUMERALS or (_HYPHENATED.fullmatch(word) and set(word.split("-")) <= traits.NUMERALS)
        joined = last and word in ("y", "e") and last + 1 < len(words) and words[last + 1].folded in traits.NUMERALS
        if not (numeral or joined):
            break
        last += 1
    return last


def origin(input_: ReaderInput) -> Reading | None:
    """Read an origin: a town or country, and no company or field of work."""
    reading = sure_city(input_)
    if reading is None:
        return None
    group = input_.words[reading.first : reading.last]
    elsewhere = organisations.is_known(group) or organisations.is_field(group)
    return None if elsewhere and not places.is_place(group) else reading._replace(attribute="origin")


def marital_status(input_: ReaderInput) -> Reading | None:
    """Read a marital status; `married to my job` is not a marriage."""
    words = input_.words
    first = skip(words, organisations.INDEFINITE | input_.language.fillers)
    first += first < len(words) and words[first].folded in READERS.parents
    if first >= len(words) or words[first].folded not in traits.MARRIED:
        return None
    following = words[first + 1] if first + 1 < len(words) else None
    if following is None or following.is_mark or LAUGHTER.fullmatch(following.folded):
        return Reading("marital_status", first, first + 1)
    if following.folded in READERS.married_to:
        begin = first + 2 + skip(words[first + 2 : first + 3], input_.language.articles)
        behind = [word.folded for word in words[begin : begin + 2]]
        spouse = behind and (words[begin].is_proper or words[begin].text[0].isdigit())
        kin = any(households.is_relative(word) or word in households.NUMBERS for word in behind)
        return Reading("marital_status", first, first + 1) if spouse or (kin and following.folded != "in") else None
    fits = following.folded in traits.MARRIED_ALONE | input_.language.joiners | READERS.slang
    return Reading("marital_status", first, first + 1) if fits else None


_AT = READERS.at | OF


def studies(input_: ReaderInput) -> Reading | None:
    """Read a subject of studies, and the school."""
    words = input_.words
    if not words or words[0].is_mark or (words[0].folded in READERS.no_subject) or words[0].text[0].isdigit():
        return None
    last = _subject_end(input_, 0)
    if last and last + 1 < len(words) and words[last].folded in _AT:
        articles = input_.language.articles
        where = last + 1 + skip(words[last + 1 :], articles | organisations.INDEFINITE)
        end = where if where < len(words) and words[where].text[:1].isdigit() else proper_run(words, where, input_)
        if end <= where and not (where < len(words) and words[where].text[:1].isdigit()):
            end = plain_run(input_, where, 4, joiners=False)
        last = end if end > where else last
    return Reading("studies", 0, last) if last else None


def _subject_end(input_: ReaderInput, first: int) -> int:
    words, last = input_.words, first
    while last < min(len(words), first + 5):
        word = words[last]
        if word.is_mark or word.folded in _AT or (last > first and word.folded in input_.language.stops):
            links = word.folded in OF and last > first and last + 1 < len(words)
            if not (links and not words[last + 1].is_proper):
                break
        if word.folded in input_.language.joiners and not (last + 1 < len(words) and words[last + 1].is_proper):
            break
        last += 1
    return trimmed_end(input_, first, last)


def health(input_: ReaderInput) -> Reading | None:
    """An illness that we know, with what it is like and where."""
    words = input_.words
    first = skip(words, input_.language.articles | organisations.INDEFINITE)
    index = first
    while index < min(len(words), first + 4) and words[index].folded in traits.DEGREES_OF_ILLNESS:
        if words[index].folded in ("pressure", "presion"):
            break
        index += 1
    if index >= len(words) or not (_is_condition(words, index)):
        return None
    last = index + 1
    while last < min(len(words), index + 4) and words[last].folded in traits.DEGREES_OF_ILLNESS:
        last += 1
    last = trimmed_end(input_, index + 1, last) if last > index + 1 else last
    part = last + 1 + skip(words[last + 1 :], input_.language.articles | READERS.my)
    if last < len(words) and words[last].folded in traits.PLACES_OF_ILLNESS and part < len(words):
        part += words[part].folded in traits.BODY and part + 1 < len(words) and words[part + 1].folded in traits.BODY
        last = part + 1 if words[part].folded in traits.BODY else last
    return Reading("health", first, last)


_MEDICINE = Pattern(
    r"\w{2,}(?:pril|sartana?|formina?|olol|prazole?|statina?|dipin[aeo]|oxetin[ae]|tralin[ae]|cill?ina?|profeno?|cetamol"
    r"|tiroxin[ae]|roxine?|floxacin[ao]?|azepam|zolam|dogrel|xaban|azepin[ae]|cortisona?|nisolona?|nisolone)"
    r"|insulina?|warfarina?|heparina?|litio|lithium|aspirina?|digoxina?|furosemid[ae]"
)
"""Names of medicines by their stems, as the WHO gives them (International Nonproprietary Names, `Stem book`)."""


def medicine(input_: ReaderInput) -> Reading | None:
    """A medicine that the speaker takes, which tells of their health."""
    first = skip(input_.words, input_.language.articles | organisations.INDEFINITE)
    known = first < len(input_.words) and _MEDICINE.fullmatch(input_.words[first].folded)
    return Reading("health", first, first + 1) if known else None


def _is_condition(words: Sequence[Word], index: int) -> bool:
    word = words[index].folded
    if word in ("presion", "pressao", "pressure"):
        around = {each.folded for each in words[max(0, index - 1) : index + 3]}
        return not around.isdisjoint({"alta", "baja", "baixa", "arterial", "blood", "high"})
    if word in ("add", "cancer", "hernia", "bipolar"):
        return word != "add" or words[index].text.isupper()
    return word in traits.CONDITIONS


def diagnosis(input_: ReaderInput) -> Reading | None:
    """Read a diagnosis by any name."""
    known = health(input_)
    if known:
        return known
    first = skip(input_.words, input_.language.articles | organisations.INDEFINITE)
    last = plain_run(input_, first, 4, joiners=False)
    return Reading("health", first, last) if last > first else None


def allergy(input_: ReaderInput) -> Reading | None:
    """Read an allergy. Jokes are left out: `allergic to Mondays`, or laughter."""
    words = input_.words
    first = skip(words, input_.language.articles | organisations.INDEFINITE)
    found = phrase("allergy")(input_)
    laughs = any(_LAUGHS.fullmatch(word.folded) for word in words[first:])
    if found is None or found.first != first or laughs:
        return None
    group = [word.folded for word in words[found.first : found.last]]
    verb = "the" not in input_.language.articles and _INFINITIVE.fullmatch(group[0])
    return None if verb or not traits.NO_ALLERGEN.isdisjoint(group) or "ha" in group else found


def intolerance(input_: ReaderInput) -> Reading | None:
    """The one or two words before `intolerant`."""
    for last, word in enumerate(input_.words[:4]):
        if word.folded in ("intolerant", "intolerance"):
            return Reading("allergy", 0, last, last + 1) if last else None
    return None


def diet(input_: ReaderInput) -> Reading | None:
    """Read a diet: `vegetariana`, `vegetariana convencida`."""
    words = input_.words
    first = skip(words, organisations.INDEFINITE | input_.language.fillers | READERS.strict)
    begin = first - 1 if first and words[first - 1].folded in READERS.strict else first
    if first >= len(words) or words[first].folded not in traits.DIETS:
        return None
    last = first + 1
    last += last < len(words) and words[last].folded in READERS.strict
    return Reading("diet", begin, last)


def abstinence(input_: ReaderInput) -> Reading | None:
    """`no como carne`: the whole clause, whose verb the cue has looked at already."""
    words = input_.words
    negated = next((i for i, word in enumerate(words[:3]) if word.folded in READERS.eats), None)
    if negated is None or negated + 1 >= len(words):
        return None
    first = negated + 1
    if words[first].is_mark or words[first].folded in READERS.not_eaten | input_.language.starters:
        return None
    last = plain_run(input_, first, 4)
    return Reading("diet", 0, last) if last > first else None


def diet_followed(input_: ReaderInput) -> Reading | None:
    """Read the kind of a diet: `dieta` `sin gluten`, `a` `keto` `diet`."""
    words = input_.words
    end = next((index for index, word in enumerate(words[:4]) if word.folded == "diet"), None)
    last = plain_run(input_, 0, 3) if end is None else end
    if end is None and words and words[0].folded in READERS.diet_leads:
        last = min(len(words), 2)
    said = {word.folded for word in words[:last]}
    return Reading("diet", 0, last) if last and not said.isdisjoint(traits.DIET_WORDS) else None
