"""Extracts facts that the detectors miss, with a chat model that answers in a form.

A model's notes are verified. Each has to stand in the user's statements, in the same words; the whole
sentence passes the guards that detectors pass, and more of them, since no cue was looked for: the user speaks of
themselves, of now, and of what is so.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from recuerdo.core.errors import ModelUnavailable
from recuerdo.core.memories import Attribute, Denial, Fact
from recuerdo.core.messages import Message
from recuerdo.core.ports import StructuredModel
from recuerdo.memories.extract import listen
from recuerdo.memories.extraction.context import Heard, asked
from recuerdo.memories.extraction.guards import judge
from recuerdo.memories.extraction.lexicon import names, places
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.sentences import Doubt, doubt_about, is_of_the_speaker, languages_of
from recuerdo.memories.extraction.statements import Statement, ends, statements
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.likeness import same
from recuerdo.memories.locales.joined import GUARDS
from recuerdo.memories.wording import escaped, prompts_for

_MOST = 32
_MOST_HELD = 60
_LONGEST_VALUE = 200
_LONGEST_WORDS = 400
_SHAPES: dict[Attribute, re.Pattern[str]] = {
    "email": re.compile(r"\S+@\S+\.\w+"),
    "phone": re.compile(r"\+?[\d\s().-]{6,}"),
    "age": re.compile(r"\d{1,3}|[^\W\d]+(?:[\s-][^\W\d]+){0,3}"),
}
"""The form of the whole value, for attributes whose values have one."""

_OF_OTHERS: tuple[Attribute, ...] = ("relative", "family", "pet")
"""Attributes that describe the user's relatives, family and pets."""

_NAMING = Pattern(rf"(?<!\w)(?:{GUARDS.names_oneself})(?!\w)")
_REMEMBERING = Pattern(rf"(?<!\w)(?:{GUARDS.remembers})(?!\w)")
_WISHING = Pattern(rf"(?<!\w)(?:{GUARDS.wishes})(?!\w)")

Why = (
    Literal[
        "not in the form",
        "not in the user's words",
        "not stated",
        "no such value",
        "nothing held",
        "no end",
    ]
    | Doubt
)


class _Noted(msgspec.Struct):
    action: Literal["add", "correct", "end"]
    attribute: Attribute
    words: str
    value: str


class _Notes(msgspec.Struct):
    notes: list[_Noted]


_FIELDS: Mapping[str, Any] = {
    "action": {"type": "string", "enum": ["add", "correct", "end"]},
    "attribute": {"type": "string", "enum": list(get_args(Attribute))},
    "words": {"type": "string"},
    "value": {"type": "string"},
}
_NOTE = {"type": "object", "properties": _FIELDS, "required": list(_FIELDS), "additionalProperties": False}
SCHEMA: Mapping[str, Any] = {
    "title": "notes",
    "description": "What a user says of themselves",
    "type": "object",
    "properties": {"notes": {"type": "array", "items": _NOTE}},
    "required": ["notes"],
    "additionalProperties": False,
}


class KnownValue(NamedTuple):
    """A value that is known of the user."""

    attribute: Attribute
    value: str


class ExtractionContext(NamedTuple):
    """The context that a model gets with a message: the assistant's question, the stored values, and the date."""

    asked: str | None = None
    held: Sequence[KnownValue] = ()
    today: str = ""


class Refusal(NamedTuple):
    """A note of the model that was refused, and why."""

    attribute: Attribute
    why: Why


class ModelExtraction(NamedTuple):
    """A model's extraction from a text, the tokens that it took, and the notes that were refused."""

    heard: Heard
    tokens: int
    refused: Sequence[Refusal] = ()


async def extract_with_model(
    model: StructuredModel,
    text: str,
    scene: ExtractionContext = ExtractionContext(),  # noqa: B008
) -> ModelExtraction:
    """Extract the user's statements about themselves, as far as the model gives them in the text's own words.

    Invented, translated and paraphrased notes are refused, and so is anything asked, supposed, reported, past or said
    about others. It ends only stored values. Raises ModelUnavailable, also for an answer not in the form.
    """
    said = ends(text)
    told = {
        "today": scene.today,
        "held": [each._asdict() for each in scene.held[:_MOST_HELD]],
        "asked": scene.asked,
        "role": "user",
        "text": said,
    }
    answer = await model.answer([Message.system(prompts_for([said]).extract), Message.user(escaped(told))], SCHEMA)
    try:
        noted = msgspec.convert(answer.body, _Notes).notes[:_MOST]
    except msgspec.ValidationError as error:
        raise ModelUnavailable(
            f"The model {model.name} does not keep to the form of notes ({error}). Try another model."
        ) from None
    reading = _NotedIn(said, scene)
    heard, refused = Heard([], []), list[Refusal]()
    for note in noted:
        taken = reading.take(note)
        if isinstance(taken, Fact):
            heard.facts.append(taken)
        elif isinstance(taken, Denial):
            heard.denials.append(taken)
        else:
            refused.append(Refusal(note.attribute, taken))
    return ModelExtraction(heard, answer.tokens, refused)


def asked_tokens(text: str) -> int:
    """About how many tokens it takes to ask about the text and to be answered, before anybody has counted."""
    return 1_000 + len(ends(text)) // 2


class _NotedIn:
    """A message that a model has read, and what of its notes holds beside it."""

    def __init__(self, said: str, scene: ExtractionContext) -> None:
        self._said = said
        self._scene = scene
        self._stated = [Statement(" ".join(each.text.split()), "") for each in statements(said)]
        self._stated = [Statement(each.text, fold(each.text)) for each in self._stated]
        self._answered = {each.attribute for each in asked(scene.asked)} if scene.asked else set[Attribute]()
        self._detected = listen(said, scene.asked).facts

    def take(self, note: _Noted) -> Fact | Denial | Why:
        """The fact or denial that the note is, or why it is refused."""
        words = _within(note.words, self._said, _LONGEST_WORDS)
        if words is None:
            return "not in the user's words"
        statement = next((each for each in self._stated if words in each.text), None)
        if statement is None:
            return "not stated"
        return self._end(note, words, statement) if note.action == "end" else self._fact(note, words, statement)

    def _end(self, note: _Noted, words: str, statement: Statement) -> Denial | Why:
        held = [each.value for each in self._scene.held if each.attribute == note.attribute]
        if not any(same(note.attribute, value, note.value) for value in held):
            return "nothing held"
        if _within(note.value, words, _LONGEST_VALUE) is None:
            return "not in the user's words"
        start = statement.text.index(words)
        for language, checks in languages_of(statement):
            if judge(statement, start, start, language) == "unsaid":
                return "supposed or reported"
            if note.attribute not in _OF_OTHERS and checks.others.search(statement.folded[: start + len(words)]):
                return "not of the user"
        over = any(checks.over.search(statement.folded) for _, checks in languages_of(statement))
        return Denial(note.attribute, note.value, words) if over else "no end"

    def _fact(self, note: _Noted, words: str, statement: Statement) -> Fact | Why:
        value = _within(note.value, words, _LONGEST_VALUE)
        if value is None:
            return "not in the user's words"
        if any(each.attribute == note.attribute and same(note.attribute, each.value, value) for each in self._detected):
            return Fact(note.attribute, value, words)
        shape = _SHAPES.get(note.attribute)
        if (shape and not shape.fullmatch(value)) or not _may_be(note.attribute, value, statement):
            return "no such value"
        at = statement.text.index(words) + words.index(value)
        return self._doubted(note.attribute, statement, at) or Fact(note.attribute, value, words)

    def _doubted(self, attribute: Attribute, statement: Statement, at: int) -> Why | None:
        """Return the reason against a value at this place of the sentence."""
        answers = attribute in self._answered and statement == self._stated[0]
        spoken = answers or is_of_the_speaker(statement)
        return doubt_about(attribute, statement, at) or (None if spoken else "not of the user")


def _may_be(attribute: Attribute, value: str, statement: Statement) -> bool:
    """Whether such a value may be one at all, and the sentence is about such things."""
    if attribute == "name":
        is_place = fold(value) in places.KNOWN | places.COUNTRIES and fold(value) not in names.GIVEN
        return not is_place and _NAMING.search(statement.folded) is not None
    if attribute == "remember":
        return _REMEMBERING.search(statement.folded) is not None
    return attribute != "preference" or _WISHING.search(statement.folded) is not None


def _within(part: str, whole: str, longest: int) -> str | None:
    """The part as it stands in the whole, but for the case and the spaces of the part; None when it is not there."""
    words = part.split()
    if not words or len(part) > longest:
        return None
    found = re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)", whole, re.IGNORECASE)
    return " ".join(found.group().split()) if found else None
