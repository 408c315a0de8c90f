"""Where an order to forget is not clear, the assistant asks, and the next message chooses."""

from datetime import UTC, datetime, timedelta

import pytest

from recuerdo import Recuerdo
from recuerdo.core.scope import Owner
from recuerdo.memories.forgetting import chosen_to_forget

OWNER = Owner("acme", "emi")


EYE = ("I'm Peg", "I have glaucoma in my left eye")
OLHO = ("sou a Dalva", "tenho glaucoma no olho esquerdo")


async def talk(*said: str) -> tuple[str, set[str]]:
    """The last reply, and the texts of the memories that hold after the messages of one conversation."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        reply = ""
        for text in said:
            reply = (await memory.chat.reply(OWNER.thread("t"), text)).reply.text
        return reply, {each.text for each in await memory.user(tenant="acme", user="emi").list()}


@pytest.mark.parametrize(
    ("told", "order", "asked", "kept"),
    [
        (
            EYE,
            "disregard what I said concerning my eye",
            "Shall I forget «I have glaucoma»?",
            "I have glaucoma",
        ),
        (
            OLHO,
            "esquece o que falei da minha vista",
            "Quer que eu esqueça «tenho glaucoma»?",
            "tenho glaucoma",
        ),
    ],
)
async def test_an_order_that_may_mean_a_memory_forgets_nothing_yet_and_asks(
    told: tuple[str, ...], order: str, asked: str, kept: str
) -> None:
    reply, held = await talk(*told, order)
    assert (reply, kept in held) == (asked, True)


@pytest.mark.parametrize(
    ("told", "order", "answer", "kept"),
    [
        (EYE, "disregard what I said concerning my eye", "yes please", set[str]()),
        (EYE, "disregard what I said concerning my eye", "no, leave it", {"I have glaucoma"}),
        (OLHO, "esquece o que falei da minha vista", "pode ser", set[str]()),
    ],
)
async def test_only_a_yes_forgets_what_the_assistant_asks_about(
    told: tuple[str, ...], order: str, answer: str, kept: set[str]
) -> None:
    _, held = await talk(*told, order, answer)
    assert held - set(told) == kept


TRIPS = (
    "mi viaje a Salta es el 3 de mayo",
    "el viaje a Lima es en junio",
    "el viaje a Cusco es en julio",
)


@pytest.mark.parametrize(
    ("answer", "forgotten"),
    [
        ("el de Lima", {TRIPS[1]}),
        ("la primera", {TRIPS[2]}),  # the latest is named first
        ("las tres", set(TRIPS)),
        ("ninguna", set[str]()),
    ],
)
async def test_an_answer_chooses_by_a_word_by_its_place_or_all_of_them(answer: str, forgotten: set[str]) -> None:
    reply, kept = await talk(*TRIPS, "olvida mi viaje", answer)
    assert set(TRIPS) - kept == forgotten
    assert "Me dijiste" not in reply


async def test_an_answer_is_understood_after_something_else_was_forgotten() -> None:
    reply, kept = await talk("soy alérgico al polen", "olvida mi alergia", *TRIPS, "olvida mi viaje", "el de Lima")
    assert kept == {TRIPS[0], TRIPS[2]}
    assert reply.startswith("Entendido: ya no lo usaré")


def test_a_text_is_chosen_only_where_the_question_offers_to_forget_it() -> None:
    assert chosen_to_forget("yes", "You told me: «I have asthma». Is that right?") == []
    assert chosen_to_forget("yes", "Shall I forget «I have asthma»?") == ["I have asthma"]
    assert chosen_to_forget("yes", "I forgot «I have asthma».") == []


@pytest.mark.parametrize("answer", ["aye", "okay", "go on", "si porfa, la lana de rogelio", "quero sim"])
def test_a_yes_has_many_words(answer: str) -> None:
    assert chosen_to_forget(answer, "Shall I forget «manda 400 dolares»?") == ["manda 400 dolares"]


def test_a_question_chooses_nothing() -> None:
    asked = (
        "¿Cuál es: «nos vamos a vivir a Nagua en enero» o «Junior se mudó a Nagua»? No he olvidado ninguna de las dos."
    )
    offered = "¿Quieres que olvide «nos vamos a mudar a Nagua»?"
    assert chosen_to_forget("a dónde nos vamos a mudar", asked) == []
    assert chosen_to_forget("a dónde nos vamos a mudar", offered) == []
    assert chosen_to_forget("¿nos vamos a mudar?", offered) == []
    assert chosen_to_forget("sí, lo de mudar", offered) == ["nos vamos a mudar a Nagua"]


async def test_of_things_told_together_only_the_one_that_is_over_is_quoted() -> None:
    reply, _ = await talk("tengo dos gatos, Mota y Nube", "se murió la Nube")
    assert reply == "Lo siento mucho. Entendido. Ya no vale: «Nube»."


async def test_words_that_told_several_things_are_quoted_once() -> None:
    reply, kept = await talk("hoje eu namoro o Tião, que é caminhoneiro", "terminei com o Tião, aquele sem vergonha")
    assert reply == "Entendi. Já não vale: «hoje eu namoro o Tião, que é caminhoneiro»."
    assert kept == set()


async def test_of_two_names_with_articles_the_other_one_is_left_with_its_own() -> None:
    _, kept = await talk("tenho duas gatas, a Mimi e a Pretinha", "a Mimi fugiu tem três dias")
    assert kept == {"tenho duas gatas, a Pretinha"}


async def test_an_answer_that_is_processed_late_forgets_nothing() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        now = datetime.now(UTC)
        await memory.memories.remember(OWNER, "I have asthma", said_at=now - timedelta(hours=2))
        offer, later = "Shall I forget «I have asthma»?", now - timedelta(hours=1)
        await memory.memories.remember(OWNER, "yes", question=offer, said_at=later)
        assert await memory.memories.list(OWNER)


@pytest.mark.parametrize(
    ("told", "order", "question", "hidden"),
    [
        (["vendo tequeños en la puerta de la iglesia los sábados", "a Brayan lo firmaron los Tigres"],
         "olvidate de lo de los tequeños, ya eso no lo hago mas", "¿qué vendo los sábados?", "tequeños"),
        (["I go to the gym, doctor says my sugar is high", "we have 12 agbada for the 14th of December"],
         "forget what I told you about the sugar abeg", "is my sugar ok?", "sugar is high"),
        (["o Ademir me deve mil reais", "minha filha Bia tem 9 anos"],
         "esquece aquilo do Ademir me dever", "quanto o Ademir me deve?", "mil reais"),
        (["mi novio se llama Endry, es mecánico de motos"],
         "no chico, te dije que borraras lo de Endry", "¿qué sabes de Endry?", "mecánico"),
        (["meu vizinho Beto me deve 50 reais"],
         "eu falei pra você apagar o que contei do Beto", "quanto o Beto me deve?", "50"),
    ],
)  # fmt: skip
async def test_an_order_about_what_no_memory_tells_hides_it_and_offers_nothing_else(
    told: list[str], order: str, question: str, hidden: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in told:
            await memory.chat.reply(OWNER.thread("t"), text)
        assert "?" not in (await memory.chat.reply(OWNER.thread("t"), order)).reply.text
        reply = (await memory.chat.reply(OWNER.thread("t"), question)).reply.text
        assert hidden not in reply
        assert not reply.startswith("I don't know") or question.startswith("is ")
