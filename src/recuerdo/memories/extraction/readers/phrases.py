"""Values that are whole phrases: likes, preferences, and what is to be remembered."""

from collections.abc import Sequence

from recuerdo.core.memories import Attribute
from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import Reader, ReaderInput, Reading
from recuerdo.memories.extraction.lexicon import names
from recuerdo.memories.extraction.lexicon.organisations import INDEFINITE
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.readers.spans import joins, respaced, skip, trimmed_end
from recuerdo.memories.extraction.words import Word

_LATELY = Pattern(
    r"(?:these days|nowadays|lately|recently|at the moment|right now|ultimamente|(?:en |por )?estos dias|hoy en dia"
    r"|hoje em dia|nos ultimos tempos|de momento|por enquanto"
    r"|with (?:a passion|all my heart)|so much|more than anything|to death|to bits|at all|anymore|any more"
    r"|the most|a lot"
    r"|con (?:toda (?:el|mi) alma|todo mi corazon|locura|pasion)|a morir|a muerte|para nada|en (?:lo )?absoluto"
    r"|un (?:monton|chingo"
    r"|huevo|toco|resto|kilo|monton)|como no tenes idea|mas que a nada|do fundo d\w+ \w+|com todas as forcas"
    r"|de paixao|de coracao"
    r"|pra caramba|pra caralho|de morte|mais que tudo|de jeito nenhum|por nada|de todo|a serio|que (?:te|vc"
    r"|voce) nem \w+)"
)
_WISHES = frozenset(("que", "q", "ke", "you", "u"))
"""How a preference begins that is about what the assistant does."""

_PEOPLE = word_set("gente personas pessoas people")
"""Of whom a clause tells which ones: `la gente` `que llega tarde`."""

_OF_ONESELF = word_set("i i'm im my we yo mi mis vivo trabajo soy tengo eu meu minha moro trabalho sou tenho")
"""Words that begin another clause even after a wish, whose own verbs are about the assistant."""

_SO_MUCH = frozenset(("tanto", "tanta", "tantos", "tantas"))
"""How much of it is not liked: `no me gusta leer` `tanto` does not mean a dislike of reading."""

_CLOSED = frozenset('.,;:!?()[]…|/"«»“”')


def phrase(attribute: Attribute) -> Reader:
    """A reader of likes and dislikes: up to the end of the clause, lists included."""

    def read(input_: ReaderInput) -> Reading | None:
        words, language = input_.words, input_.language
        begin = skip(words, language.fillers)
        first = begin + skip(words[begin:], language.articles | INDEFINITE)
        if first < len(words) and words[first].folded in language.joiners:
            first = begin
        last = trimmed_end(input_, first, _without_time(words, first, _phrase_end(input_, first)))
        if last <= first or words[first].is_mark:
            return None
        if attribute == "dislikes" and last < len(words) and words[last].folded in _SO_MUCH:
            last += 1
        if any(language.vacuous.match(respaced(words[start:])) for start in (begin, first)):
            return None
        return Reading(attribute, first, last)

    return read


def fan(input_: ReaderInput) -> Reading | None:
    """Read what a user is a fan of: a lifelong `Celtics` fan."""
    last = next((index for index, word in enumerate(input_.words[:4]) if word.folded in ("fan", "supporter")), 0)
    return Reading("likes", 0, last, last + 1) if last else None


def preference(input_: ReaderInput) -> Reading | None:
    """Read a preference as it was said, up to the end of the clause."""
    wishes = bool(input_.words) and input_.words[0].folded in _WISHES
    language = input_.language._replace(starters=input_.language.starters & _OF_ONESELF) if wishes else input_.language
    last = trimmed_end(input_, 0, _phrase_end(input_._replace(language=language), 0, stops=False))
    wish = last > 2 and wishes
    vacuous = not last or (input_.language.vacuous.match(respaced(input_.words)) and not wish)
    return None if vacuous else Reading("preference", 0, last)


def instruction(input_: ReaderInput) -> Reading | None:
    """Read how the user always wants to be answered, as it was said."""
    last = trimmed_end(input_, 0, _phrase_end(input_, 0, stops=False))
    return Reading("preference", 0, last) if last > 1 else None


def _without_time(words: Sequence[Word], first: int, last: int) -> int:
    """The end before words that only say that it is so at present."""
    return next((index for index in range(first + 1, last) if _LATELY.fullmatch(respaced(words[index:last]))), last)


def everything(input_: ReaderInput) -> Reading | None:
    """Read what the user asks to remember: the rest of the sentence."""
    last = _before_consequence(input_.words)
    while last and (input_.words[last - 1].is_mark and input_.words[last - 1].text not in ')]"”»%$€'):
        last -= 1
    last = trimmed_end(input_, 0, last)
    return Reading("remember", 0, last) if last >= 2 else None


def _before_consequence(words: Sequence[Word]) -> int:
    """Where it ends that is to be remembered, and begins what for: `..., así no me tirás recetas`."""
    for index in range(2, len(words) - 1):
        if (words[index].folded, words[index + 1].folded) in _CONSEQUENCES:
            return index
    return len(words)


_CONSEQUENCES = frozenset(
    [("asi", word) for word in ("no", "me", "que", "q", "puedes", "podes")]
    + [("so", word) for word in ("please", "don't", "dont", "no", "you", "u", "avoid", "pls")]
    + [("entao", word) for word in ("nao", "n", "me", "evita", "por")]
    + [("pra", "vc"), ("pra", "voce"), ("para", "que"), ("pa", "que"), ("pa", "q")]
)


def _phrase_end(input_: ReaderInput, first: int, *, stops: bool = True) -> int:
    words, language = input_.words, input_.language
    last = first
    while last < len(words):
        word = words[last]
        if word.text == "." and words[last - 1].folded in names.TITLES and last > first:
            pass
        elif word.text in _CLOSED:
            if not (word.text == "," and (_is_list(input_, last) or (not stops and _narrows(words, last)))):
                break
        elif word.folded in language.joiners:
            if not joins(input_, last):
                break
        elif last > first and words[last - 1].folded in _PEOPLE:
            pass
        elif last > first and word.folded in (language.breaks | language.turns if stops else language.breaks):
            break
        last += 1
    return last


def _narrows(words: Sequence[Word], comma: int) -> bool:
    """Whether a comma continues the list of unwanted things: `direto, sem enrolação`."""
    return comma + 2 < len(words) and words[comma + 1].folded in _WITHOUT


_WITHOUT = frozenset(("sin", "sem", "without", "nada", "not"))


def _is_list(input_: ReaderInput, comma: int) -> bool:
    """Whether a comma stands in a list (`el café, el té y el mate`): short items, and a joiner before the last."""
    words, language = input_.words, input_.language
    if comma + 1 >= len(words) or words[comma + 1].folded in language.starters:
        return False
    since = 0
    for index in range(comma + 1, min(len(words), comma + 24)):
        word = words[index]
        if word.folded in language.joiners:
            return since <= 4 and joins(input_, index)
        if word.text == ",":
            since = -1
        elif word.text in _CLOSED or word.folded in language.starters:
            return False
        since += 1
        if since > 4:
            return False
    return False
