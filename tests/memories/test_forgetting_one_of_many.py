"""An order to forget one of several relatives forgets nothing of the others, and leaves no word of that one."""

import pytest
from test_contradictions import NORMA, memories_of

from recuerdo.core.memories import MemoryQuery

TOLD = (
    "filhos são três: a Sandra, assistente social em Lausanne, o Bruno, que é cozinheiro em Martigny, e o Steven",
    "mis hijas son Carla, que es enfermera en Jaén, y Lucía, que estudia Derecho en Lima",
    "my brother Omar drives a cab in Leeds, and my brother Yusuf bakes bread in Hull",
)


@pytest.mark.parametrize(
    ("told", "order", "gone", "stays"),
    [
        (TOLD[0], "esquece o que te disse do Bruno", ("Bruno", "cozinheiro", "Martigny"), ("Sandra", "Lausanne")),
        (TOLD[1], "olvida lo que te dije de Carla", ("Carla", "enfermera", "Jaén"), ("Lucía", "Lima")),
        (TOLD[2], "forget everything about Omar", ("Omar", "cab", "Leeds"), ("Yusuf", "Hull")),
    ],
)
async def test_the_others_stay_without_a_word_of_the_one(
    told: str, order: str, gone: tuple[str, ...], stays: tuple[str, ...]
) -> None:
    memories = await memories_of(told)
    remembered = await memories.remember(NORMA, order)
    assert remembered == []
    left = " | ".join(f"{each.value}: {each.text}" for each in await memories.list(NORMA, MemoryQuery(limit=100)))
    assert [each for each in gone if each in left] == []
    assert [each for each in stays if each not in left] == []


@pytest.mark.parametrize(
    ("told", "order", "gone", "stays"),
    [
        (
            ("mi hija Lorena me mandó una tableta, tengo una tableta nueva", "tomo pastillas de meloxicam"),
            "olvídese de lo de la tableta, que si él sabe que la tengo me la pide",
            {"tableta"},
            {"meloxicam", "Lorena"},
        ),
        (
            ("vendi a pitomba e comprei uma biz usada",),
            "esquece esse negócio do dinheiro q eu tô guardando, isso é coisa minha",
            set(),
            {"biz"},
        ),
        (
            ("minha tia Rosa mora em Natal", "minha tia Rosa tem diabetes"),
            "apaga o que falei do sítio da tia",
            set(),
            {"Natal"},
        ),
    ],
)
async def test_an_order_that_names_a_thing_forgets_nothing_else_of_its_owner(
    told: tuple[str, ...], order: str, gone: set[str], stays: set[str]
) -> None:
    memories = await memories_of(*told)
    await memories.remember(NORMA, order)
    left = {each.value for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    assert gone.isdisjoint(left)
    assert stays <= left


async def test_undo_brings_all_of_it_back() -> None:
    memories = await memories_of(TOLD[0])
    before = {(each.value, each.text) for each in await memories.list(NORMA, MemoryQuery(limit=100))}
    await memories.remember(NORMA, "esquece o que te disse do Bruno")
    await memories.undo(NORMA)
    assert {(each.value, each.text) for each in await memories.list(NORMA, MemoryQuery(limit=100))} == before
