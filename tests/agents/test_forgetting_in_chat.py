"""Orders to forget, with the offline model: what is meant is forgotten or asked for, and nothing is learnt."""

import pytest

from recuerdo import Owner, Recuerdo

EMI = Owner("acme", "emi")


async def told(memory: Recuerdo, *said: str) -> str:
    """The last reply of a conversation."""
    replies = [await memory.chat.reply(EMI.thread("t-1"), text) for text in said]
    return replies[-1].reply.text


async def held(memory: Recuerdo) -> set[str]:
    return {each.text for each in await memory.user(tenant="acme", user="emi").list()}


@pytest.mark.parametrize(
    ("first", "second", "order", "chosen"),
    [
        ("I like table tennis", "I like beach tennis", "forget my tennis thing", "forget that I like table tennis"),
        ("Recuerda que mi clave del gimnasio es azul", "Recuerda que mi clave del garaje es roja", "olvida mi clave",
         "olvida mi clave del gimnasio"),
        ("Lembre que meu armário da academia é azul", "Lembre que meu armário do trabalho é roxo",
         "esqueça meu armário", "esqueça meu armário da academia"),
    ],
)  # fmt: skip
async def test_an_order_that_fits_several_memories_is_answered_by_asking_which(
    first: str, second: str, order: str, chosen: str
) -> None:
    """The reply doesn't say that anything was forgotten, since nothing was, until the user says which they mean."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, first, second)
        both = await held(memory)
        asked = await told(memory, order)
        assert all(text in asked for text in both)
        assert await held(memory) == both
        explained = await memory.chat.explain(EMI.thread("t-1"), 6)
        assert explained.exact
        assert "None of them was forgotten" in explained.prompt[0].text
        await told(memory, chosen)
        assert len(await held(memory)) == 1


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("My sister Ana lives in Leeds.", "forget that my sister lives in Leeds"),
        ("Mi hija Sonia vive en Lima.", "olvida que mi hija vive en Lima"),
        ("Minha irmã Ana mora em Recife.", "esquece que minha irmã mora em Recife"),
    ],
)
async def test_what_is_to_be_forgotten_is_not_learnt_from_the_order(said: str, order: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, said)
        reply = await told(memory, order)
        city = said.rstrip(".").split()[-1]
        assert not [text for text in await held(memory) if city in text]
        assert city not in reply
