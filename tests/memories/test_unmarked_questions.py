"""People leave question marks out: what they ask without one is no fact."""

import pytest

from recuerdo.memories.extract import listen


@pytest.mark.parametrize(
    "asked",
    [
        "am i allergic to nuts",
        "am I coeliac",
        "do i hate mondays",
        "do I work at Tesco",
        "do i speak french",
        "is my sister called Anna",
        "can i eat peanuts or am i allergic to peanuts",
        "soy celiaca o no",
        "soy vegano o q",
        "soy vegana o qué, jaja",
        "sou vegano ou o quê",
        "i'm vegan or what",
    ],
)
def test_a_question_without_its_mark_tells_no_fact(asked: str):
    heard = listen(asked)
    assert not heard.facts
    assert not heard.denials


@pytest.mark.parametrize("asked", ["y el blasi", "e a consulta de quinta"])
def test_a_short_question_that_goes_on_about_another_tells_no_fact(asked: str):
    assert not listen(asked).facts


@pytest.mark.parametrize(
    ("message", "attribute", "value"),
    [
        ("can you suggest a dinner, im vegan", "diet", "vegan"),
        ("how are you, im dan", "name", "dan"),
        ("will it rain, i live in Leeds", "city", "Leeds"),
        ("when i moved house i took my job along, i work at Tesco", "employer", "Tesco"),
    ],
)
def test_what_is_told_behind_such_a_question_is_heard(message: str, attribute: str, value: str):
    assert (attribute, value) in [(fact.attribute, fact.value) for fact in listen(message).facts]


@pytest.mark.parametrize(
    "courtesy", ["Muy bien, gracias. ¿Y tú?", "¡Hola, Rosy! ¿En qué te ayudo?", "Hi! How can I help?"]
)
def test_a_courtesy_is_no_question_that_a_message_answers(courtesy: str):
    told = "soy rosa, trabajo de enfermera en el imss aca en metepec"
    assert listen(told, courtesy) == listen(told)
