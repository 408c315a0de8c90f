"""Memories that are given and not heard: they are reconciled as the chat reconciles what it hears."""

from datetime import timedelta

import pytest

from recuerdo import Recuerdo
from recuerdo.testing.clock import FakeClock


@pytest.fixture
async def user():
    async with Recuerdo.open("memory://", embeddings="none", clock=FakeClock(tick=timedelta(seconds=1))) as memory:
        yield memory.user(tenant="acme", user="emi")


async def texts(user) -> list[str]:
    return [each.text for each in await user.list()]


async def test_the_attribute_is_found_in_the_text(user):
    added = await user.add("I live in Quito")
    assert (added.attribute, added.value, added.text) == ("city", "Quito", "I live in Quito")


async def test_a_value_is_found_for_an_attribute_that_is_given(user):
    assert (await user.add("Vivo en Quito", attribute="city")).value == "Quito"


async def test_an_attribute_that_is_given_is_kept(user):
    added = await user.add("I live in Quito", attribute="remember", value="Quito")
    assert (added.attribute, added.value) == ("remember", "Quito")


async def test_what_contradicts_a_new_memory_ends(user):
    await user.remember("Vivo en Quito")
    await user.add("I live in Lima")
    assert await texts(user) == ["I live in Lima"]


@pytest.mark.parametrize(
    ("text", "again"),
    [("I live in Quito", "I live in quito."), ("Long walks on the beach", "long walks on the beach")],
)
async def test_the_same_twice_is_kept_once(user, text, again):
    first = await user.add(text)
    assert (await user.add(again)).id == first.id
    assert await texts(user) == [text]


async def test_the_same_again_with_an_expiry_of_its_own_gets_that(user):
    first = await user.add("I live in Quito")
    assert first.expires_at is None
    again = await user.add("I live in Quito", ttl=timedelta(days=1))
    assert again.id == first.id
    assert again.expires_at is not None
    assert (await user.get(first.id)).expires_at == again.expires_at


async def test_other_numbers_are_not_the_same(user):
    await user.add("Invoice 7 was paid in March")
    await user.add("Invoice 8 was paid in March")
    assert len(await texts(user)) == 2


async def test_every_fact_of_a_text_counts(user):
    await user.remember("I work at HP")
    await user.add("My name is Ana and I work at Nike")
    assert {(each.attribute, each.value) for each in await user.list()} == {("name", "Ana"), ("employer", "Nike")}


async def test_what_the_text_takes_back_ends(user):
    await user.remember("I work at HP")
    await user.add("I no longer work at HP")
    assert [each.attribute for each in await user.list()] == [None]


async def test_an_addition_can_be_undone_with_all_that_it_changed(user):
    await user.remember("Vivo en Quito")
    await user.add("I live in Lima")
    await user.undo()
    assert await texts(user) == ["Vivo en Quito"]
