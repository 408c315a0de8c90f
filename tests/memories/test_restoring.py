"""A user who says that something still holds gets back what the message before has ended."""

from datetime import timedelta

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.core.memories import Source
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.testing.clock import FakeClock

EMI = Owner("acme", "emi")


async def texts_after(*said: str, apart: int = 2) -> list[str]:
    """The memories that hold after messages in one thread, with `apart` messages from one to the next."""
    memories = Memories(LocalMemories(LocalDatabase()), None, FakeClock(tick=timedelta(seconds=1)))
    for number, text in enumerate(said):
        await memories.remember(EMI, text, Source("t-1", 1 + number * apart))
    return [each.text for each in await memories.list(EMI)]


@pytest.mark.parametrize(
    ("told", "ends", "goes_on"),
    [
        ("tenho uma moto honda", "vendi a moto", "quer dizer, não vendi, ainda tenho"),
        (
            "trabajo en la clínica San Lucas",
            "entré a trabajar en la clínica Reñaca",
            "no, todavía estoy en la San Lucas",
        ),
        ("I've got a Trek bike", "sold the bike", "no wait, I've still got it"),
        ("I lent my drill to Hamish", "Hamish gave me the drill back", "sorry, Hamish still has the drill"),
    ],
)
async def test_what_the_message_before_ended_holds_again(told: str, ends: str, goes_on: str) -> None:
    assert told not in await texts_after(told, ends)
    assert told in await texts_after(told, ends, goes_on)


@pytest.mark.parametrize(
    "unrelated",
    [
        "todavía me deben plata",
        "aún no cené",
        "sigo cansado",
        "todavía extraño el Corsa",
        "todavía lo extraño",
        "todavía tengo la moto",
    ],
)
async def test_something_else_that_goes_on_brings_nothing_back(unrelated: str) -> None:
    assert "tengo un Corsa 2012" not in await texts_after("tengo un Corsa 2012", "vendí el Corsa", unrelated)


@pytest.mark.parametrize(
    ("told", "ends", "mourns"),
    [
        ("tengo un perro que se llama Toby", "se murió Toby", "todavía tengo el collar de Toby"),
        ("tenho uma gata, a Mimi", "a Mimi morreu", "ainda tenho a caminha da Mimi"),
        ("I've got a dog called Rex", "Rex died last night", "I still have his lead"),
    ],
)
async def test_nobody_who_died_comes_back_with_a_word_of_those_who_mourn(told: str, ends: str, mourns: str) -> None:
    assert told not in await texts_after(told, ends)
    assert told not in await texts_after(told, ends, mourns)


async def test_what_ended_long_before_stays_ended() -> None:
    said = ("tengo un Corsa 2012", "vendí el Corsa", "todavía lo tengo")
    assert "tengo un Corsa 2012" in await texts_after(*said)
    assert "tengo un Corsa 2012" not in await texts_after(*said, apart=6)


async def test_what_was_forgotten_is_not_brought_back_by_a_word() -> None:
    assert await texts_after("tengo un Corsa 2012", "olvida lo del Corsa", "todavía lo tengo") == []
