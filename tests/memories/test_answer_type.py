"""The offline model knows what a question asks for, in whatever words.

RECUERDO_TEST_MESSAGES=1 measures it with all messages that nothing was learned from, instead of a part of them.
"""

import os
from functools import cache

import numpy as np
import pytest
from training.questions import (
    Labelled,
    Unmarked,
    likeliest,
    report,
    report_asking,
    told,
    train,
    train_asking,
    unmarked,
    written,
)

from recuerdo.memories.extraction import tagger
from recuerdo.memories.extraction.answer_type import ANSWER_TYPES, CLASSES, SPEECH_ACTS, WEIGHTS, expected_answer

IS_SOAK = os.environ.get("RECUERDO_TEST_MESSAGES") == "1"


@cache
def sentences() -> list[Unmarked]:
    """Two tests read them."""
    return [each for each in unmarked() if each.text]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what do they call the dog", "pet"),
        ("como se llama mi gata", "pet"),
        ("qual é o meu cargo", "job"),
        ("when was i born", "birthday"),
        ("¿a qué soy alérgica?", "allergy"),
        ("what is the capital of Peru", "none"),
    ],
)
def test_the_likeliest_kind_is_what_is_asked_for(question: str, kind: str) -> None:
    assert likeliest(expected_answer(question)) == kind


def test_chances_are_of_all_kinds_and_add_up_to_one() -> None:
    types, asks, _ = expected_answer("where did i work before")
    assert set(types) == set(ANSWER_TYPES)
    assert sum(types.values()) == pytest.approx(1, abs=1e-3)
    assert asks > 0.5


def test_nothing_is_known_of_a_message_without_a_word() -> None:
    assert expected_answer("  ").types == {}


def test_the_kind_is_right_for_three_of_four_questions_that_nothing_was_learned_from() -> None:
    held = [each for each in written() if each.is_held_out][:: 1 if IS_SOAK else 2]
    right = sum(likeliest(expected_answer(each.text)) in {kind for kind, _ in each.kinds} for each in held)
    assert right > (0.75 if IS_SOAK else 0.76) * len(held)


def test_weights_are_read_without_pickle_and_fit_the_classes() -> None:
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        assert stored["types.output"].shape[1] == len(CLASSES)
        assert stored["asks.output"].shape[1] == len(SPEECH_ACTS)


def test_training_learns_what_messages_ask_for(capsys: pytest.CaptureFixture[str]) -> None:
    network = tagger.load()
    assert network is not None
    some = [Labelled("what is my dog called", [("pet", False)]), Labelled("where do i live", [("city", False)])]
    report(train(some, network, 40, 0), network, some)
    assert "1.000 right" in capsys.readouterr().out


def test_messages_that_tell_something_are_learned_as_asking_for_nothing() -> None:
    assert all(each.kinds == [("none", False)] and "?" not in each.text for each in told())


@pytest.mark.parametrize(
    "question",
    [
        "la graciela donde esta viviendo",
        "mi gata como se llamaba",
        "soy alergica a algo",
        "name of the vet",
        "e o aluguel",
    ],
)
def test_what_asks_without_a_mark_is_known(question: str) -> None:
    assert expected_answer(question).asks > 0.5


@pytest.mark.parametrize(
    "statement",
    ["my cat is called Tom", "ayer me compré una bici", "a graciela mora em olinda", "we moved when i was ten"],
)
def test_what_tells_something_asks_nothing(statement: str) -> None:
    assert expected_answer(statement).asks < 0.8


def test_of_unmarked_questions_that_nothing_was_learned_from_nearly_all_are_known() -> None:
    held = [each for each in sentences() if each.is_held_out][:: 1 if IS_SOAK else 72]
    asking = [expected_answer(each.text).asks > 0.5 for each in held if each.act == "asks"]
    telling = [expected_answer(each.text).asks > 0.5 for each in held if each.act == "tells"]
    assert sum(asking) > 0.9 * len(asking)
    assert sum(telling) < 0.06 * len(telling)


def test_training_learns_what_asks(capsys: pytest.CaptureFixture[str]) -> None:
    network = tagger.load()
    assert network is not None
    some = sentences()[:200:4]
    report_asking(train_asking(some, network, 40, 0), network, some)
    assert "asks: 1.0" in capsys.readouterr().out
