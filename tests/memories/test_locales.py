"""A language is one folder and one line: whatever is registered is heard by the detectors and answered in."""

import re

import pytest
from msgspec.structs import replace

from recuerdo.agents.offline.answers import answer
from recuerdo.agents.offline.conversation import EarlierMessage, OfflinePrompt
from recuerdo.core.memories import Fact
from recuerdo.core.words import word_set
from recuerdo.memories.extract import by_detectors, extract
from recuerdo.memories.extraction import readers
from recuerdo.memories.extraction.language import Forgetting, Language, cue
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.locale import Locale, ModelPrompts
from recuerdo.memories.locales.offline_language import NEVER, OfflineLanguage, Phrases, only, starts, within
from recuerdo.memories.locales.registry import LOCALES
from recuerdo.memories.wording import prompts_for

NOTHING = Pattern(r"(?!)")
NONE = frozenset[str]()

TOY = Locale(
    code="xx",
    detection=Language(
        cues=(cue(readers.known_name, r"zi nam"), cue(readers.city, r"zi hab")),
        tails={},
        asides=NOTHING,
        denials=(),
        gone=(),
        forgetting=Forgetting(verbs=NOTHING, asks=NOTHING, objects=(), everything=NOTHING),
        forget=NOTHING,
        articles=NONE,
        joiners=word_set("ku"),
        links=NONE,
        stops=word_set("zi nam hab"),
        breaks=NONE,
        turns=NONE,
        starters=word_set("zi"),
        fillers=NONE,
        vacuous=NOTHING,
        blockers=NOTHING,
        reports=NOTHING,
        negations=Pattern(r"\bnul\b"),
        nouns=NOTHING,
    ),
    prompts=ModelPrompts(markers=word_set("zi nam hab ku"), extract="Zap fakta.", summarise="Zap kurta."),
    offline=OfflineLanguage(
        markers=word_set("zi nam hab ku wo"),
        letters=NEVER,
        stop_words=word_set("zi wo ku"),
        openers=starts("wo"),
        wh_words=NEVER,
        accented=NEVER,
        requests=NEVER,
        greetings=only("zazu"),
        thanks=NEVER,
        farewells=NEVER,
        topics={"name": within("wo zi nam"), "city": within("wo zi hab")},
        first_person=word_set("zi"),
        clauses={"name": "tu nam {value}", "city": "tu hab {value}"},
        plural_clauses={},
        plural=re.compile(r"(?!)"),
        articles="",
        prepositions="",
        at={},
        wonders={"name": "wo tu nam", "city": "wo tu hab"},
        phrases=replace(LOCALES["en"].offline.phrases, meet="Zazu, {name}!", not_told="Nul sap {wonder}."),
    ),
)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(LOCALES, "xx", TOY)


def test_a_registered_language_is_heard_by_the_detectors():
    assert extract("zi nam Anuk ku zi hab Lima") == [
        Fact("name", "Anuk", "zi nam Anuk"),
        Fact("city", "Lima", "zi hab Lima"),
    ]
    assert extract("nul zi hab Lima") == []


def test_a_registered_language_is_answered_in_by_the_offline_model():
    assert answer(OfflinePrompt("zi nam Anuk")).startswith("Zazu, Anuk!")
    said = (EarlierMessage("user", "zi hab Lima"),)
    assert answer(OfflinePrompt("wo zi hab?", said)) == "Tu hab Lima."
    assert answer(OfflinePrompt("wo zi nam?")) == "Nul sap wo tu nam."


def test_a_registered_language_is_what_models_are_asked_in():
    assert prompts_for(["zi nam Anuk ku zi hab Lima"]) == TOY.prompts
    assert prompts_for(["Hola, me llamo Ana y vivo en Lima"]) == LOCALES["es"].prompts


def test_an_unregistered_language_is_not_heard(monkeypatch):
    monkeypatch.delitem(LOCALES, "xx")
    assert by_detectors("zi nam Anuk").facts == []


def test_the_sentences_of_each_language_are_its_own():
    phrases: list[Phrases] = [locale.offline.phrases for locale in LOCALES.values()]
    assert len({each.nothing_known for each in phrases[:3]}) == 3
