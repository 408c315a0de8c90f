"""The rules of extraction: whole facts with their clauses, and texts that want to break it."""

import re
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_examples import examples
from recuerdo.core.memories import Fact
from recuerdo.memories.extract import extract, listen


def test_several_facts_of_one_message_come_in_order_with_their_own_clauses():
    assert extract("Hola, me llamo Emiliano y trabajo en Data Oilers como ingeniero de datos en Madrid") == [
        Fact("name", "Emiliano", "me llamo Emiliano"),
        Fact("employer", "Data Oilers", "trabajo en Data Oilers"),
        Fact("job", "ingeniero de datos", "trabajo en Data Oilers como ingeniero de datos"),
        Fact("city", "Madrid", "trabajo en Data Oilers como ingeniero de datos en Madrid"),
    ]


def test_what_is_told_of_a_relative_begins_with_the_word_for_them_and_has_its_time():
    told = extract("mi hermana Lady vive en Madrid hace tres años")
    assert Fact("relative", "Madrid", "mi hermana Lady vive en Madrid hace tres años") in told


def test_who_owes_money_at_a_bank_does_not_loathe_it():
    assert extract("tô devendo 4200 no banco do Brasil") == []
    assert [each.value for each in extract("no banco el hígado")] == ["hígado"]
    assert [each.value for each in extract("cant stick mushrooms")] == ["mushrooms"]


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("me llamo Ana", "name", "Ana"),
        ("mi nombre es Ana", "name", "Ana"),
        ("soy Ana", "name", "Ana"),
        ("trabajo en Acme", "employer", "Acme"),
        ("trabajo como contadora", "job", "contadora"),
        ("recuerda que el lunes cierro temprano", "remember", "el lunes cierro temprano"),
        ("no olvides que el lunes cierro temprano", "remember", "el lunes cierro temprano"),
        ("prefiero tablas", "preference", "tablas"),
        ("me gusta el mate", "likes", "mate"),
        ("no me gusta el mate", "dislikes", "mate"),
        ("mi email es ana@acme.com", "email", "ana@acme.com"),
        ("mi correo es ana@acme.com", "email", "ana@acme.com"),
        ("vivo en Salta", "city", "Salta"),
        ("mi empresa es Acme", "employer", "Acme"),
        ("mi departamento es Finanzas", "department", "Finanzas"),
        ("mi equipo es Datos", "team", "Datos"),
    ],
)
def test_the_patterns_that_the_built_in_agent_promises(text, attribute, value):
    assert extract(text) == [Fact(attribute, value, extract(text)[0].text)]
    assert extract(text)[0].value == value


def test_what_a_child_is_allergic_to_is_not_the_users_allergy() -> None:
    told = "kirsty's got a little fella called Archie, he's 3, allergic to peanuts so we gotta be careful"
    assert "allergy" not in {fact.attribute for fact in extract(told)}


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("left Manila, home in Davao now", "city", "Davao"),
        ("was Glasgow, now Paisley", "city", "Paisley"),
        ("not Sainsburys now, Lidl, better pay", "employer", "Lidl"),
    ],
)
def test_what_follows_an_ending_is_heard(text: str, attribute: str, value: str) -> None:
    assert [(fact.attribute, fact.value) for fact in extract(text)] == [(attribute, value)]


def test_a_given_name_that_is_a_town_as_well_is_a_name() -> None:
    assert [(fact.attribute, fact.value) for fact in extract("sou wellington")] == [("name", "wellington")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tío trabajo en un bar en Málaga", {"employer", "city"}),
        ("tio curro en un bar en malaga", {"employer", "city"}),
        ("tío Pedro vive en Lima", {"relative"}),
    ],
)
def test_a_word_for_a_relative_that_is_said_to_the_assistant_names_none(text: str, told: set[str]) -> None:
    assert {fact.attribute for fact in extract(text)} == told


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("soy de river", "likes"),
        ("sou corinthiano", "likes"),
        ("soy de Rosario", "origin"),
        ("sou mineiro", "origin"),
    ],
)
def test_nobody_comes_from_a_football_club(text: str, attribute: str) -> None:
    assert [fact.attribute for fact in extract(text)] == [attribute]


@pytest.mark.parametrize(
    "text",
    [
        "ya no trabajo en X, ahora trabajo en Y",
        "já não trabalho na X, agora trabalho na Y",
        "I don't work at X, I work at Y",
    ],
)
def test_of_a_correction_only_the_new_value_counts(text):
    assert [(fact.attribute, fact.value) for fact in extract(text)] == [("employer", "Y")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("¿Puedes recordar que vivo en Lima, por favor?", "Lima"),
        ("Oi! Você pode lembrar que eu moro em Lisboa?", "Lisboa"),
        ("Can you please remember that I live in Leeds?", "Leeds"),
        ("¿Puedes recordar dónde vivo?", None),
        ("¿Puedes recordar que tengo que hacer hoy?", None),
        ("Pode lembrar que dia é hoje?", None),
        ("Can you remember that movie in which I live in Leeds?", None),
    ],
)
def test_a_question_that_asks_to_remember_something_states_it(text, value):
    assert [fact.value for fact in extract(text)] == ([] if value is None else [value])


def test_a_value_that_is_taken_back_in_the_same_sentence_is_no_fact():
    assert [fact.value for fact in extract("me llamo Juan, perdón, me llamo José")] == ["José"]


def test_the_same_fact_said_twice_comes_once():
    assert len(extract("Me llamo Ana. Sí, me llamo ANA!")) == 1


def test_an_empty_text_holds_no_fact():
    assert extract("") == extract(" \n\t") == extract("🙂") == []


def test_a_fact_at_either_end_of_a_pasted_document_is_found():
    pasted = "lorem ipsum dolor sit amet\n" * 40_000
    assert [fact.value for fact in extract(f"Me llamo Ana.\n{pasted}")] == ["Ana"]
    assert [fact.value for fact in extract(f"{pasted}\nMe llamo Ana.")] == ["Ana"]


@pytest.mark.parametrize(
    "text",
    [
        "De: Marta\nAsunto: hola\n\nMe llamo Marta y trabajo en Iberia",
        "> me llamo Marta\n> vivo en Vigo",
        "On Monday Ana wrote:\nI live in Rome",
        "[10:32] Luis: trabajo en Acme\n[10:33] Ana: vivo en Lima",
        "```python\nprint('me llamo Ana')  # vivo en Lima\n```",
        '{"bio": "me llamo Ana"}',
        "Traduce: me llamo Ana. Vivo en Lima.",
    ],
)
def test_texts_from_elsewhere_hold_no_facts_about_the_user(text):
    assert extract(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "si trabajo en Acme, pago más",
        "cuando vivo en Lima duermo mejor",
        "if I work at Acme I pay more",
        "maybe I live in Lima",
        "se eu moro em Lisboa pago mais",
        "será que moro em Lisboa",
    ],
)
def test_what_is_only_supposed_is_no_fact(text):
    assert extract(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "¿Vivo en Lima?",
        "Vivo en Lima?",
        "vivo en Lima, ¿verdad?",
        "I live in Rome, right?",
        "do I live in Rome",
        "Moro em Lisboa?",
        "dime si vivo en Lima",
    ],
)
def test_a_question_is_no_fact_with_and_without_its_marks(text):
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Vivo en Lima, ¿qué tiempo hace?", "Lima"),
        ("I live in Rome, any tips?", "Rome"),
        ("Moro em Lisboa, e você?", "Lisboa"),
    ],
)
def test_what_is_stated_before_a_question_is_a_fact(text, value):
    assert [fact.value for fact in extract(text)] == [value]


@pytest.mark.parametrize(
    "text",
    [
        "mi jefe dice que vivo en Lima",
        "he says I live in Rome",
        "ela diz que moro em Lisboa",
        "Ana: vivo en Lima",
        'él dijo "me llamo Juan"',
        "trabajó en Google",
        "me llamó Juan ayer",
    ],
)
def test_what_somebody_else_says_or_does_is_no_fact(text):
    assert extract(text) == []


@pytest.mark.parametrize("text", ["un trabajo en Acme", "procuro um trabalho na Galp"])
def test_work_as_a_noun_is_no_employer(text):
    assert extract(text) == []


_HOSTILE = {"spaces": " ", "cues": "me llamo ", "brackets": "[1 ", "emoji": "😀"}
"""The families of `tests/linear` are many more."""


@pytest.mark.parametrize("piece", _HOSTILE.values(), ids=_HOSTILE.keys())
def test_the_work_on_a_hostile_text_does_not_grow_with_it(piece):
    """Only the ends are read, so ten times the text must not take anything like ten times the time."""
    small, large = piece * (30_000 // len(piece)), piece * (1_000_000 // len(piece))
    little = much = float("inf")
    for _ in range(3):  # other work of the machine may slow some of them down
        little, much = min(little, _seconds(small)), min(much, _seconds(large))
        if much < 10 * little + 0.1:
            return
    pytest.fail(f"{little:.3f} s became {much:.3f} s")


def _seconds(text: str) -> float:
    start = thread_time()
    extract(text)
    return thread_time() - start


_SAID = """
me llamo soy Ana de y en trabajo como ingeniero vivo Lima no que mi correo es a@b.co el 5 mayo gusta prefiero recuerda
I'm work at my name is live in love the team sou moro não na gosto meu é , . ? ¿ " ( ) - & St Dr
"""


@given(st.lists(st.sampled_from(_SAID.split()), max_size=14).map(" ".join) | st.text(max_size=80))
@settings(max_examples=examples(200))
def test_any_text_is_read_without_an_error_and_every_value_stands_in_its_clause(text):
    said = _bare(text)
    for fact in extract(text):
        assert fact.value.strip()
        assert _bare(fact.value) in _bare(fact.text)
        assert _bare(fact.text) in said


def _bare(text: str) -> str:
    return re.sub(r"[\s\"“”«»'|/]+", "", text)


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("mudei pra sao paulo", "city", "sao paulo"),
        ("moro em são luís e trabalho na caixa", "city", "são luís"),
        ("me mude a san luis potosi", "city", "san luis potosi"),
        ("moved to new york last week", "city", "new york"),
        ("me vine a vivir con mi morra dani a ecatepec", "city", "ecatepec"),
        ("vim morar com a minha mina dani em guarulhos", "city", "guarulhos"),
        ("im tess, 29, from cork", "age", "29"),
        ("soy nacho, 34 años, de lima", "age", "34"),
        ("sou o duda, 29 anos, de pelotas", "age", "29"),
    ],
)
def test_what_is_written_in_a_hurry_is_heard(text, attribute, value):
    assert (attribute, value) in [(fact.attribute, fact.value) for fact in extract(text)]


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("tomo enalapril para la presión", ["enalapril"]),
        ("I'm on metformin", ["metformin"]),
        ("tomo losartana de manhã", ["losartana"]),
        ("tomo mate todos los días", []),
        ("I'm on holiday", []),
    ],
)
def test_a_medicine_that_the_user_takes_is_of_their_health(text, heard):
    assert [fact.value for fact in extract(text) if fact.attribute == "health"] == heard


@pytest.mark.parametrize(
    "text",
    [
        "craigs 24 and a sparky in aberdeen",
        "Liams started at Sheffield Hallam doing engineering",
        "Macarena ha dejado el bufete y se vuelve a Málaga",
        "me vine a estudiar acá a los 18",
        "my mate davie reckons im diabetic",
        "adonde voy en diciembre y con quien",
    ],
)
def test_what_is_told_of_a_named_person_or_asked_is_no_fact_of_the_user(text):
    assert [fact for fact in extract(text) if fact.attribute not in ("family", "relative")] == []


def test_a_time_behind_a_value_is_no_part_of_it():
    assert ("employer", "hospital roberto santos") in [
        (fact.attribute, fact.value) for fact in extract("comecei estagio no hospital roberto santos semana passada")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "my wife Bríd passed away two years ago",
        "tengo una vespa del 92, bueno la vendí ayer",
        "tenho um gol 2010, mas vendi ele mês passado",
        "trabajo en Zara pero ya no",
        "la doctora me sacó el enalapril",
        "y q no soporto comer",
        "ops errei, o kauã tem 9",
    ],
)
def test_what_the_same_message_says_is_over_or_asks_is_no_fact(text):
    assert extract(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no me gusta leer tanto", "leer tanto"),
        ("não gosto de peixe não", "peixe"),
        ("trabalho na clínica Bichos & Companhia", "clínica Bichos & Companhia"),
        ("tengo un gato que caza las ratas, se llama pericote jaja", "pericote"),
        ("tengo 20 tacos", "20"),
        ("tengo 20 tacos de pastor", None),
        ("tengo 3 tacos", None),
    ],
)
def test_a_value_is_as_long_as_what_is_told(text, value):
    assert [fact.value for fact in extract(text)] == ([] if value is None else [value])


def test_a_statement_with_a_tag_that_asks_nothing_is_one():
    assert [fact.value for fact in extract("sou alergica a camarao acredita? em recife")] == ["camarao"]


def test_a_pronoun_behind_a_name_is_no_name():
    told = extract("mi señora se llama Amparo, ella da catecismo los sábados")
    assert [fact.value for fact in told if fact.attribute == "family"] == ["Amparo"]


def test_a_correction_of_what_was_told_of_a_named_person_corrects_nothing_else():
    assert {hint.attributes for hint in listen("ops errei, o kauã tem 9").hints} == {("relative",)}


def test_the_town_of_an_employer_stays_in_the_words_that_are_kept():
    [fact] = extract("trabajo en un taller de Rosario")
    assert (fact.attribute, fact.value, fact.text) == ("employer", "taller", "trabajo en un taller de Rosario")
