"""Questions about now and about the past in one sentence, or one after the other, and what no answer is."""

import re

import pytest

from recuerdo import Owner, Recuerdo
from recuerdo.memories.extract import listen

EMI = Owner("acme", "emi")


@pytest.mark.parametrize(
    ("said", "question", "right", "wrong"),
    [
        (["Vivo en Tijuana.", "Me mudé a Puebla."], "¿Dónde vivo ahora y dónde vivía antes?", "Puebla Tijuana", ""),
        (["I live in Leeds.", "I moved to Hull."], "Where do I live now, and before?", "Hull Leeds", ""),
        (["Moro em Natal.", "Mudei pra Manaus."], "Onde eu moro agora e onde eu morava antes?", "Manaus Natal", ""),
        (["Vivo en Tijuana.", "Me mudé a Puebla.", "¿Dónde vivo?"], "¿y antes?", "Tijuana", "Puebla"),
        (["I live in Leeds.", "I moved to Hull.", "where do i live"], "and before that?", "Leeds", "Hull"),
        (["Vivo en Tijuana.", "Me mudé a Puebla.", "Nos mudamos otra vez, ahora estamos en Toluca."],
         "¿Dónde vivía antes?", "Puebla", "Tijuana"),
        (["Vivo en Tijuana.", "Me mudé a Puebla.", "Me mudé a Toluca."], "¿En qué ciudades he vivido?",
         "Toluca Puebla Tijuana", ""),
        (["a gente mudou de novo, agora pra Joinville"], "onde eu moro?", "Joinville", ""),
        (["I work at Tesco.", "I've handed in my notice at Tesco."], "where do i work?", "handed in", "You work"),
        (["Trabajo en un banco.", "Renuncié al banco."], "¿Dónde trabajo?", "", "Trabajas"),
        (["Me encanta correr por las mañanas.", "ya no corro"], "¿Qué me gusta?", "No lo sé", "correr"),
        (["moro em osasco mas trampo em são paulo"], "onde eu moro?", "osasco", "paulo"),
        (["tengo dos gatas, la mota y la nube", "se murio la mota"], "¿qué mascotas tengo?", "nube", "mota"),
        (["meu nome é Renato, tenho 34 anos"], "qual time eu torço?", "", "Renato"),
        (["hoy fiz 35", "fiz 36 ontem"], "quantos anos eu tenho?", "36", "35"),
        (["How are you today?"], "how are you today?", "fine", "help"),
        (["No como picante."], "quería saber qué no como", "picante", "Entendido"),
        (["Não como pimenta."], "queria saber o que eu não como", "pimenta", "Entendi."),
        (["I can't stand okra soup."], "I wonder which soup I told you I dislike.", "okra", "holds"),
    ],
)  # fmt: skip
async def test_what_was_and_what_is_are_told_apart(said: list[str], question: str, right: str, wrong: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in said:
            await memory.chat.reply(EMI.thread("t-1"), text)
        reply = (await memory.chat.reply(EMI.thread("t-1"), question)).reply.text
        assert all(word in reply for word in right.split())
        assert not wrong or wrong not in reply


@pytest.mark.parametrize(
    ("told", "over", "question", "thing"),
    [
        ("tengo un perro, el Tango", "se murió el Tango", "¿tengo perro?", "perro"),
        ("I have a dog called Rex", "Rex died yesterday", "Do I still have a dog?", "dog"),
    ],
)
async def test_what_was_is_told_where_the_question_names_it_and_nothing_else_answers(
    told: str, over: str, question: str, thing: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in (told, over):
            await memory.chat.reply(EMI.thread("t-1"), text)
        reply = (await memory.chat.reply(EMI.thread("t-2"), question)).reply.text
        assert over in reply or re.match(r"(?:Antes, hasta|Before, until) .*" + thing, reply)


@pytest.mark.parametrize(
    ("told", "corrected", "question", "now"),
    [
        ("o almoço é domingo em casa da minha filha", "afinal é no sábado", "quando é o almoço?", "sábado"),
        ("a consulta do ouvido é terça às 10", "ligaram, passou pras 11", "a que horas é a consulta?", "11"),
        ("combinei com a Rita às 6", "melhor às 7", "a que horas combinei com a Rita?", "7"),
        ("la natillera la entregamos el 15 de diciembre", "no vale, el 18", "¿cuándo se entrega la natillera?", "18"),
        ("quedamos a las 6 en la plaza", "mejor a las 7", "¿a qué hora quedamos?", "7"),
    ],
)
async def test_a_correction_in_few_words_changes_what_was_noted(
    told: str, corrected: str, question: str, now: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in (told, corrected):
            await memory.chat.reply(EMI.thread("t-1"), text)
        assert now in (await memory.chat.reply(EMI.thread("t-2"), question)).reply.text


@pytest.mark.parametrize(
    ("told", "question", "other"),
    [
        ("hablo quechua", "¿hablo quechua?", "¿toco la quena?"),
        ("tengo perro", "¿tengo perro?", "¿tengo gato?"),
        ("tenho diabetes", "tenho diabetes?", "tenho asma?"),
        ("i have a dog", "do i have a dog?", "do i have a horse?"),
    ],
)
async def test_what_was_told_in_the_words_of_the_question_is_quoted(told: str, question: str, other: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.chat.reply(EMI.thread("t-1"), told)
        assert told in (await memory.chat.reply(EMI.thread("t-1"), question)).reply.text
        assert told in (await memory.chat.reply(EMI.thread("t-2"), question)).reply.text
        assert told not in (await memory.chat.reply(EMI.thread("t-3"), other)).reply.text.partition(":")[2]


async def test_who_asks_for_everything_gets_more_than_the_nearest_memories() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for thing in ("tea", "chess", "rain", "jazz", "maps", "trains", "soup", "moss", "kites", "lakes", "wool"):
            await memory.chat.reply(EMI.thread("t-1"), f"I love {thing}.")
        reply = (await memory.chat.reply(EMI.thread("t-2"), "What do you know about me?")).reply.text
        assert all(thing in reply for thing in ("tea", "chess", "moss", "wool"))


@pytest.mark.parametrize(
    ("text", "question", "heard"),
    [
        ("en Guadalajara, bueno en Zapopan", "¿Dónde vives?", ["Zapopan"]),
        ("a bearded dragon named Kevin", "Do you have any pets?", ["Kevin"]),
        ("si, 2 gatas, la mota y la nube", "¿Tienes mascotas?", ["mota y la nube"]),
        ("Quito", "Me dijiste: «¿dónde vives?».", []),
    ],
)
def test_an_answer_is_heard_with_the_question_of_the_assistant_and_not_with_a_quoted_one(
    text: str, question: str, heard: list[str]
) -> None:
    assert [fact.value for fact in listen(text, question).facts] == heard
