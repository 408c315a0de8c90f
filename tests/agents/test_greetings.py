"""Greetings of many regions are greeted, and words that begin a question as well are not taken off it."""

import pytest

from recuerdo.agents.offline.answers import answer
from recuerdo.agents.offline.conversation import OfflinePrompt, folded_words
from recuerdo.agents.offline.questions import without_greeting
from recuerdo.memories.locales.registry import LOCALES


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[(text, "es") for text in ("klk como tu ta?", "qué más pues", "oye qué lo qué", "buenas tardes cómo andas")],
        *[(text, "pt") for text in ("oi td bem?", "coe rapaz", "bom diaa", "boas tardes", "eai galera")],
        *[(text, "en") for text in ("howya", "wassup mate", "what's the craic", "good mornin", "hey how's things")],
    ],
)
def test_greetings_of_many_regions_are_greeted(text: str, code: str) -> None:
    phrases = LOCALES[code].offline.phrases
    assert answer(OfflinePrompt(text)) in (phrases.greet, phrases.well)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[(text, "es") for text in ("qué hace mi hermano", "qué pasa con mi cita", "qué fue lo que dije")],
        *[(text, "pt") for text in ("qual é o nome da minha mãe", "irmão do meu pai", "fala de mim")],
        *[(text, "en") for text in ("now where do I live", "duck is what I don't eat")],
    ],
)
def test_no_word_of_a_question_is_taken_off_as_a_greeting(text: str, code: str) -> None:
    assert without_greeting(folded_words(text), LOCALES[code].offline) == folded_words(text)
