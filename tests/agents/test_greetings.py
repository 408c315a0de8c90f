"""Greetings of many regions are greeted, grief is met with sympathy, and no word of a question is taken off it."""

import pytest

from recuerdo.agents.offline.answers import answer
from recuerdo.agents.offline.conversation import OfflinePrompt, folded_words
from recuerdo.agents.offline.questions import without_greeting
from recuerdo.memories.extract import listen
from recuerdo.memories.locales.registry import LOCALES


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[(text, "es") for text in ("klk como tu ta?", "qué más pues", "oye qué lo qué", "buenas tardes cómo andas")],
        *[
            (text, "pt")
            for text in ("oi td bem?", "coe rapaz", "bom diaa", "boas tardes", "eai galera", "comé, tás bom?")
        ],
        *[(text, "en") for text in ("howya", "wassup mate", "what's the craic", "good mornin", "hey how's things")],
        *[(text, "en") for text in ("kia ora", "morena")],
    ],
)
def test_greetings_of_many_regions_are_greeted(text: str, code: str) -> None:
    phrases = LOCALES[code].offline.phrases
    assert answer(OfflinePrompt(text)) in (phrases.greet, phrases.well)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[(text, "es") for text in ("que tal vas", "qué tal has estado")],
        *[(text, "pt") for text in ("tudo bem cntg?", "como vc ta?")],
        *[(text, "en") for text in ("how r u today", "hows it goin", "how are things")],
    ],
)
def test_those_who_ask_how_the_assistant_is_are_told(text: str, code: str) -> None:
    assert answer(OfflinePrompt(text)) == LOCALES[code].offline.phrases.well


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[(text, "es") for text in ("se murió mi abuela ayer", "estoy muy triste")],
        *[(text, "pt") for text in ("minha vó faleceu ontem", "to muito triste hoje")],
        *[(text, "en") for text in ("my nan died on tuesday", "im so sad today")],
    ],
)
def test_grief_is_met_with_sympathy(text: str, code: str) -> None:
    assert answer(OfflinePrompt(text)).startswith(LOCALES[code].offline.phrases.sorry)


@pytest.mark.parametrize(
    ("text", "code", "is_thanked"),
    [
        ("me operaron, gracias a dios!! salió bien", "es", False),
        ("gracias a mi hermana conseguí el trabajo", "es", False),
        ("gracias a ti", "es", True),
        ("thanks to my sister i got the job", "en", False),
        ("thanks a lot", "en", True),
    ],
)
def test_only_those_who_thank_the_assistant_are_told_that_they_are_welcome(
    text: str, code: str, is_thanked: bool
) -> None:
    assert (answer(OfflinePrompt(text)) == LOCALES[code].offline.phrases.thanks) == is_thanked


@pytest.mark.parametrize("text", ["when did my nan die", "i died laughing", "did you hear that bowie died?"])
def test_only_grief_that_is_told_is_met_with_sympathy(text: str) -> None:
    assert LOCALES["en"].offline.phrases.sorry not in answer(OfflinePrompt(text))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me to buy milk tomorrow", "buy milk tomorrow"),
        ("can you remind me at 5 to call mum", "at 5 to call mum"),
        ("recuérdame comprar leche", "comprar leche"),
        ("¿me puedes recordar que tengo dentista el lunes?", "tengo dentista el lunes"),
        ("me lembra de comprar leite amanhã", "comprar leite amanhã"),
    ],
)
def test_what_one_wants_to_be_reminded_of_is_noted(text: str, what: str) -> None:
    assert [(each.attribute, each.value) for each in listen(text).facts] == [("remember", what)]


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
