"""How a model is asked what a user says of themselves: in the detectors' form, and in nobody's words but the user's."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

import msgspec

from recuerdo.core.errors import ModelUnavailable
from recuerdo.core.memories import Attribute, Denial, Fact
from recuerdo.core.messages import Message
from recuerdo.core.ports import StructuredModel
from recuerdo.memories.extract import Heard
from recuerdo.memories.extraction.statements import ends
from recuerdo.memories.wording import prompts_for, quoted

_MOST = 32
_LONGEST_VALUE = 200
_LONGEST_WORDS = 400
_SHAPES: dict[Attribute, re.Pattern[str]] = {
    "email": re.compile(r"\S+@\S+\.\w+"),
    "phone": re.compile(r"\+?[\d\s().-]{6,}"),
}
"""What the whole value looks like, of attributes whose values look like something."""


class _Noted(msgspec.Struct):
    attribute: Attribute
    words: str
    value: str | None = None


class _Notes(msgspec.Struct):
    facts: list[_Noted]
    denials: list[_Noted] = []


def _listed(*required: str) -> dict[str, Any]:
    fields = {
        "attribute": {"type": "string", "enum": list(get_args(Attribute))},
        "words": {"type": "string"},
        "value": {"type": "string" if "value" in required else ["string", "null"]},
    }
    item = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    return {"type": "array", "items": item}


SCHEMA: Mapping[str, Any] = {
    "title": "notes",
    "description": "What a user says of themselves",
    "type": "object",
    "properties": {"facts": _listed("value"), "denials": _listed()},
    "required": ["facts", "denials"],
    "additionalProperties": False,
}


class ModelExtraction(NamedTuple):
    """What a model heard in a text, and how many tokens that took."""

    heard: Heard
    tokens: int


async def extract_with_model(model: StructuredModel, text: str) -> ModelExtraction:
    """What the user states of themselves in the text, as far as the model gives it in the text's own words.

    What it makes up, translates or says in words of its own is dropped. Raises ModelUnavailable, also for an answer
    that is not in the form.
    """
    said = ends(text)
    prompt = [Message.system(prompts_for([said]).extract), Message.user(quoted("user", said, len(said)))]
    answer = await model.answer(prompt, SCHEMA)
    try:
        notes = msgspec.convert(answer.body, _Notes)
    except msgspec.ValidationError as error:
        raise ModelUnavailable(
            f"The model {model.name} does not keep to the form of facts ({error}). Try another model."
        ) from None
    facts = [_fact(note, said) for note in notes.facts[:_MOST]]
    denials = [_denial(note, said) for note in notes.denials[:_MOST]]
    return ModelExtraction(Heard([each for each in facts if each], [each for each in denials if each]), answer.tokens)


def asked_tokens(text: str) -> int:
    """About how many tokens it takes to ask about the text and to be answered, before anybody has counted."""
    return 600 + len(ends(text)) // 2


def _fact(note: _Noted, said: str) -> Fact | None:
    words = _within(note.words, said, _LONGEST_WORDS)
    value = _within(note.value or "", words or "", _LONGEST_VALUE)
    if words is None or value is None or _is_asked(words, said):
        return None
    shape = _SHAPES.get(note.attribute)
    return Fact(note.attribute, value, words) if shape is None or shape.fullmatch(value) else None


def _denial(note: _Noted, said: str) -> Denial | None:
    words = _within(note.words, said, _LONGEST_WORDS)
    value = _within(note.value or "", words or "", _LONGEST_VALUE)
    if words is None or (note.value and value is None) or _is_asked(words, said):
        return None
    return Denial(note.attribute, value, words)


def _is_asked(words: str, said: str) -> bool:
    """Whether the words stand in a question."""
    behind = " ".join(said.split()).partition(words)[2]
    return re.match(r"[^.!;\n]*\?", behind) is not None or words.endswith("?")


def _within(part: str, whole: str, longest: int) -> str | None:
    """The part as it stands in the whole, but for the case and the spaces of the part; None when it is not there."""
    words = part.split()
    if not words or len(part) > longest:
        return None
    found = re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)", whole, re.IGNORECASE)
    return " ".join(found.group().split()) if found else None
