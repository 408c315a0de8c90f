"""Entities and relations are read out of the memories, with their times and sources."""

from datetime import timedelta

import pytest

from recuerdo import Recuerdo
from recuerdo.testing.clock import FakeClock


@pytest.fixture
async def user():
    async with Recuerdo.open("memory://", embeddings="none", clock=FakeClock(tick=timedelta(seconds=1))) as memory:
        yield memory.user(tenant="acme", user="emi")


async def related(user):
    graph = await user.entities()
    names = {each.id: each.name for each in graph.entities}
    return {(names[each.subject], each.name, names[each.object], each.until is None) for each in graph.relations}


async def test_a_user_without_memories_is_the_only_entity(user):
    graph = await user.entities()
    assert [each.kind for each in graph.entities] == ["user"]
    assert graph.relations == []


async def test_relations_hold_and_end_with_the_memories_that_say_so(user):
    await user.remember("Vivo en Quito")
    await user.remember("Ahora vivo en Lima")
    assert await related(user) == {("user", "lives_in", "Quito", False), ("user", "lives_in", "Lima", True)}
    graph = await user.entities()
    [lima] = [each for each in graph.relations if each.object == "place:lima"]
    assert lima.memories == [(await user.list())[0].id]
    assert lima.since == (await user.list())[0].valid_from


@pytest.mark.parametrize(
    ("text", "relations"),
    [
        (
            "mi hermana Sonia vive en Puebla",
            {("user", "hermana", "Sonia", True), ("Sonia", "lives_in", "Puebla", True)},
        ),
        ("My brother Owen works at Acme", {("user", "brother", "Owen", True), ("Owen", "works_at", "Acme", True)}),
        ("minha irmã Clara mora em Recife", {("user", "irma", "Clara", True), ("Clara", "lives_in", "Recife", True)}),
        ("My sister works at Acme", {("user", "sister", "sister", True), ("sister", "works_at", "Acme", True)}),
        ("My dog is called Rex", {("user", "has", "Rex", True)}),
    ],
)
async def test_facts_of_relatives_and_animals_are_relations_of_theirs(user, text, relations):
    await user.remember(text)
    assert await related(user) == relations


async def test_a_fact_of_a_relative_without_a_known_verb_says_what_they_are(user):
    await user.add("My sister Ana is a nurse", attribute="relative", value="nurse")
    assert ("sister", "is", "nurse", True) in await related(user)


async def test_an_entity_knows_every_memory_that_names_it(user):
    await user.remember("I work at Acme")
    await user.remember("My brother Owen works at Acme")
    graph = await user.entities()
    [acme] = [each for each in graph.entities if each.name == "Acme"]
    assert (acme.kind, len(acme.memories)) == ("organisation", 2)


async def test_what_waits_for_approval_is_no_relation(user):
    await user.remember("I live in Quito", user_source("web"))
    assert await related(user) == set()


async def test_a_search_finds_what_is_told_of_what_the_best_hit_names(user):
    for number in range(12):
        await user.add(f"The city of note {number} is in another country")
    await user.remember("My brother works at Zorbex")
    await user.add("Zorbex has its offices near the river in Denver")
    hits = await user.search("In which city is the firm where my brother works?", limit=5)
    assert "Zorbex has its offices near the river in Denver" in [hit.memory.text for hit in hits]


def user_source(author):
    from recuerdo.core.memories import Source

    return Source(author=author)
