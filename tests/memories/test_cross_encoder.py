"""The cross-encoder knows which sentence answers a question, which a message ends, and which an order forgets.

RECUERDO_TEST_MESSAGES=1 measures it with all messages that nothing was learned from, instead of every eightieth one.
"""

import os
from pathlib import Path

import pytest
from benchmarks.dialogues import load, talk
from hypothesis import given
from hypothesis import strategies as st
from training.examples import Example, Story, changes, of_prompt, stories, told

from recuerdo.memories.extraction import cross_encoder, transformer
from recuerdo.memories.extraction.cross_encoder import (
    LONGEST,
    MARKS,
    NETWORK,
    ComparedSentence,
    CrossEncoder,
    comparison,
)
from recuerdo.memories.extraction.transformer import known_pieces
from servers.bare import output_without

EVERY = int(os.environ.get("RECUERDO_TEST_MESSAGES", "80"))
IS_SOAK = EVERY == 1
"""All messages are not as easy as the fewer ones, of which more has to be right."""

TOLD = [
    ComparedSentence(text, remembered=True)
    for text in (
        "soy la norma, modista, 58",
        "mi marido raul era taxista",
        "tengo una gata, la pochola",
        "mi hermana graciela vive en funes, es jubilada docente",
        "mi nieta abril cumple los 15 el 20 de febrero",
    )
]


@pytest.fixture(scope="module")
def encoder() -> CrossEncoder:
    loaded = cross_encoder.load()
    assert loaded is not None
    return loaded


@pytest.mark.parametrize(
    ("question", "place"), [("como se llama mi gata", 2), ("donde vive mi hermana", 3), ("cuando cumple abril", 4)]
)
def test_the_sentence_that_answers_is_the_likeliest(encoder: CrossEncoder, question: str, place: int) -> None:
    chances = encoder.answering(question, TOLD)
    assert chances.index(max(chances)) == place
    assert chances[place] > 0.5


def test_nothing_answers_what_was_not_told(encoder: CrossEncoder) -> None:
    assert sum(encoder.answering("que auto tengo", TOLD)) < 0.5


@pytest.mark.parametrize(
    ("message", "place"),
    [("se me murio la pochola anoche", 2), ("mi hermana ya no vive en funes, se mudo a roldan", 3)],
)
def test_what_a_message_changes_no_longer_holds(encoder: CrossEncoder, message: str, place: int) -> None:
    chances = encoder.ended(message, TOLD)
    assert chances.index(max(chances)) == place
    assert chances[place] > 0.5


def test_an_order_to_forget_means_what_it_names(encoder: CrossEncoder) -> None:
    chances = encoder.forgotten("olvida lo de mi marido", TOLD)
    assert chances.index(max(chances)) == 1


@pytest.mark.parametrize(
    ("files", "every", "least"),
    [("??-*held.txt", EVERY, 0.85 if IS_SOAK else 0.86), ("??-*near.txt", min(EVERY, 2), 0.75 if IS_SOAK else 0.84)],
    ids=["all messages", "messages of which three in five only look like an ending"],
)
def test_of_what_other_hands_wrote_little_is_ended_that_still_holds(
    encoder: CrossEncoder, files: str, every: int, least: float
) -> None:
    """Nothing was learned from these lists."""
    some = [each for each in changes(held_out=True, files=files) if each.task == "end"][every // 2 :: every]
    ended = [right for each in some for right in _ended(encoder, each)]
    assert sum(ended) > least * len(ended)
    assert len(ended) > 0.3 * sum(sum(each.right) for each in some)


def test_of_stories_that_other_hands_wrote_most_questions_have_their_answer_first(encoder: CrossEncoder) -> None:
    """Nothing was learned from these lists."""
    asked = [each for story in stories(held_out=True) for each in told(story) if any(each.right)]
    every = max(1, EVERY // 10)
    some = [each for each in asked if each.task == "answer"][every // 2 :: every]
    found = [(encoder.answering(each.text, each.sentences), each.right) for each in some]
    assert sum(right[chances.index(max(chances))] for chances, right in found) > (0.6 if IS_SOAK else 0.65) * len(found)


def test_every_story_numbers_its_sentences_and_names_only_those_that_it_has() -> None:
    every = [story for held_out in (True, False) for story in stories(held_out=held_out)]
    assert len(every) > 250
    for story in every:
        assert all(number < at for at, ends in enumerate(story.ends) for number in ends), story.told[0]
        assert all(number < len(story.told) for _, answers in story.questions for number in answers), story.told[0]


def test_a_story_asks_its_questions_and_tells_its_sentences_as_news() -> None:
    story = Story(
        "es", ["le debo 300 a pocho", "tengo 58 años", "ya le pagué"], [set(), set(), {0}], [("debo algo", {2})]
    )
    asked, *news = told(story)
    assert [(each.text, answers) for each, answers in zip(asked.sentences, asked.right, strict=True)][-1] == (
        "ya le pagué",
        True,
    )
    assert [(each.text, each.right) for each in news] == [("tengo 58 años", [False]), ("ya le pagué", [True, False])]


def _ended(encoder: CrossEncoder, example: Example) -> list[bool]:
    chances = encoder.ended(example.text, example.sentences)
    return [right for chance, right in zip(chances, example.right, strict=True) if chance > 0.8]


async def test_a_question_of_a_dialogue_is_an_example_with_the_sentences_that_were_said() -> None:
    found: list[Example] = []
    dialogue = next(each for each in load() if each.half == "work" and any(line.question for line in each.lines))
    await talk([dialogue], lambda question, prompt: found.append(of_prompt(question, prompt)))
    assert len(found) == sum(line.question is not None for line in dialogue.lines)
    for example in found:
        assert any(sentence.by_user and sentence.text in dialogue.lines[0].text for sentence in example.sentences)
    assert any(any(example.right) for example in found)


def test_nothing_is_compared_with_no_sentences(encoder: CrossEncoder) -> None:
    assert encoder.answering("como se llama mi gata", []) == []
    assert encoder.ended("ya no", []) == []


@given(st.text(max_size=200), st.lists(st.text(max_size=300), min_size=1, max_size=30))
def test_every_text_has_a_chance_for_each_sentence(text: str, said: list[str]) -> None:
    loaded = cross_encoder.load()
    assert loaded is not None
    chances = loaded.ended(text, [ComparedSentence(each) for each in said])
    assert len(chances) == len(said)
    assert all(0 <= each <= 1 for each in chances)


def test_a_processor_on_which_signed_products_overflow_finds_the_same(
    encoder: CrossEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformer, "PROCESSOR", tmp_path / "absent")
    assert CrossEncoder(NETWORK).ended("se me murio la pochola", TOLD) == encoder.ended("se me murio la pochola", TOLD)


def test_of_many_sentences_the_latest_are_read() -> None:
    said = [ComparedSentence(f"on day {number} we had rice and fish for dinner at home") for number in range(200)]
    read = comparison(known_pieces(), "answer", "what did we eat", said)
    assert len(read.pieces) <= LONGEST
    assert len(read.ends) == len(said) - read.first
    assert all(len(each) == MARKS for each in read.marks)


def test_without_onnxruntime_there_is_no_network() -> None:
    program = (
        "from recuerdo.memories.extraction.cross_encoder import load\n"
        "from recuerdo.agents.offline.conversation import EarlierMessage, OfflinePrompt\n"
        "from recuerdo.agents.offline.ranking import find\n"
        "prompt = OfflinePrompt('when is the flight', [EarlierMessage('user', 'the flight is at 8')])\n"
        "print(load(), find(prompt, prompt.message, prompt.locale()).quote.text)"
    )
    assert output_without("onnxruntime", program) == "None the flight is at 8"
