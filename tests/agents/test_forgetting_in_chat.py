"""Orders to forget, with the offline model: what is meant is forgotten or asked for, and nothing is learnt."""

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from recuerdo import Message, Owner, Recuerdo
from recuerdo.agents.chat import Chat
from recuerdo.testing import FakeClock

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


@pytest.mark.parametrize(
    ("said", "order", "name"),
    [
        (["e eu devo 120 mil no kota Bento, ele q me adiantou o arroz", "ainda devo o kota Bento",
          "paguei 60 mil ao Bento, já só devo metade", "o kota Bento morreu terça feira, tou sem palavras",
          "o Mauro teve crise ontem, fiquei a noite td no banco de urgência"],
         "esquece td sobre o kota Bento pf", "Bento"),
        (["i owe old Hoani 300", "Hoani lent me his boat", "me and Hoani went eeling, got 6",
          "Hoani sold his hilux, got 7 grand"], "forget everything about old Hoani", "Hoani"),
        (["le debo 500 al compadre Lucho", "Lucho me presto su moto el sabado", "ya le pague 200 a Lucho"],
         "olvida todo lo del compadre Lucho", "Lucho"),
    ],
)  # fmt: skip
async def test_an_order_to_forget_everything_about_a_person_hides_all_that_names_them(
    said: list[str], order: str, name: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, *said, order)
        assert not [text for text in await held(memory) if name in text]
        for question in ("quem me deve dinheiro?", "¿a quién le debo?", "who do I owe?", f"{name}?"):
            reply = await memory.chat.reply(EMI.thread("t-2"), question)
            assert name not in reply.reply.text.removesuffix(f"{name}?")


class Listening:
    """A model that keeps the prompts it is given, and answers with what it would give away."""

    name = "listening"

    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        self.prompts.append("\n".join(message.text for message in prompt))
        yield "How nice, the 12th of March!"


FORGOTTEN_IN_A_THREAD = [
    ("My girlfriend Bia has her birthday on March 12", "forget what I said about Bia", "When is Bia's birthday?"),
    ("Mi novia Bia cumple el 12 de marzo", "olvida lo que dije de Bia", "¿Cuándo cumple Bia?"),
    ("Minha namorada Bia faz aniversário dia 12 de março", "esquece o que eu falei da Bia",
     "Quando é o aniversário da Bia?"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "order", "question"), FORGOTTEN_IN_A_THREAD)
@pytest.mark.parametrize("user", ["emi", "anonymous"])
async def test_what_was_forgotten_does_not_come_back_in_the_same_thread(
    said: str, order: str, question: str, user: str
) -> None:
    """Neither the offline model's answer nor the prompt of any other model has it, nor what was answered to it.

    The date of that day, which a prompt has, is without a 12.
    """
    owner, listening, clock = (
        Owner("acme", user),
        Listening(),
        FakeClock(datetime(2026, 10, 5, tzinfo=UTC), timedelta(seconds=1)),
    )
    async with Recuerdo.open("memory://", embeddings="none", clock=clock) as memory:
        listened = Chat(memory.history, memory.memories, listening, clock=clock)
        for text in (said, order):
            await memory.chat.reply(owner.thread("t-1"), text)
            await listened.reply(owner.thread("t-2"), text)
        answer = await memory.chat.reply(owner.thread("t-1"), question)
        assert "12" not in answer.reply.text
        await listened.reply(owner.thread("t-2"), question)
        assert "12" not in listening.prompts[-1]
        assert question in listening.prompts[-1]


@pytest.mark.parametrize(
    ("said", "order", "question", "name"),
    [
        ("I'm 44, two kids, Tom and Ana", "forget my age", "what are my kids called?", "Tom"),
        ("tengo 45 años, dos hijos: Bruno y Carla, que vive en Rosario", "olvidá mi edad",
         "dónde vive Carla?", "Rosario"),
        ("Tenho 67 anos, três filhos: o Ronaldo, que é dentista, e a Patrícia", "esquece minha idade",
         "como se chamam meus filhos?", "Ronaldo"),
    ],
)  # fmt: skip
async def test_who_was_told_in_one_breath_with_what_is_forgotten_is_known(
    said: str, order: str, question: str, name: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, said, order)
        answer = await memory.chat.reply(EMI.thread("t-2"), question)
        assert name in answer.reply.text


async def test_what_is_left_of_a_relative_begins_with_who_it_is_about() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, "tengo 45 años, dos hijos: Bruno y Carla, que vive en Rosario", "olvidá mi edad")
        assert "Carla: vive en Rosario" in await held(memory)


KEPT_SOMEWHERE = [
    ("My blood group is O negative", "Please delete my blood group from your records.", "What is my blood group?"),
    ("mi grupo sanguíneo es O negativo", "quitá mi grupo sanguíneo de tu memoria", "cuál es mi grupo sanguíneo?"),
    ("meu tipo sanguíneo é O negativo", "tira o meu tipo sanguíneo dos seus registros, por favor",
     "qual é o meu tipo sanguíneo?"),
    ("my locker code is negative", "disregard what I said about my locker code", "what is my locker code?"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "order", "question"), KEPT_SOMEWHERE)
async def test_an_order_that_says_where_a_thing_is_kept_means_the_thing(said: str, order: str, question: str) -> None:
    """No memory holds it, so that only its words hide the message that told it."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, said, order)
        answer = await memory.chat.reply(EMI.thread("t-2"), question)
        assert "negativ" not in answer.reply.text


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("tomo enalapril por la presión", "olvidate lo de la presión y el enalapril"),
        ("tomo losartana por causa da pressão", "esquece a pressão e a losartana"),
        ("I take metformin for my diabetes", "forget about the diabetes and the metformin"),
        ("I am 45", "Please don't keep my age"),
        ("tengo 45 años", "no guardes mi edad"),
        ("tomo losartán para la tensión", "no me apuntes lo del losartán y la tensión"),
        ("tenho 67 anos", "Não guarda a minha idade não, mulher não diz a idade!"),
        ("mi marido toma warfarina", "no tengas en cuenta lo que dije de la warfarina"),
        ("meu marido toma varfarina", "desconsidera o que eu falei da varfarina"),
        ("soy diabético", "sacá mi diabetes de tus registros"),
    ],
)
async def test_all_that_an_order_names_is_forgotten(said: str, order: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, "I like tea", said)
        assert len(await held(memory)) > 1
        await told(memory, order)
        assert await held(memory) == {"I like tea"}


async def test_what_is_kept_elsewhere_or_shared_by_two_is_not_forgotten() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, "I take metformin for my diabetes", "don't keep the receipt", "no guardes rencor")
        assert await held(memory) == {"I take metformin for my diabetes"}


async def test_what_is_said_again_after_it_was_forgotten_is_known_again() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        said = "My girlfriend Bia has her birthday on March 12"
        answer = await told(memory, said, "forget what I said about Bia", said, "When is Bia's birthday?")
        assert "March 12" in answer


async def test_a_forgotten_exchange_is_not_explained_as_seen() -> None:
    """The recipe of the answer has no message of it, and the prompt that is made of the recipe is the one that was."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, "My locker code is 4821", "I like tea", "forget my locker code", "What do I like?")
        explained = await memory.chat.explain(EMI.thread("t-1"), 8)
        assert explained.exact
        assert not any("4821" in message.text for message in explained.prompt)
        assert any("tea" in message.text for message in explained.prompt)


async def test_a_bare_answer_behind_a_forgotten_exchange_answers_no_older_question() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        listened = Chat(memory.history, memory.memories, Asking())
        for text in ("hello", "forget my locker code", "in Lima"):
            await listened.reply(EMI.thread("t-1"), text)
        assert not [text for text in await held(memory) if "Lima" in text]


class Asking(Listening):
    """A model that asks a question only once."""

    async def stream(self, prompt: Sequence[Message]) -> AsyncGenerator[str, None]:
        self.prompts.append("")
        yield "Where do you live?" if len(self.prompts) == 1 else "All right."


@pytest.mark.parametrize(
    ("said", "order", "question"),
    [
        ("i owe my sister Trish 300 quid for the chair, paying her end of november",
         "forget what i said about the chair money will you", "how much do i owe my sister?"),
        ("La derrama del ascensor son 4.200 euros, a pagar en doce meses", "lo de la derrama bórralo, anda",
         "¿cuánto es la derrama?"),
        ("o velho emprestou 800 reais pro Tonho do bar", "não guarda nada do dinheiro do Tonho",
         "quanto o velho emprestou pro Tonho?"),
    ],
)  # fmt: skip
async def test_what_no_memory_tells_is_forgotten_too_and_comes_back_when_that_is_undone(
    said: str, order: str, question: str
) -> None:
    """Whatever the words of the order: it says so, and no conversation quotes the message any more."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, said)
        number = next(each for each in said.split() if each[0].isdigit())
        before = await memory.chat.reply(EMI.thread("t-2"), question)
        assert number in before.reply.text
        ordered = await memory.chat.reply(EMI.thread("t-3"), order)
        assert any(each in ordered.reply.text for each in ("Understood", "Entendido", "Entendi"))
        explained = await memory.chat.explain(EMI.thread("t-3"), 2)
        assert explained.exact
        for thread in ("t-1", "t-4"):
            after = await memory.chat.reply(EMI.thread(thread), question)
            assert number not in after.reply.text
        await memory.user(tenant="acme", user="emi").undo()
        again = await memory.chat.reply(EMI.thread("t-5"), question)
        assert number in again.reply.text


@pytest.mark.parametrize(
    "message",
    [
        "I dropped a glass and had to clear it up",
        "guardé el coche en el garaje",
        "tirei o bolo do forno e apaguei o fogo",
        pytest.param(
            "tirei o lixo e apaguei a luz",
            marks=pytest.mark.xfail(strict=True, reason="the network takes it for an end of the note about the refuse"),
        ),
    ],
)
async def test_news_with_a_word_of_orders_forgets_nothing(message: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(memory, "my phone is a Nokia, my car is in the garage", "o lixo passa na quinta, a luz é da Enel")
        before = await held(memory)
        reply = await told(memory, message)
        assert before <= await held(memory)
        assert not any(each in reply for each in ("Understood: ", "Entendido: ", "Entendi: "))


async def test_an_order_may_mean_what_is_told_of_a_named_relative_without_a_word_of_it() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await told(
            memory,
            "minha esposa lourdes é merendeira, cozinha numa escola do estado",
            "lourdes é da assembleia, vai todo domingo",
            "esquece esse negocio da igreja de lourdes, ela nao gosta q eu fique falando",
        )
        left = " | ".join(await held(memory))
    assert "assembleia" not in left
    assert "merendeira" in left


@pytest.mark.parametrize(
    ("told_before", "order", "reply"),
    [
        ("I owe Sal 40 quid", "forget my locker code", "I found nothing of that"),
        ("le debo 180 lucas a la Sole", "olvida lo de mi primo", "No encontré nada de eso"),
        ("devo 40 reais pra Bia", "esquece o código do meu armário", "Não encontrei nada disso"),
    ],
)
async def test_an_order_to_forget_what_was_never_told_is_answered_so_and_quoted_by_no_answer(
    told_before: str, order: str, reply: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        assert (await told(memory, told_before, order)).startswith(reply)
        named = order.split()[-1]
        assert order not in await told(memory, f"{named}?")
