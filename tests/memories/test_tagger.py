"""The tagger finds what users tell of themselves and no cue announces.

RECUERDO_TEST_MESSAGES=1 measures it with all messages that nothing was learned from, instead of each twenty-fourth.
"""

import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from training.messages import Message, marked
from training.report import Listen, figures

from recuerdo.memories.extract import by_detectors, extract, listen
from recuerdo.memories.extraction.tagger import LABELS, NETWORK, Tagger, tag, tagger_input
from recuerdo.memories.extraction.transformer import SPECIAL_PIECES, Pieces, known_pieces
from recuerdo.memories.extraction.words import all_words
from servers.bare import output_without
from servers.patience import PATIENCE

EVERY = int(os.environ.get("RECUERDO_TEST_MESSAGES", "24"))
LEAST_GAIN = -0.015 if EVERY == 1 else 0.038
"""Of precision, by the tagger: it is 0.089 of every twenty-fourth message."""

MOST_HEARD = 0.05
"""The share of the messages that tell nothing of which something may be heard: it is 4.8 % of all of them."""


@pytest.fixture(scope="module")
def held_out() -> list[Message]:
    return [each for each in marked() if each.is_held_out][(EVERY - 1) // 2 :: EVERY]


@pytest.fixture(scope="module")
def hear() -> Listen:
    """Two tests ask for what is heard in the same messages."""
    return cache(listen)


def test_the_tagger_hears_more_of_what_strangers_tell_and_is_wrong_no_more_often(
    held_out: list[Message], hear: Listen
) -> None:
    alone, together = figures(held_out, by_detectors), figures(held_out, hear)
    assert together.recall > 1.5 * alone.recall
    assert together.precision > alone.precision + LEAST_GAIN


def test_nothing_is_heard_of_most_messages_that_tell_nothing(hear: Listen) -> None:
    silent = [each for each in marked() if each.is_held_out and not each.marks][(EVERY - 1) // 2 :: EVERY]
    assert sum(bool(hear(each.text, each.question).facts) for each in silent) < MOST_HEARD * len(silent)


@pytest.mark.parametrize(
    "text",
    [
        "my colleague said 'i pull nights at the crisp factory in Hull'",
        "do i pull nights at the crisp factory?",
        "olvida lo de la refaccionaria de Ecatepec",
        "translate: jalo en una refaccionaria en Ecatepec",
    ],
)
def test_what_is_quoted_asked_to_be_forgotten_or_translated_is_not_heard(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize(
    "text", ["o níver dela é dia 12 de março", "o aniversário dele é dia 12 de março", "el cumple de ella, 12 de marzo"]
)
def test_the_birthday_of_another_is_not_the_users(text: str) -> None:
    assert "birthday" not in {fact.attribute for fact in extract(text)}


def test_each_value_stands_in_the_text_where_the_tagger_says() -> None:
    text = (
        "hola!\nsoy Paty,  43 y jalo de cajera en el Oxxo de Tlaxcala\n" + "bla bla bla. " * 40 + "tengo un gato, Michi"
    )
    for value in tag(text):
        assert 0 <= value.start < value.end <= len(text)
        assert text[value.start : value.end].strip() == text[value.start : value.end]
    assert {"Tlaxcala", "Michi"} <= {text[value.start : value.end] for value in tag(text)}


def test_detectors_work_alone_without_onnxruntime() -> None:
    program = "from recuerdo.memories.extract import extract; print(extract('me llamo Ana')[0].value)"
    assert output_without("onnxruntime", program) == "Ana"


def test_a_question_that_tells_nothing_is_not_read_by_the_network() -> None:
    program = (
        "import sys\n"
        "from recuerdo.memories.extract import listen\n"
        "listen('Where does my sister live?', 'How can I help?')\n"
        "print('onnxruntime' in sys.modules)\n"
        "listen('My sister lives in Leeds')\n"
        "print('onnxruntime' in sys.modules)\n"
    )
    read = subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE, capture_output=True, text=True)
    assert read.stdout.split() == ["False", "True"]


def test_a_process_that_was_forked_after_it_had_heard_something_ends() -> None:
    """Threads of a library that are missing in the child must not be waited for."""
    program = (
        "import os, sys\n"
        "from recuerdo.memories.extract import extract\n"
        "extract('vivo en Lima')\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    sys.exit(0 if extract('vivo en Quito')[0].value == 'Quito' else 1)\n"
        "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE)


def test_a_word_is_split_into_its_likeliest_pieces_and_what_is_unknown_into_letters() -> None:
    pieces = Pieces(
        [*SPECIAL_PIECES, "▁le", "▁l", "eds", "e", "ds"], [0.0, 0.0, 0.0, 0.0, -2.0, -3.0, -2.0, -4.0, -4.0]
    )
    assert pieces.split("▁leeds") == [4, 6]
    assert pieces.split("▁le☃") == [4, 3]


def test_pieces_begin_words_only_behind_a_space() -> None:
    pieces = Pieces([*SPECIAL_PIECES, "▁a", "a", ","], [0.0] * 4 + [-1.0] * 3)
    assert pieces.of("a,a a", all_words("a,a a")) == [[4], [6], [5], [4]]


def test_the_network_gives_each_word_all_labels() -> None:
    said = all_words("vivo en Leeds")
    likely = Tagger(NETWORK).likely(tagger_input(known_pieces(), "", [], "vivo en Leeds", said))
    assert likely.shape == (3, 1 + 2 * len(LABELS))
    assert np.allclose(likely.sum(1), 1, atol=1e-3)


def test_what_was_asked_before_changes_what_a_bare_answer_tells() -> None:
    asked = {value.attribute for value in tag("Querétaro", "¿En qué ciudad vives?")}
    assert asked == {"city"}


def test_a_reply_that_asks_nothing_changes_nothing_of_what_is_heard() -> None:
    text, reply = "el gluten me cae de la patada, soy celiaco", "Anotado, lo recordaré: «mi vieja se llama Rocío»."
    assert listen(text, reply) == listen(text)
    assert "celiaco" in [fact.value for fact in listen(text).facts]


@pytest.mark.parametrize(
    ("text", "attribute", "values"),
    [
        ("sou despachante, falo guarani e espanhol no balcao o dia todo", "language", {"guarani", "espanhol"}),
        ("I'm allergic to nuts and shellfish", "allergy", {"nuts", "shellfish"}),
    ],
)
def test_values_that_are_told_together_are_heard_one_by_one(text: str, attribute: str, values: set[str]) -> None:
    assert {fact.value for fact in extract(text) if fact.attribute == attribute} == values


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("me cargan las palmeras de la disco y el reggaeton", "palmeras de la disco y el reggaeton"),
        ("agora sertanejo universitário eu não aguento", "sertanejo universitário"),
        ("I am exceedingly fond of Bach, and I cannot abide modern jazz.", "modern jazz"),
    ],
)
def test_what_one_cannot_bear_is_no_liking(text: str, value: str) -> None:
    heard = [(fact.attribute, fact.value) for fact in listen(text).facts]
    assert ("dislikes", value) in heard
    assert ("likes", value) not in heard


@pytest.mark.parametrize(
    "text",
    [
        "juego fut los domingos en la cancha del Matazano, de portero",
        "jogo futsal na quarta, de zagueiro, no time da rua",
    ],
)
def test_a_place_in_a_team_is_no_job(text: str) -> None:
    assert "job" not in {fact.attribute for fact in extract(text)}


def test_what_is_told_of_somebody_with_a_title_is_not_of_the_user() -> None:
    heard = listen("Tô namorando, acredita? Seu Ademir, 58, taxista, viúvo também").facts
    assert {fact.attribute for fact in heard} <= {"relative", "family"}
