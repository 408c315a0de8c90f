"""The data that a language module provides for extraction."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction.patterns import NEVER, Pattern
from recuerdo.memories.extraction.times import TimeWords
from recuerdo.memories.extraction.words import Word


class Reading(NamedTuple):
    """A value that a reader found: the words [first, last) after the cue, and the attribute that they are of.

    `until` is where the clause ends, when that is not with the value: `the data` *team*.
    """

    attribute: Attribute
    first: int
    last: int
    until: int = 0


class ReaderInput(NamedTuple):
    """The input of a reader: the words after the cue, their language, and how this person writes.

    `casual` says that the writer uses no capitals inside sentences, so that lower case says nothing about a word.
    """

    words: Sequence[Word]
    language: "Language"
    casual: bool


Reader = Callable[[ReaderInput], Reading | None]


class Cue(NamedTuple):
    """Words that announce a value, as a pattern over folded text, and how the value after them is read."""

    reader: Reader
    pattern: Pattern


class Forgetting(NamedTuple):
    """How users ask to forget what is known about them."""

    verbs: Pattern
    """Every request to forget has one of these, and most sentences have none."""
    asks: Pattern
    """Up to what is to be forgotten: `olvida`."""
    objects: Sequence[tuple[Sequence[Attribute], Pattern]]
    """The names that may follow, and the attributes that they mean: `dónde vivo`, `mi teléfono`."""
    everything: Pattern
    """The whole sentence, when it is all of it."""
    may_ask: Pattern = NEVER
    """A word of an order that no other pattern may know; a network reads what has one."""
    behind: Pattern = NEVER
    """The whole of an order after what it is about, a group `value`: `lo de mi asma que te conté, bórralo`."""
    called: Mapping[Attribute, frozenset[str]] = {}
    """Words for the values of attributes, in the singular, as in `olvida mis pastillas`."""
    offers: Pattern = NEVER
    """In the assistant's question whether, or which of several things, it shall forget: `¿Quieres que olvide ...?`."""
    confirms: Pattern = NEVER
    """The beginning of an answer to that: `sí`."""
    all_of_them: Pattern = NEVER
    """Words by which an answer chooses all of several things: `las dos`."""
    places: Sequence[frozenset[str]] = ()
    """Words by which an answer chooses the first, second, third and last of them."""


class Kind(NamedTuple):
    """How one attribute is spoken of in a language: patterns over folded text, as for `cue`."""

    says: Sequence[str] = ()
    """Before a value of the user's own: `soy alérgica a`."""
    tells: Sequence[str] = ()
    """Before a value of a relative's, after who that is: `es alérgica a`."""
    asked: Sequence[str] = ()
    """In a question for it: `eres alérgica`."""
    stems: Sequence[str] = ()
    """Stems that make a sentence of a bare answer: `soy alérgica` of `al polen`."""
    asked_of: Sequence[str] = ()
    """In a question for a relative's: `dónde vive`."""
    told_stems: Sequence[str] = ()
    """Stems that make a sentence of the bare answer to that, after the relative's name: `vive`."""
    named: Sequence[str] = ()
    """Its names in requests to forget: `mis alergias`."""
    also: Sequence[Cue] = ()
    """Cues whose values are read in another way: `me diagnosticaron`."""


class Dialogue(NamedTuple):
    """Patterns of statements that depend on earlier ones. Groups named `value` hold their subject."""

    lead: Pattern
    """The opening of an answer that is not part of it: `sí, `."""
    refusals: Pattern
    """How an answer begins that gives no value: `no`."""
    corrects: Pattern
    """How a correction begins: `perdón, `, `no, es `."""
    restates: Pattern
    """After that, a group `old` (a value, or what it is of) and the new one: `dije rojo pero es`, `el color es`."""
    moves: Pattern
    """A plan is put off or brought forward to another time."""
    moves_house: Pattern
    """A word of such plans that is one of people who move house, too: `mudou`."""
    dated: Pattern
    """The day of `what` is told, as a correction of a plan tells it: `lo de Lima es el 25`."""
    updates: Pattern
    """A new value without its name: `ahora es ...`."""
    returns: Pattern
    """`volví a ...`."""
    ends: Sequence[tuple[Sequence[Attribute], Pattern]]
    """Statements that something is over, and the attributes of which it may be a value: `terminé con ...`."""
    now_at: Pattern
    """After the employer that was left, the next one: `, ahora estoy en`."""
    denied: tuple[Pattern, Pattern]
    """Before a value that is wrong, and from its end on, with the right one: `no es` and `, es losartán`."""
    swapped: tuple[Pattern, Pattern]
    """Before a value that another has taken the place of, and from its end on: `cambió` and `por losartán`."""
    begins_no_value: frozenset[str]
    """Words that do not begin that other one: `it's not Ana, it's` *my mother*."""
    earns: Pattern
    """The beginning of what tells where the user earns a living, and not where they live: `tengo una tienda en`."""
    inquires: Pattern
    """How a question in the form of a statement begins: `me pregunto`."""
    about: Pattern
    """Words between a request to forget and its object that mean all about the object: `lo de`."""
    mine: Pattern
    """A relative of the user's own: `mi hermana mayor`."""
    relative: Pattern
    """Any word for a relative."""
    having: frozenset[str]
    """Words that tell the language where such a word stands alone: `tenemos`."""
    my: str
    """The possessive before that: `mi`."""
    yours: Pattern
    """A relative in a question to the user: `tu hermana`."""
    called: Pattern
    """Between a relative and their name: `se llama`, a comma."""
    who: Pattern
    """Between a relative and what is told of them: `, que también `."""
    denies: Pattern
    """After that, when it is not so: `ya no `."""


class SentenceChecks(NamedTuple):
    """Patterns that check a sentence in which a model, and no cue, found a value of the user's."""

    oneself: Pattern
    """The speaker speaks about themselves."""
    others: Pattern
    """Another person or thing does something."""
    past: Pattern
    """It was so."""
    wishes: Pattern
    """It is wanted, imagined or only a visit."""
    over: Pattern
    """It is so no longer."""


class ValueChecks(NamedTuple):
    """Patterns by which a value is checked: whether one that only the tagger found is kept, and what a value ends.

    They have no named groups: those of all languages are joined, see `locales.TAGGED`.
    """

    turns: Pattern = NEVER
    """Up to an age that is still to come: `she turns`, `cumplo el 3 de marzo, ya`."""
    once: Pattern = NEVER
    """Up to an age that was: `vim pra cá com`."""
    cancelled: Pattern = NEVER
    """A plan is cancelled."""
    taken_away: Pattern = NEVER
    """Up to a medicine that is taken no more: `la doctora me sacó el`."""
    day_of_another: Pattern = NEVER
    """Before a birthday of another person: `o niver do Davi`, `o niver dela`."""
    titled: Pattern = NEVER
    """A sentence begins with a person whom the user calls by a title: `Seu Ademir`."""
    others_call_me: Pattern = NEVER
    """Between relatives and what they call the user: `mis nietos me dicen`."""
    oneself: Pattern = NEVER
    """After that, the user speaks of themselves all the same: `soy`."""
    no_relative: Pattern = NEVER
    """The beginning of a value that is no relative's name: `Dr Chatterjee`."""
    doctor: Pattern = NEVER
    """Up to the name of a doctor, who is no relative: `com o doutor`."""
    moves_away: Pattern = NEVER
    """The town in the same clause is where another person lives now: `se fue pa Puebla`."""
    seeks: Pattern = NEVER
    """Before a job that the user is still looking for: `procuro um trabalho na`."""
    plays: Pattern = NEVER
    """Up to a place in a team, which is no job: `juego al fútbol los domingos, de`."""
    lives: Pattern = NEVER
    """Up to a place that is where the user lives, and no place of work: `residing at`."""
    until_retired: Pattern = NEVER
    """After an employer of earlier days: `before my retirement`."""
    averse: Pattern = NEVER
    """After a thing that the user does not like: `eu não aguento`."""
    before_name: Pattern = NEVER
    """A small word before a name that a sentence begins with: `y` of `y Macarena ha dejado`."""
    no_name: Pattern = NEVER
    """A word at that place which looks like a name with an `s`, and is none: `years`."""
    here: Pattern = NEVER
    """After the name, when it is the user's own: `aquí`."""
    clause_start: Pattern = NEVER
    """Words between clauses: ` porque `."""
    allergy: Pattern = NEVER
    """A word for an allergy, as the reason why something is not eaten: `me dan alergia`."""
    also: Pattern = NEVER
    """The beginning of a message that may ask the same about another, as it was written: `y el Blasi`."""
    own: Pattern = NEVER
    """The beginning of a message that may ask for something of the user's, as it was written: `my diabetes drug`."""
    pronoun: Pattern = NEVER
    """The beginning of a message about another person, as it was written: `y ella` of `y ella dice`."""
    goes_on: Pattern = NEVER
    """Something still holds: `todavía tengo el auto`."""
    still_has_it: Pattern = NEVER
    """The thing that was spoken of last does: `todavía lo tengo`."""
    settles: Pattern = NEVER
    """Words of people who live or move somewhere, without which no other town is home: `nos mudamos`."""
    ages: Pattern = NEVER
    """Words for the user's own age, without which another number ends none: `tengo`."""
    birthdays: Pattern = NEVER
    """Words for a birthday, in the sentence or the question before it, without which a day is none."""
    names: Pattern = NEVER
    """Words for the user's own name, without which another one ends none: `me llamo`."""
    addresses: Pattern = NEVER
    """The beginning of a sentence in which a relative's word is said to the assistant: `tío, curro en un bar`."""
    pairs: Pattern = NEVER
    """Words of people who are a couple: `namoro` a name of whom no other word tells a relative."""
    couples: Pattern = NEVER
    """Words of people who become a couple or parents, or part, which change nothing else: `se dejaron`."""
    parts: Pattern = NEVER
    """Words of death, separation and loss, without which a relative or an animal is still one: `murió`."""
    couples_part: Pattern = NEVER
    """Words of the end of a couple, after which a brother is still one: `terminaron`."""
    deaths: Pattern = NEVER
    """Words of death alone, after which nothing that was told of a relative holds."""


class Language(NamedTuple):
    """One language: its cues, what may follow a value, and the small words that values are cut by."""

    cues: Sequence[Cue]
    tails: Mapping[Attribute, Sequence[Cue]]
    asides: Pattern
    """Words that may stand between a value and what follows it: since when, `aquí`."""
    denials: Sequence[Cue]
    """Cues that say in themselves that something is so no longer: `dejé de trabajar en`."""
    gone: Sequence[tuple[Attribute, Pattern]]
    """Statements that there is no value any more, whichever it was: `me quedé sin trabajo`."""
    forgetting: Forgetting
    forget: Pattern
    """The words before a thing to forget: `olvida que`."""
    articles: frozenset[str]
    joiners: frozenset[str]
    links: frozenset[str]
    """Small words inside names: Ciudad *de* México, University *of* Oxford."""
    stops: frozenset[str]
    """Words that end a value."""
    breaks: frozenset[str]
    """Words that end even a value that is a clause, as a preference may be."""
    turns: frozenset[str]
    """Words that end a like or dislike: what follows says since when, or why."""
    starters: frozenset[str]
    """Words that begin a new clause when they follow a joiner."""
    fillers: frozenset[str]
    """Words that are trimmed off the end of a value."""
    vacuous: Pattern
    """How a like or a preference begins that says nothing about the user."""
    blockers: Pattern
    """Over what stands before a cue in its clause, up to a comma: hypotheses and questions."""
    reports: Pattern
    """Over all that stands before a cue in its sentence: another person speaks."""
    negations: Pattern
    """Over what stands before a cue up to a comma or a joiner."""
    nouns: Pattern
    """Over what stands right before a cue: the cue is a noun then (`un trabajo en ...`)."""
    kinds: Mapping[Attribute, Kind] = {}
    dialogue: Dialogue | None = None
    hearsay: SentenceChecks | None = None
    tagged: ValueChecks = ValueChecks()
    times: TimeWords | None = None

    def is_small(self, word: str) -> bool:
        """Whether it is a small word, which is never a name."""
        return word in self.stops or word in self.starters or word in self.joiners or word in self.fillers


_SPELLINGS = {
    "que": "q|ke|k",
    "porque": "pq|xq|pork",
    "por": "x",
    "para": "pa",
    "tambien": "tb|tmb|tbn",
    "mucho": "muxo",
    "de": "d",
    "me": "m",
    "se llama": "c llama",
    "tengo": "tngo|tng",
    "aqui": "aki|aky",
    "donde": "dnd|dond",
    "como": "cmo|komo",
    "cuando": "cndo|kuando",
    "quien": "kien",
    "quieres": "kieres",
    "quiero": "kiero",
    "hace": "ase",
    "numero": "nro|num|#",
    "quem": "qm",
    "ninguem": "ngm",
    "onde": "ond",
    "quando": "qnd|qndo",
    "com": "cm|c",
    "number": "#",
    "trabajo": "travajo|trabjo",
    "vivo": "bivo",
    "llamo": "yamo",
    "soy": "soi",
    "hablo": "ablo",
    "trabalho": "trabaio|trablho",
    "mudei": "mudey",
    "chamo": "xamo",
    "gosto": "gostu",
    "work": "wrk",
    "live": "liv",
    "love": "luv|looove|loove",
    "estoy": "toy",
    "nao": "n|num",
    "voce": "vc|ce",
    "muito": "mt|mto",
    "tambem": "tb|tbm",
    "estou": "to|tou",
    "e": "eh",
    "aniversario": "niver",
    "i'm": "im|i am|ima",
    "you": "u",
    "your": "ur|yr",
    "are": "r",
    "please": "pls|plz",
    "because": "cuz|bc",
    "favou?rite": "fav|fave",
    "really": "rlly|rly",
}
"""How words are written in chats, by how they are written in the patterns."""

_SPELLED = re.compile(rf"(?<![\w'\\!^])(?:{'|'.join(map(re.escape, _SPELLINGS))})(?![\w'?])")
_APOSTROPHE = re.compile(r"(?<=[a-z(|:])'(?=[a-z])")


def spelled(source: str) -> str:
    """The pattern, matching its words as they are written in chats too."""
    return _SPELLED.sub(lambda word: f"(?:{word.group()}|{_SPELLINGS[word.group()]})", source)


def cue(reader: Reader, *patterns: str) -> Cue:
    """A cue of several patterns; a space in them stands for any spaces, and apostrophes may be left out."""
    alternatives = _APOSTROPHE.sub("'?", spelled("|".join(patterns))).replace(" ", r"\s+")
    return Cue(reader, Pattern(rf"(?<![\w@'-])(?:{alternatives})(?:(?<=\s)|(?<!\w)|(?![\w'-]))\s*:?\s*"))


def ask(polite: str, *verbs: str) -> str:
    """An imperative where a clause begins: `olvida`, and not `mi jefe olvida`."""
    begin = r"(?:^|(?<=[^\w\s'])|(?<=\sy)|(?<=\se)|(?<=\sand)|(?<=\sthen))"
    return rf"{begin}\W*(?:(?:{polite})\W+){{0,3}}(?:{'|'.join(map(spelled, verbs))})(?!\w)".replace(" ", r"\s+")


@cache
def pattern(*alternatives: str, possessed: bool = False) -> Pattern:
    """Whole words, any of the alternatives; a space in them stands for any spaces. Each may have a group `value`.

    `possessed`: an `'s` may follow.
    """
    numbered = (spelled(each).replace("<value>", f"<value{number}>") for number, each in enumerate(alternatives))
    end = r"(?![\w-])(?!'(?!s\s))" if possessed else r"(?![\w'-])"
    return Pattern(rf"(?<![\w'])(?:{'|'.join(numbered)}){end}".replace(" ", r"\s+"))


def value_span(found: re.Match[str]) -> tuple[int, int]:
    """Where the group `value` is of the alternative that was found."""
    name = next((each for each, said in found.groupdict().items() if each.startswith("value") and said is not None))
    return found.span(name)


def opening(*alternatives: str) -> Pattern:
    """From where it is tried on, any of the alternatives; a space stands for any spaces."""
    return Pattern(rf"(?:{'|'.join(map(spelled, alternatives))})".replace(" ", r"\s+"))


_SHORT_NAME = r"(?P<value>[^\W\d_][\w'-]{1,24}(?: [^\W\d_][\w'-]{1,24}){0,2}?)"


def not_so(is_not: str, is_so: str, articles: str) -> tuple[Pattern, Pattern]:
    """The patterns of `no es enalapril, es losartán` around the first value."""
    return Pattern(is_not), Pattern(rf"\s*[,;]\s+{is_so}\s+(?:(?:{articles})\s+)?{_SHORT_NAME}(?=\s*(?:[,.;:!?)]|\Z))")


def swap(verbs: str, small: str, joints: str, links: str) -> tuple[Pattern, Pattern]:
    """The patterns of `cambió la metformina por insulina` around the first value."""
    behind = rf"\s+(?:{joints})\s+(?:(?:{small})\s+)?{_SHORT_NAME}(?=\s*(?:[,.;:!?)]|\Z)|\s(?:{links})\s)"
    return Pattern(rf"\b(?:{verbs})(?: (?:{small}))*\s+"), Pattern(behind)
