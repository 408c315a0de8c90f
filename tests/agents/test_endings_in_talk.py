"""Endings, corrections and orders to forget, told as people tell them, change what they name and nothing else."""

import pytest

from recuerdo import Recuerdo
from recuerdo.core.scope import Owner

OWNER = Owner("acme", "emi")


@pytest.mark.parametrize(
    ("said", "held"),
    [
        (
            [
                "moro em santa maria num ap com o guto e o bernardo, dois colegas",
                "to ficando com a mari",
                "terminei com a mari",
            ],
            {"bernardo", "santa maria"},
        ),
        (["I drive a Toyota Corolla 2014", "the corolla is gone, sold it to my cousin Emeka"], {"Emeka"}),
        (["agora to de bolsista no lab de solos", "quer dizer, não é 5o semestre, é 6o"], {"bolsista", "lab de solos"}),
        (["dia 19 vou pra Recife", "a viagem de Recife do dia 19 não vai rolar mais"], set()),
        (["a minha neta é a Leonor", "a Leonor nasceu foi em abril, já te disse"], {"Leonor"}),
        (["my brother Joseph lives in Galway", "my brother has moved to Cork"], {"Joseph", "Cork"}),
        (["my brothers Joseph and Paul", "my brother has moved to Cork"], {"Joseph", "Paul", "Cork"}),
        (
            ["mi esposa se llama Marcela", "el hermano de mi esposa, Jhon, está en España"],
            {"Marcela", "Jhon", "España"},
        ),
        (["mi vieja vive en talca", "mi viejo murio el 2019"], {"talca"}),
        (["mi polola, la javi, estudia kine", "la javi cambio kine por enfermeria"], {"javi", "enfermeria"}),
        (["tomo metformina", "o médico trocou a metformina por insulina"], {"insulina"}),
        (["I take metformin", "my doctor switched me from metformin to insulin"], {"insulin"}),
        (["trabalho na padaria Central", "fui demitido do bar"], {"padaria Central"}),
        (["parents split, mum in sandy bay w me, dad in launceston", "n mum"], {"launceston"}),
        (
            ["adiámos a abertura para o dia 13 de junho", "Afinal quando é que abrimos?"],
            {"abertura para o dia 13 de junho"},
        ),
        (["hi, I'm Ngozi Eze", "I'm Lutheran, we do a supper every december"], {"Ngozi Eze"}),
    ],
)
async def test_an_ending_told_in_passing_ends_what_it_names(said: list[str], held: set[str]) -> None:
    assert await _held_after(said) == held


@pytest.mark.parametrize(
    "said",
    [
        ["im off to Blackpool on the 14th of feb", "forget what i told ye about blackpool, its cancelled"],
        ["mi cel es 222 481 9073", "olvida lo de mi celular, no quiero que lo guardes"],
        ["I'm asthmatic", "delete that thing about my asthma, na private"],
        ["bought a vauxhall vivaro", "aye forget about the vivaro, deals off"],
    ],
)
async def test_an_order_to_forget_names_things_in_other_words(said: list[str]) -> None:
    assert await _held_after(said) == set()


async def test_an_order_to_forget_ends_no_other_memory_whose_sentence_tells_several_things() -> None:
    said = ["im coeliac", "mam bernie is a nurse in ballinasloe btw shes 54"]
    before = await _held_after(said)
    assert await _held_after([*said, "forget what i said about bein coeliac, dont want that saved"]) == before - {
        "coeliac"
    }


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("mãe é costureira, pai camionista, mãe na Guarda, pai em Viseu", "e o pai"),
        (
            "On October 3rd I am to undergo cataract surgery on my right eye.",
            "On what date, and on which eye, is my operation?",
        ),
    ],
)
async def test_a_question_ends_nothing(told: str, asked: str) -> None:
    before = await _held_after([told])
    assert before
    assert await _held_after([told, asked]) == before


async def test_the_birthday_of_another_is_not_the_users() -> None:
    assert "12 de março" not in await _held_after(["niver do davi é 12 de março"])


async def _held_after(said: list[str]) -> set[str | None]:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in said:
            await memory.chat.reply(OWNER.thread("t-1"), text)
        await memory.flush()
        return {each.value for each in await memory.user(tenant="acme", user="emi").list() if each.attribute}
