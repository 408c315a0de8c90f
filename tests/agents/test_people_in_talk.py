"""Talks as people have them: what is told of a relative by name, moved, corrected and sold is answered as it is now."""

import pytest

from recuerdo import Owner, Recuerdo

EMI = Owner("acme", "emi")


@pytest.mark.parametrize(
    ("said", "question", "right", "wrong"),
    [
        (["Mi marido se llama Jorge.", "Jorge es celíaco."], "¿Jorge es celíaco?", "celíaco", ""),
        (["My mom's name is Carol and she lives in Tampa."], "Where does my mom live?", "Tampa", ""),
        (["Hola, soy Mariela, de Rosario, pero vivo en Madrid."], "¿De dónde soy?", "Rosario", "Madrid"),
        (["Vivo en Madrid."], "¿De dónde soy?", "No lo sé", "Madrid"),
        (["Mi color favorito es el verde.", "perdón, el azul"], "¿Cuál es mi color favorito?", "azul", "verde"),
        (["My favorite color is teal and my favorite movie is Heat.", "Sorry, I said teal but it's really navy."],
         "What's my favorite color?", "navy", "teal"),
        (["Tenho uma reunião com a Patrícia na sexta às 10h.", "mudei de ideia, a reunião ficou pra quinta às 15h"],
         "Quando é a reunião com a Patrícia?", "15h", "10h"),
        (["I drive a 2015 Honda Civic.", "I sold the Civic and bought a Tesla."], "What car do I drive?",
         "I sold the Civic", "2015"),
        (["Tengo dos gatos, Michi y Luna."], "¿Cómo se llaman mis gatos?", "Michi y Luna", ""),
        (["Temos dois filhos, Miguel e Sofia.", "O Miguel estuda Engenharia.", "Corrijo: o Miguel estuda Arquitetura."],
         "O que estuda o Miguel?", "Arquitetura", "Engenharia"),
        (["my brother Joseph is a welder, he's 40", "my brother just turned 41"], "how old is Joseph", "41", "40"),
        (["el 20 operan a mi mamá de la cadera", "perdón, lo de la operación es el 27"], "¿cuándo operan a mi mamá?",
         "el 27", "20"),
        (["my niece starts at the kohanga on monday", "training got moved, its weds n fri now",
          "nah sorry she starts weds not mon"], "when does my niece start", "weds", "monday"),
        (["I live in Nairobi", "I run a practice in Nakuru"], "where do I live?", "Nairobi", "Nakuru"),
        (["Vivo en Lima.", "Tengo un taller en Puebla."], "¿Dónde vivo?", "Lima", "Puebla"),
        (["Moro em Lisboa.", "Abri um restaurante em Braga."], "Onde eu moro?", "Lisboa", "Braga"),
        (["I work at the Rusty Anchor", "got fired from the pub"], "where do i work?", "got fired", "Rusty Anchor"),
        (["vivo con mi polola, la javi, q estudia kine", "la javi cambio kine por enfermeria"], "q estudia la javi",
         "enfermeria", "q estudia kine"),
        (["tomo metformina", "O médico trocou a metformina por insulina, um horror"], "Que remédio eu tô tomando?",
         "insulina", "tomo metformina"),
        (["My sister Jean, who lives in Perth, is a potter.",
          "Jean has left Perth for Fremantle, where she has opened a gallery."],
         "Where does my sister live?", "Fremantle", "lives in Perth"),
        (["I work at Barclays"], "who do I bank with", "don't know for sure", "You work"),
        (["tomo losartan para la presion", "no tomo leche", "olvida lo del losartan"], "q remedio tomo",
         "No lo sé con certeza", "losartan"),
        (["mi vieja Norma tiene 71", "mi hermana Laura tiene 40"], "cuantos años tiene mi mama", "71", "40"),
        (["we live at 3 mill lane", "my sister Ann has two cats"], "whats my address", "3 mill lane", "cats"),
    ],
)  # fmt: skip
async def test_a_talk_is_answered_as_it_ended(said: list[str], question: str, right: str, wrong: str) -> None:
    """The question is asked in another thread, where only memories and passages can answer it."""
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in said:
            await memory.chat.reply(EMI.thread("t-1"), text)
        reply = (await memory.chat.reply(EMI.thread("t-2"), question)).reply.text
        assert right in reply
        assert not wrong or wrong not in reply


@pytest.mark.parametrize(
    ("said", "question", "right", "wrong"),
    [
        (["my locker is 118", "they moved me, it's 204 now"], "what number is my locker", "204", "118"),
        (["vivo en Iquitos", "ya nos mudamos, jr. Los Rosales lote 9, San Juan"], "cual es mi direccion",
         "jr. Los Rosales lote 9", "Iquitos"),
        (["my wife Sue is a nurse"], "am i married", "my wife Sue", "haven't"),
        (["i live in manchester", "actually leeds, moved last week lol"], "where do i live", "leeds", "manchester"),
        (["mi numero de casillero es el 118", "me lo cambiaron al 204"], "y mi casillero?", "204", "118"),
        (["Me mudei pra São Vicente.", "desculpa, na verdade é Praia Grande"], "Onde eu moro?", "Praia Grande",
         "Vicente"),
        (["Meu telefone é 41 98888-1212.", "Corrigindo: o número correto é 41 97777-3434."], "Qual é o meu telefone?",
         "97777", "98888"),
        (["My mother suffers from asthma."], "What illness do I have?", "I don't know", "asthma"),
        (["Llevo ya doce años dando clases."], "¿Cuántos años tengo?", "No lo sé", "doce"),
        (["queria morar na praia um dia"], "onde eu moro", "Não sei", "praia"),
    ],
)  # fmt: skip
async def test_within_a_talk_nothing_stale_and_nothing_of_others_is_stated(
    said: list[str], question: str, right: str, wrong: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in said:
            await memory.chat.reply(EMI.thread("t-1"), text)
        reply = (await memory.chat.reply(EMI.thread("t-1"), question)).reply.text
        assert right in reply
        assert wrong not in reply


@pytest.mark.parametrize(
    ("said", "question", "right"),
    [
        (
            [
                "vivo en el barrio Fisherton con mi marido Gustavo y los chicos",
                "tenemos una gata, Pelusa, y un canario que se llama Gardel",
            ],
            "¿Cómo se llama mi marido?",
            "Gustavo",
        ),
        (
            ["eu sou a Marlene, moro em Uberlândia e sou aposentada", "meu filho Juliano mora em Goiânia com a esposa"],
            "Onde é que o meu filho tá morando agora?",
            "Goiânia",
        ),
        (
            ["I work as a nurse at Leeds General", "my husband Emeka is a civil engineer"],
            "What's my husband's job again?",
            "civil engineer",
        ),
    ],
)
async def test_a_question_about_a_relative_is_answered_by_what_was_told_of_them(
    said: list[str], question: str, right: str
) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        for text in said:
            await memory.chat.reply(EMI.thread("t-1"), text)
        assert right in (await memory.chat.reply(EMI.thread("t-1"), question)).reply.text


@pytest.mark.parametrize(
    "text",
    [
        "Nobody I know is called Arjun. Arjun is allergic to shellfish.",
        "My boss said that my husband Arjun lives in Quito",
        "If I had a car I'd drive a Tesla",
        "they moved it to Friday at 10",
        "sorry, the green one",
    ],
)
async def test_what_nothing_explains_is_not_remembered(text: str) -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.chat.reply(EMI.thread("t-1"), text)
        assert not [each for each in await memory.user(tenant="acme", user="emi").list() if each.attribute]


async def test_news_of_a_relative_that_is_not_remembered_is_not_promised_to_be() -> None:
    async with Recuerdo.open("memory://", embeddings="none") as memory:
        await memory.chat.reply(EMI.thread("t"), "tenho dois irmãos, Jefferson, que mora em São Paulo, e Jaqueline")
        reply = await memory.chat.reply(EMI.thread("t"), "Jefferson voltou de SP e tá lá na casa de mãe desempregado")
        assert reply.memories_saved or "lembrar" not in reply.reply.text


@pytest.mark.parametrize(
    ("said", "question", "right"),
    [
        (["i have five nephews", "sorry, not five, six"], "how many nephews do i have?", "«i have six nephews»"),
        (["tenho três gatos", "desculpa, não são três, são quatro"], "quantos gatos eu tenho?", "«tenho quatro gatos»"),
        (["el 3 de mayo operan a mi padre", "no, el 3 no, el 5"], "¿qué día operan a mi padre?", "«el 5 de mayo"),
        (["I've got a 2008 Corolla", "sorry I said the Corolla is 2008, it's actually 2010"], "what year is my car?",
         "«I've got a 2010 Corolla»"),
    ],
)  # fmt: skip
async def test_a_corrected_memory_answers_in_place_of_the_correction(
    said: list[str], question: str, right: str
) -> None:
    async with Recuerdo.open("memory://") as memory:
        for text in said:
            await memory.chat.reply(EMI.thread("t-1"), text)
        assert right in (await memory.chat.reply(EMI.thread("t-1"), question)).reply.text


@pytest.mark.parametrize(
    ("said", "question", "right"),
    [
        (["tengo un perro que se llama Kaiser", "se murió Kaiser anoche"], "¿tengo perro?", "se murió Kaiser"),
        (["mi marido se llama Wilmer", "me casé en 2004", "dejé a Wilmer"], "estoy casada?", "dejé a Wilmer"),
        (["I'm an Arsenal fan", "I use Bolt for now"], "what's my football club", "You like Arsenal."),
        (["sou gremista desde pequeno"], "pra que time eu torço?", "gremista"),
        (["mi hermana Deisy trabaja en Lima", "Deisy se mudó pa Arequipa"], "¿dónde vive mi hermana?", "Arequipa"),
    ],
)
async def test_what_has_ended_or_is_named_otherwise_is_answered(said: list[str], question: str, right: str) -> None:
    async with Recuerdo.open("memory://") as memory:
        for text in said:
            await memory.chat.reply(EMI.thread("t-1"), text)
        assert right in (await memory.chat.reply(EMI.thread("t-1"), question)).reply.text
