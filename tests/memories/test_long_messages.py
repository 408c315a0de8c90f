"""People who tell all about themselves at once, without a full stop."""

import pytest

from recuerdo.memories.extract import extract

JUSSARA = (
    "Deixa eu me apresentar: meu nome é Jussara, sou baiana de Feira de Santana mas moro em Salvador faz uns trinta "
    "anos, sou viúva, tenho três filhos, Marcos, Patrícia e Leandro, o Marcos mora em Portugal, a Patrícia é "
    "enfermeira no Hospital Geral e o Leandro ainda tá na faculdade de direito"
)
DARNELL = (
    "im darnell, 37, grew up in macon but been in atlanta since 2012, got two kids with my ex tasha, jaylen whos 9 and "
    "amara whos 6, they stay with me every other weekend, my mama lives with me too shes 68 and shes diabetic"
)


@pytest.mark.parametrize(
    ("message", "value", "words"),
    [
        (JUSSARA, "Portugal", "o Marcos mora em Portugal"),
        (JUSSARA, "enfermeira", "a Patrícia é enfermeira no Hospital Geral"),
        (DARNELL, "9", "jaylen whos 9"),
        (DARNELL, "6", "amara whos 6"),
    ],
)
def test_what_is_told_of_a_relative_is_remembered_in_its_own_clause(message: str, value: str, words: str) -> None:
    assert (value, words) in [(each.value, each.text) for each in extract(message)]


def test_a_list_of_names_ends_where_one_of_them_is_told_of() -> None:
    names = [each.value for each in extract(JUSSARA) if each.attribute == "family"]
    assert {"Marcos", "Patrícia", "Leandro"} == set(names)


def test_the_verb_is_no_conjunction_in_portuguese() -> None:
    text = "na real o Scania não é 94, me confundi"
    assert "na real o Scania não" not in [each.text for each in extract(text)]


@pytest.mark.parametrize("text", ["El martes 14 tengo cita con el dentista", "El viernes 20 es la boda de Sara"])
def test_a_plan_may_begin_with_its_day(text: str) -> None:
    assert "plan" in [each.attribute for each in extract(text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("my name's Earlene but my grandbabies call me Mawmaw", "Earlene"),
        ("me llamo Rosa, mis nietos me dicen Tata", "Rosa"),
        ("My name is Babatunde but everybody calls me Tunde", "Tunde"),
    ],
)
def test_what_relatives_call_the_user_is_not_the_name(text: str, name: str) -> None:
    assert [each.value for each in extract(text) if each.attribute == "name"][-1] == name
