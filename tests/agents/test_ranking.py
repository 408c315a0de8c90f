"""The ranking chooses the sentence that answers a question, or says that none does."""

import asyncio

import pytest
from benchmarks.dialogues import ANSWERED, load, talk

from recuerdo.agents.offline.conversation import EarlierMessage, OfflinePrompt
from recuerdo.agents.offline.ranking import MOST, find


def found(question: str, *said: str) -> tuple[str, bool] | None:
    prompt = OfflinePrompt(question, [EarlierMessage("user", text) for text in said])
    result = find(prompt, question, prompt.locale())
    return (result.quote.text, result.is_sure) if result else None


def test_most_questions_of_strangers_are_answered_and_few_wrongly() -> None:
    """At first sight of these dialogues, which nobody looks into: 77 % right, 11 % wrong."""
    dialogues = load(ANSWERED["unseen"])[::2]
    verdicts = [verdict for each in asyncio.run(talk(dialogues)) for verdict in each.verdicts]
    assert verdicts.count("right") > 0.7 * len(verdicts)
    assert verdicts.count("wrong") < 0.16 * len(verdicts)


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        ("how much was the plumber", ["the plumber wanted 80", "paid the electrician 120"], "the plumber wanted 80"),
        ("¿cuánto me cobra el taller?", ["el taller me cobra 3500", "no espera, eran 4200"], "no espera, eran 4200"),
        ("qual é o nome do barco?", ["o barco se chama Aurora", "o cachorro se chama Rex"], "o barco se chama Aurora"),
    ],
)
def test_the_sentence_about_what_is_asked_is_chosen(question: str, said: list[str], answer: str) -> None:
    result = found(question, *said)
    assert result
    assert result[0] == answer


@pytest.mark.parametrize(
    ("question", "said", "answer"),
    [
        (
            "what does holger do",
            "My brother Uwe has a garage in Bremen and my brother Holger is a pastor in Kiel",
            "my brother Holger is a pastor in Kiel",
        ),
        (
            "en qué trabaja mi madre",
            "vivo con mi madre y con mi tía Eva, mis padres se separaron, mi padre vive en Parla con su novia que se "
            "llama Jessi y es esteticista y un poco intensa, mi madre es conductora de metro, línea 12",
            "mi madre es conductora de metro, línea 12",
        ),
        (
            "onde está o Akira",
            "meu filho Akira tá trabalhando numa fábrica em Nagoia e a minha filha Naomi é farmacêutica em Londrina",
            "meu filho Akira tá trabalhando numa fábrica em Nagoia",
        ),
    ],
)
def test_of_a_sentence_about_several_people_the_part_that_answers_is_quoted(
    question: str, said: str, answer: str
) -> None:
    result = found(question, said)
    assert result
    assert result[0] == answer


def test_a_short_sentence_about_one_person_is_quoted_whole() -> None:
    said = "El párroco, don Fermín, prefiere esperar a la subvención"
    assert found("¿quién prefiere esperar?", said, "tengo una gata") == (said, True)


def test_what_the_model_said_itself_of_what_it_was_told_is_no_answer() -> None:
    said = "I don't know for sure. The nearest thing that you told me: «my sister Opal has a bad knee»."
    prompt = OfflinePrompt("who has a bad knee", passages=[EarlierMessage("assistant", said)])
    assert find(prompt, prompt.message, prompt.locale()) is None


def test_nothing_is_given_as_the_answer_where_nothing_was_told_of_it() -> None:
    result = found("what is the wifi code", "the code of the gate is 4471", "my sister likes tea")
    assert result is None or not result[1]


def test_of_a_long_conversation_only_the_best_sentences_are_compared() -> None:
    said = [f"on day {number} we ate rice at home" for number in range(10 * MOST)]
    assert found("what did the plumber cost", "the plumber cost 80", *said) == ("the plumber cost 80", True)
