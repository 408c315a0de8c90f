"""A message about one of two alike things ends nothing of the other."""

import pytest

from recuerdo.core.memories import Attribute
from recuerdo.memories.people import is_of_counterpart
from recuerdo.memories.slots import is_of_other_slot


@pytest.mark.parametrize(
    ("attribute", "told", "message", "is_other"),
    [
        ("email", "mi correo del trabajo es ana@acme.com", "mi correo personal es ana@gmail.com", True),
        ("email", "my work email is ana@acme.com", "my work email is ana@acme.org now", False),
        ("email", "my email is ana@acme.com", "my private email is ana@gmail.com", False),
        ("phone", "o telefone da empresa é 3333", "meu telefone pessoal é 4444", True),
        ("family", "mi mamá se llama Rosa", "mi papá murió en marzo", True),
        ("family", "my father is called Joe", "my mother and my father have moved", False),
        ("city", "I live in Leeds", "my mother lives in York", False),
    ],
)
def test_a_message_may_name_another_slot_only(attribute: Attribute, told: str, message: str, is_other: bool) -> None:
    assert is_of_other_slot(attribute, told, message) is is_other


@pytest.mark.parametrize(
    ("told", "message", "is_of_counterpart_only"),
    [
        ("mi vieja vive en talca", "mi viejo murio el 2019", True),
        ("mi hermano vive en Salta", "mi hermana se mudó a Jujuy", True),
        ("minha tia mora em Olinda", "meu tio faleceu", True),
        ("mi hermano vive en Salta", "mi hermano se mudó con mi hermana", False),
        ("mi hermano vive en Salta", "Pedro se mudó a Jujuy", False),
        ("I live in Salta", "my sister has moved", False),
    ],
)
def test_a_message_may_be_of_the_other_of_a_pair(told: str, message: str, is_of_counterpart_only: bool) -> None:
    assert is_of_counterpart(told, set(message.split())) is is_of_counterpart_only
