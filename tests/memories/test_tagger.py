"""The tagger finds what users tell of themselves and no cue announces."""

import subprocess
import sys

import numpy as np
import pytest
from training.messages import Message, marked, parse
from training.network import Network, batch
from training.report import figures
from training.train import label

from recuerdo.memories.extract import by_detectors, extract, listen
from recuerdo.memories.extraction.tagger import LABELS, WEIGHTS, Tagger, WordTable, tag
from recuerdo.memories.extraction.words import words_of

PIECES = ["_i", "_live", "_in", "_work", "_at", "_hull", "_leeds", "_tesco", "_asda", "_my", "_boss", "_s"]


@pytest.fixture(scope="module")
def held_out() -> list[Message]:
    return [each for each in marked() if each.is_held_out]


def test_the_tagger_hears_more_of_what_strangers_tell_and_is_wrong_no_more_often(held_out: list[Message]) -> None:
    alone, together = figures(held_out, by_detectors), figures(held_out, listen)
    assert together.recall > 1.5 * alone.recall
    assert together.precision > alone.precision - 0.015


def test_nothing_is_heard_of_most_messages_that_tell_nothing(held_out: list[Message]) -> None:
    silent = [each for each in held_out if not each.marks]
    assert sum(bool(extract(each.text, each.question)) for each in silent) < 0.05 * len(silent)


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


def test_each_value_stands_in_the_text_where_the_tagger_says() -> None:
    text = (
        "hola!\nsoy Paty,  43 y jalo de cajera en el Oxxo de Tlaxcala\n" + "bla bla bla. " * 40 + "tengo un gato, Michi"
    )
    for value in tag(text):
        assert 0 <= value.start < value.end <= len(text)
        assert text[value.start : value.end].strip() == text[value.start : value.end]
    assert {"Tlaxcala", "Michi"} <= {text[value.start : value.end] for value in tag(text)}


def test_detectors_work_alone_without_numpy() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "import importlib.util; found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'numpy' else found(name, *rest)\n"
        "from recuerdo.memories.extract import extract\n"
        "print(extract('me llamo Ana')[0].value)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "Ana"


def test_weights_are_read_without_pickle_and_fit_the_labels() -> None:
    with np.load(WEIGHTS, allow_pickle=False) as stored:
        assert stored["output"].shape[1] == 1 + 2 * len(LABELS)


def test_training_learns_where_values_stand_and_what_is_stored_answers_as_what_learned() -> None:
    lines = [f"i {verb} [{value}]({kind})" for verb, kind, values in (
        ("live in", "city", ("hull", "leeds")), ("work at", "employer", ("tesco", "asda"))
    ) for value in values]  # fmt: skip
    vectors = np.eye(len(PIECES), dtype=np.int8) * 90
    table = WordTable(PIECES, vectors, [])
    told = [label(parse(line), table) for line in [*lines, "my boss s in hull", "my boss s at tesco"]]
    given = batch([each.features for each in told], [each.labels for each in told])
    network = Network(table.width, 0, np.random.default_rng(0), hidden=32)
    losses = [network.learn(given, step / 300) for step in range(300)]
    assert losses[-1] < 0.1 * losses[0]
    tagger = Tagger({"pieces": _bytes(PIECES), "rows": _bytes([]), "vectors": vectors, **network.weights})
    [value] = tagger.values([], words_of("i live in leeds"))
    assert (value.attribute, value.tense, value.start, value.end) == ("city", "holds", 10, 15)
    assert tagger.values([], words_of("my boss s in hull")) == []


def test_a_message_is_read_alike_alone_and_beside_longer_ones() -> None:
    vocabulary = WordTable(PIECES, np.eye(len(PIECES), dtype=np.int8), [])
    told = [
        label(parse(text), vocabulary) for text in ("i live in [hull](city)", "my boss s at tesco my boss s at asda")
    ]
    network = Network(vocabulary.width, 0, np.random.default_rng(0), hidden=32)
    together = network.likely(batch([each.features for each in told], [each.labels for each in told]))
    alone = Tagger(
        {"pieces": _bytes(PIECES), "rows": _bytes([]), "vectors": np.eye(len(PIECES), dtype=np.int8), **network.weights}
    ).likely(told[0].features)
    assert np.allclose(together[0, : len(told[0].labels)], alone, atol=1e-5)


def _bytes(lines: list[str]) -> np.ndarray:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def test_a_reply_that_asks_nothing_changes_nothing_of_what_is_heard() -> None:
    text, reply = "el gluten me cae de la patada, soy celiaco", "Anotado, lo recordaré: «mi vieja se llama Rocío»."
    assert listen(text, reply) == listen(text)
    assert "gluten" in [fact.value for fact in listen(text).facts]


@pytest.mark.parametrize(
    ("text", "attribute", "values"),
    [
        ("sou despachante, falo guarani e espanhol no balcao o dia todo", "language", {"guarani", "espanhol"}),
        ("I'm allergic to nuts and shellfish", "allergy", {"nuts", "shellfish"}),
    ],
)
def test_values_that_are_told_together_are_heard_one_by_one(text: str, attribute: str, values: set[str]) -> None:
    assert {fact.value for fact in extract(text) if fact.attribute == attribute} == values
