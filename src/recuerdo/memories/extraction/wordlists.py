"""The words of a language with which texts are read before their language is known: see `locales.joined`."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recuerdo.memories.extraction.patterns import Pattern


class SmallWords(NamedTuple):
    """Small words as alternatives of folded patterns, which are joined over the languages: see `locales.joined`."""

    ands: str
    nors: str
    ors: str
    buts: str
    becauses: str
    thats: str
    """Words before a clause about the one before it: `que`."""
    i: str
    my: str
    nots: str
    they: str
    """Persons that are spoken of: `ella`."""
    of: str
    at: str
    """Words before the place where something is: `en`."""
    articles: str
    an: str
    """Indefinite articles: `una`."""
    thoughs: str
    """Words before what is so all the same: `aunque`."""
    wells: str
    """Words before what is said once more, and otherwise: `bueno`."""


class StatementWords(NamedTuple):
    """Words that set what a user states apart from all else in a message: alternatives of folded patterns, joined."""

    name_links: str
    """Small words inside names that are written in quotation marks."""
    tells: str
    """Right before a quotation, which is then another person's words: `dijo`."""
    before_tasks: str
    """Before a task, where it does not begin the sentence: `puedes` *traducir*."""
    tasks: str
    """Tasks for another person's text, or for one in another person's name: `traduce`, `imagina`."""
    replies: str
    """The same before a text that is named behind it: `responde` *este correo:*."""
    to: str
    this: str
    texts: str
    on_behalf: str
    """Behind such a text: *responde a mi jefe* `por mí`*:*."""
    forwards: str
    """The beginning of a line before a forwarded text: `reenviado`."""
    headers: str
    """Names of a mail's headers: `asunto`."""
    originals: str
    """Words between dashes before a forwarded text: `mensaje`."""
    wrote: str
    """The end of a line before a quoted mail: `escribió`."""
    own_labels: str
    """Words that are no speaker's name before a colon: `nota`."""
    letters: str
    """The salutation of a letter to another person: `estimada Laura`."""
    jokes: str
    """The whole message was one: `es broma`."""
    laughs_first: str
    """Words before sarcasm: `ja`, `yeah`."""
    agrees: str
    """The exaggerated agreement of sarcasm: `claro`."""
    agrees_again: str
    """Right after that: `que sí`."""
    laughs: str
    """The laugh after sarcasm: `obvio`, `jajaja`."""
    abbreviations: str
    """Abbreviations whose point ends no sentence: `sra`."""
    tags: str
    """Tags with an opening mark, which make a question of what is stated: `¿verdad?`."""
    courtesies: str
    """Words after an order, with which it sounds like a question: `Forget my number, ok?`."""
    fillers: str
    """Tags with which people want no answer: `..., viste?`; `..., right?` wants one."""
    disbeliefs: str
    """Such tags that need no comma before them: `acredita?`."""
    from_your: str
    """Before the place where an order to forget says that a thing is kept: *delete my number* `from your` *records*."""
    keepers: str
    """Those places: `records`."""
    leads: str
    """Words before the first word of a question: `hola`, `y`."""
    asks: str
    """First words of questions that have their mark: `puedes`."""
    joins_question: str
    """A question begins after these: `y` *qué me recomiendas*."""
    not_joined: Sequence[str]
    """Right before such a word, the ends of words that belong to it: `quando` *é que*."""
    asks_inside: str
    """Words that begin a question anywhere in a sentence: ` me puedes`."""
    mine: str
    """Beginnings of what is told of oneself: `mi`."""
    requests: str
    """Up to a request to forget or to remember: `can you` *forget*; `{mine}` stands for those."""
    unmarked: str
    """Beginnings that only questions have, which need no mark then: `am i` *allergic to nuts*."""
    or_not: str
    """Ends that only questions have: `soy celiaca` `o no`."""
    unmarked_parts: str
    """A question after a comma: `and our liam,` `whats he` *studying*."""


class ExtractionWords(NamedTuple):
    """Words around values, by which it is told what they are and of whom: folded, and joined over the languages."""

    oneself: frozenset[str]
    """Words by which users speak of themselves: `tengo`."""
    ours: frozenset[str]
    """More of them, in sentences of which they need not be the subject: `nuestra`."""
    between: frozenset[str]
    """Words that stand between values or before them: `también`."""
    ends_no_value: frozenset[str]
    """Words that a value does not end with: *mall* `de`."""
    amends: str
    """Words between a value and the one that was meant: *tengo 44,* `digo` *45*."""
    when_that: str
    """Behind a thing of which a clause tells more: *el regalo* `que` *me diste*."""
    subjects: str
    """Words that such a clause begins with: `yo`."""
    asks_back: str
    """A question that asks nothing of its own: `¿y tú?`."""
    offers_help: str
    """Stems of words in a question that offers help."""
    yes: str
    one: str
    """The number before a name: `una`*, la Nube*."""
    before_day: str
    """Before the number of a day: `el` *14*."""
    calls: str
    """Before a name that is corrected: *no,* `se llama` *Rita*."""
    after_correction: str
    """Words that may follow a value that corrects another one: *es Ana,* `perdón`."""
    exclaims: str
    """Words before a name that begins a sentence: `ay`."""
    clause_ends: str
    """Words between clauses, beside those of `SmallWords`: `desde`."""
    about: str
    """Before another thing that is to be forgotten: *y* `de` *mi tos*."""
    of_another: frozenset[str]
    """Before a relative's relative: `su`."""
    theirs: Sequence[str]
    """Behind a relative's relative: *la mamá* `de ellos`."""
    having: frozenset[str]
    """Words between relatives of whom one has the other: *mi hermana* `tiene` *un hijo*."""
    units: str
    """Units of an age: `meses`."""
    before_towns: str
    """Between a workplace's name and its town: *el IMSS* `de` *Toluca*."""
    before_names: str
    """Before a name at the beginning of a sentence: `la` *Magda*."""
    whence: str
    """All that stands before a name that is not the user's: `de` *Eva*."""
    i_am: str
    """Right before a name that is the user's, and no town that they are from: `soy` *Lima*."""


class GuardWords(NamedTuple):
    """Words around a cue by which it is accepted or not, joined over the languages.

    Patterns are folded, except `third_person_past`.
    """

    denies_reasons: Sequence[str]
    """Right before a reason, the ends of words that deny it, and not what stands before: `no es` *porque*."""
    reasons: str
    """Words before a reason: `porque`."""
    without_that: str
    """Up to what is so although it is denied: `sin saber que yo`."""
    third_person_past: Pattern
    """Another person did it, which only an accent tells from what the speaker does: `trabajó en`."""
    leaves_alone: str
    """Words with a denial or a condition in them that deny nothing: `no te preocupes`."""
    nearly: str
    """Words before what has not happened: `almost` *quit*."""
    thinks_better: str
    """Words that what was about to happen has not: `mas desisti`."""
    still: str
    """Words that something goes on: `todavía`."""
    reminds: str
    """Words that what is told was told before: `te dije`."""
    taken_back: str
    """Right after a value that is so no more: `ya no`, `la vendí`."""
    names_oneself: str
    """Words without which a model's note holds no name: `me llamo`."""
    remembers: str
    """Words without which a model's note holds nothing that is to be remembered: `recuerda`."""
    wishes: str
    """Words without which a model's note holds no preference: `prefiero`."""


class OrderWords(NamedTuple):
    """Words of texts that tell the assistant what to be or to give away: alternatives of folded patterns, joined."""

    ignores: str
    rules: str
    modes: str
    """Modes of an assistant that has no rules: `developer mode`."""
    roles: str
    """Words for such a mode, role or right: `modo` *de administrador*."""
    of: str
    masters: str
    """Behind those: *modo de* `desarrollador`."""
    becomes: str
    """Before the role that the assistant is to take: `actúa como`."""
    powers: str
    obeys: str
    before_powers: str
    """Between `I am` and a power that the writer claims to have: *I'm* `your` *creator*."""
    owners: str
    """Such powers beside `powers`."""
    reveals: str
    secrets: str
    skips: str
    """Before permissions that are not to be checked: `sin comprobar`."""
    accounts: str
    raised: str
    """Behind the role or account that has more rights now: `ascendido`."""
    my: str
    ranks: str
    """The role that the writer claims to have: *my* `role` *is*."""
    copulas: str
    sends: str
    everything: str
    conversations: str
    without: str
    any_more: str
    """Between that and a check: *without* `any` *verification*."""
    checks: str
    """Words for a check that is to be left out: *sin* `verificar`."""


class SummaryWords(NamedTuple):
    """Words of sentences that a summary must not leave out: alternatives of folded patterns, joined."""

    days: str
    decisions: str


class ReaderWords(NamedTuple):
    """Words by which the readers find where a value begins and ends: folded, and joined over the languages."""

    fused: frozenset[str]
    """Those words for `of` with an article in them: `del`."""
    at: frozenset[str]
    places: frozenset[str]
    """Words after which it may be told where a home is, or of which make a thing is: *un piso* `en` *Cádiz*."""
    of_employers: frozenset[str]
    """Behind a kind of organisation, before what or where it is: *una tienda* `de` *ropa*."""
    an: frozenset[str]
    my: frozenset[str]
    new: frozenset[str]
    lately: str
    """The end of what is liked that tells when or how much: `últimamente`."""
    asks_assistant: frozenset[str]
    """How a preference begins that is about the assistant: `que` *me hables de usted*."""
    people: frozenset[str]
    """Of whom a clause tells which ones: `la gente` *que llega tarde*."""
    so_much: frozenset[str]
    """How much of it is not liked: *no me gusta leer* `tanto` does not mean a dislike of reading."""
    consequences: frozenset[str]
    """Two words that begin what follows from a preference: *soy celíaca,* `así que` *nada de pan*."""
    without: frozenset[str]
    """Words that continue a list of unwanted things: *direto,* `sem` *enrolação*."""
    vague: frozenset[str]
    """Verbs that begin what is not a plan worth keeping: *voy a* `ver` *mañana*."""
    errands: frozenset[str]
    """Where people go on any day: no plan worth keeping either."""
    reasons: frozenset[str]
    """Before such a place when it is the reason of a plan: *viajo* `por` *trabajo*."""
    before_time: str
    """Between a plan and its time: *reunión* `el próximo` *lunes*."""
    to_time: str
    """Before the time that a plan moves to: `para el` *martes*."""
    on_day: str
    """Before the day of a birthday: `el` *3 de mayo*."""
    first_day: str
    slang: frozenset[str]
    """Words with which people begin and end messages in chats."""
    times: frozenset[str]
    before_times: frozenset[str]
    """With those, a time behind a town: *tecamac* `la semana pasada`."""
    no_subject: frozenset[str]
    """Words that begin no subject of studies."""
    not_eaten: frozenset[str]
    """Words behind a verb for eating that are nothing to eat: *no como* `antes`."""
    eats: frozenset[str]
    diet_leads: frozenset[str]
    """The beginning of a diet: `sin` *gluten*."""
    strict: frozenset[str]
    """How strictly a diet is kept, before or behind its name: *vegana* `estricta`."""
    ages: frozenset[str]
    """Behind years, without which they are no age: *20 años de* `edad`."""
    parents: frozenset[str]
    """Words that may stand before a marital status: `madre` *soltera*."""
    married_to: frozenset[str]
    """Between a marital status and the other person: *casada* `con`."""


class ComparisonWords(NamedTuple):
    """Words by which memories are compared, and found when they are to be forgotten: folded, and joined."""

    small: frozenset[str]
    """Words without a meaning of their own."""
    denials: str
    """Words that turn the meaning of a text: `nunca`."""
    saying: frozenset[str]
    """Words of an order to forget that tell nothing of what is meant: *olvida* `lo que te dije de` *mi asma*."""
    own: str
    """Words without which an order to forget is about nothing of the user's: `mi`."""
    known: str
    """The beginning of such an order that is about a thing that was told of: `ese` *proyecto*."""
    after_orders: str
    """Words behind an order to forget: *olvida lo de Ana* `porfis`."""
    all_about: str
    """The beginning of what such an order names, if it means all that was told of that: `todo lo de` *Beto*."""
    which: str
    """The beginning of a clause about the thing that is to be forgotten: *la casa* `donde` *vivía*."""
    who: str
    """The beginning of a clause about a person: *Carla,* `que` *vive aquí*."""
    denies: str
    """The beginning of a correction that gives no other value: `no es` *el quinto*."""
    of_persons: str
    """Between a word for a relative and a value that is no name: *Ana, mi hija,* `tiene` *9*."""
    slots: Mapping[str, str]
    """Words for the slots of attributes that have one value in each, by the slot: see `memories.slots`."""
    favourite: str
    """Behind a thing of which there is one favourite: *mi color* `favorito`."""
    favourite_before: str
    teams: str
    """Things of which there is one favourite although nothing says so: *mi* `equipo`."""


class QuestionWords(NamedTuple):
    """Words by which the offline model tells questions from statements: folded, and joined over the languages."""

    divided: str
    """Between two numbers that are to be divided or multiplied: `entre`."""
    address: str
    """Words for where the user's home is, which name more than the town: `domicilio`."""
    thousand: str
    """Behind a number of thousands: `50` `mil`."""
    idle: frozenset[str]
    """Words that make no question narrower: `actualmente`."""
    times: frozenset[str]
    """Words that tell a time, and nothing that a question may be about: `antes`."""
    and_what_of: str
    """The beginning of the same question about another: `y` *mi hermano*."""
    then: str
    """Words behind that which ask for another time, and are no other thing; unfolded: `después`."""
    before_question_words: str
    """Words before a question word: `ahora`, `hasta` *cuándo*."""
    question_words: str
    exclaims: str
    """No questions although they begin like them: `qué rico`."""
    i_owe: str
    """Words of what the user owes: `le` *debo*."""
    owes_me: str
    """Words of what another person owes the user: *me debe*."""
    endings: str
    """Endings without which words are compared: *trabaj*`ando`."""
    several: str
    """Words of questions that want more than the last value: `ciudades`."""
    since: frozenset[str]
    """Words before the time from which on something holds: `desde`."""
    goals: frozenset[str]
    """Words for going somewhere, which nobody lives with: *me mudé* `para` *Lima*."""
    whats: str
    """Before a thing that is asked for: `what is` *the wifi code*."""
