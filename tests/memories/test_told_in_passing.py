"""Deaths, ages, towns and orders to forget that are told in passing change what is remembered."""

import pytest

from recuerdo import Memory, Recuerdo
from recuerdo.core.memories import Attribute


async def _after(*said: str) -> list[Memory]:
    """The memories that hold after the messages."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        user = memory.user(tenant="acme", user="emi")
        for text in said:
            await user.remember(text)
        return await user.list()


def _values(memories: list[Memory], attribute: Attribute) -> set[str | None]:
    return {each.value for each in memories if each.attribute == attribute}


@pytest.mark.parametrize(
    ("said", "attribute", "left"),
    [
        (("Tenho uma galinha chamada Xuxa.", "Menina, a raposa comeu a Xuxa essa noite!"), "pet", set()),
        (("Tengo una gata que se llama Pelusa.", "un perro mató a la Pelusa anoche"), "pet", set()),
        (("I have a hen called Betty.", "A fox got Betty last night."), "pet", set()),
        (("My son Leo is 8 years old.", "Leo is 9 now"), "relative", {"9"}),
        (("Kindly note that I am residing at Bodija.",), "employer", set()),
        (("I served thirty years at Adeoyo Hospital before my retirement.",), "employer", set()),
        (("Sou viúva faz seis anos.", "Ah, e pode apagar essa história de ser viúva também"), "marital_status", set()),
    ],
    ids=["raposa", "perro", "fox", "age", "town", "retired", "viuva"],
)
async def test_what_is_left_after_it(said: tuple[str, ...], attribute: Attribute, left: set[str]) -> None:
    assert _values(await _after(*said), attribute) == left


async def test_an_order_to_forget_means_no_preference_that_it_does_not_name() -> None:
    left = await _after(
        "Please avoid slang in your replies.",
        "I was diagnosed with glaucoma in my left eye.",
        "Please disregard what I said concerning my eye; I would rather it were not kept.",
    )
    assert _values(left, "preference")
