"""Sentences that only the held memories explain: corrections, returns, endings and orders to forget; harmless ones."""

import time
from datetime import timedelta

import pytest

from recuerdo.adapters.local import LocalDatabase, LocalMemories
from recuerdo.core.memories import MemoryQuery, Source
from recuerdo.core.scope import Owner
from recuerdo.memories import Memories
from recuerdo.memories.extraction.context import hints
from recuerdo.memories.extraction.relatives import relation
from recuerdo.memories.extraction.statements import Statement
from recuerdo.memories.extraction.words import fold
from recuerdo.memories.forgetting import ToldMessage
from recuerdo.testing.clock import FakeClock

EMI = Owner("acme", "emi")
TOLD = (
    *("Vivo en Oberá", "Me mudé a Lima", "Tengo una perra que se llama Nina", "Mi novia se llama Paula", "Soy vegana"),
    *("Recuerda que mi talla de camisa es 44", "Recuerda que mi talla de zapato es 41", "Trabajo en Acme"),
    *("Tengo una hija que se llama Abril", "A mi hija Abril le encanta el ajedrez", "Me llamo Ana"),
)

NEXT = len(TOLD) + 1


@pytest.fixture
async def memories():
    """Of somebody who has told a few things in one thread."""
    made = Memories(LocalMemories(LocalDatabase()), None, FakeClock(tick=timedelta(seconds=1)))
    for seq, text in enumerate(TOLD, 1):
        await made.remember(EMI, text, Source(thread="t", seq=seq))
    return made


async def held(memories):
    return {(each.attribute, each.value) for each in await memories.list(EMI, MemoryQuery(limit=100))}


async def tell(memories, text, thread="t", seq=NEXT):
    return await memories.remember(EMI, text, Source(thread=thread, seq=seq))


@pytest.mark.parametrize(
    "text",
    [
        *("no, gracias", "no, Paula no viene", "No, en serio", "perdón, tengo otra pregunta", "no, María no puede"),
        *("no, hoy no", "ahora es tarde", "I'm back in five minutes", "volví a Cusco de paseo"),
        *("forget it", "olvídalo", "olvida el informe", "we lost Rex's lead", "se murió mi teléfono"),
        *("terminé con el informe", "dejé el paraguas en casa", "¿volví a Oberá?", "si terminara con Paula, lloraría"),
        *("mi amiga terminó con Paulina", "me cansé de esperar", "ya no hace frío", "cancelé la suscripción"),
        *("mi jefe dejó Acme", "¿Se murió Nina?", "no, el 4"),
    ],
)
async def test_what_is_about_something_else_leaves_all_as_it_is(memories, text):
    before = await held(memories)
    await tell(memories, text)
    assert await held(memories) == before


@pytest.mark.parametrize(
    ("text", "gone", "come"),
    [
        ("volví a Oberá", ("city", "Lima"), ("city", "Oberá")),
        ("la Nina murió", ("pet", "Nina"), None),
        ("terminé con Paula", ("family", "Paula"), None),
        ("corté con mi novia", ("family", "Paula"), None),
        ("ya no soy vegana", ("diet", "vegana"), None),
        ("dejé Acme", ("employer", "Acme"), None),
        ("me echaron de Acme", ("employer", "Acme"), None),
        ("perdón, Anabel", ("name", "Ana"), ("name", "Anabel")),
        ("olvida la talla de zapato", ("remember", "mi talla de zapato es 41"), None),
        ("olvida lo de mi hija", ("family", "Abril"), None),
    ],
)
async def test_what_is_over_ends_and_what_is_new_takes_its_place(memories, text, gone, come):
    before = await held(memories)
    remembered = await tell(memories, text)
    after = await held(memories)
    assert gone in before - after
    assert come is None or come in after - before
    assert [each.value for each in remembered.ended]
    await memories.undo(EMI)
    assert await held(memories) == before


async def test_an_order_to_forget_that_fits_several_forgets_none_and_returns_them(memories):
    before = await held(memories)
    remembered = await tell(memories, "olvida mi talla")
    assert await held(memories) == before
    assert sorted(each.value for each in remembered.asked) == [
        "mi talla de camisa es 44",
        "mi talla de zapato es 41",
    ]


async def test_a_correction_in_another_thread_or_long_after_corrects_nothing(memories):
    before = await held(memories)
    await tell(memories, "perdón, Anabel", thread="other")
    await tell(memories, "perdón, Anabel", seq=60)
    assert await held(memories) == before


async def test_a_correction_that_nothing_held_explains_tells_what_it_tells(memories):
    before = await held(memories)
    await tell(memories, "no, Madrid no me gusta")
    assert await held(memories) == before | {("dislikes", "Madrid")}


async def test_what_is_told_beside_a_relative_is_remembered_as_well(memories):
    await tell(memories, "mi hija se llama Sonia", seq=1)
    await tell(memories, "Sonia estudia medicina y yo trabajo en Telmex", seq=3)
    assert {("relative", "medicina"), ("employer", "Telmex")} <= await held(memories)


async def test_a_corrected_name_is_the_name_alone(memories):
    await tell(memories, "mi hermana se llama Rosa", seq=1)
    await tell(memories, "no, se llama Rita", seq=3)
    assert ("family", "Rita") in await held(memories)


async def test_a_new_partner_is_remembered_and_the_children_told_with_the_old_one_stay(memories):
    memories = Memories(LocalMemories(LocalDatabase()), None, FakeClock())
    await tell(memories, "my wife is Aoife and we've two lads, Cian is 9 and Oisin is 6", seq=1)
    await tell(memories, "my new wife is Sinead", seq=3)
    family = {value for attribute, value in await held(memories) if attribute == "family"}
    assert family == {"Cian", "Oisin", "Sinead"}


async def test_a_bare_answer_is_remembered_with_its_question():
    memories = Memories(LocalMemories(LocalDatabase()), None, FakeClock())
    [city] = await memories.remember(EMI, "en Lima", question="¡Hola! ¿Dónde vives?")
    assert (city.attribute, city.value, city.text) == ("city", "Lima", "¿Dónde vives? en Lima")
    assert await memories.remember(EMI, "en Cusco", question="¿Dónde queda Machu Picchu?") == []
    assert await memories.remember(EMI, "prefiero no decirlo", question="¿Cómo te llamas?") == []


async def test_an_ending_that_is_told_beside_a_plan_ends_what_is_held(memories):
    await tell(memories, "dejé Acme, empiezo en el Garrahan el lunes")
    assert ("employer", "Acme") not in await held(memories)


async def test_a_new_value_of_something_else_replaces_nothing(memories):
    await tell(memories, "the wifi at the new place is grizzlies2024")
    await tell(memories, "changed the wifi to titans99", seq=NEXT + 1)
    assert {("employer", "Acme"), ("name", "Ana")} <= await held(memories)


def test_a_gap_of_any_length_is_heard_as_one_space_and_takes_no_time():
    def heard(gap: str):
        said = f"no, it's moved{gap}to Leeds"
        return [*hints(Statement(said, fold(said)))]

    begun = time.perf_counter()
    assert heard(" \n" * 10_000) == heard(" ") != []
    assert time.perf_counter() - begun < 2  # the square of the gap is minutes


@pytest.mark.parametrize(
    ("told", "moved", "at"),
    [
        ("tengo cita con el dentista el 8 de marzo", "uy me equivoqué, es el 9", "cita con el dentista el 9 de marzo"),
        ("el examen es el 5 de mayo", "no, mejor el 14", "examen es el 14 de mayo"),
        ("la mudanza es el viernes", "al final es el sábado", "mudanza es el sábado"),
        ("tengo una reunión el jueves a las 10", "mejor el viernes", "reunión el viernes a las 10"),
        ("el viaje a Lisboa es el 3 de junio", "lo han pasado al 20", "viaje a Lisboa es el 20 de junio"),
        ("dia 13 tenho consulta com a dentista", "opa, errei, é dia 14", "consulta com a dentista dia 14"),
        ("a viagem pra Salvador é dia 3 de julho", "na vdd é dia 5", "viagem pra Salvador é dia 5 de julho"),
        ("tenho prova de matemática na sexta", "mudou pra segunda", "prova de matemática na segunda"),
        ("a festa é dia 5 de junho", "adiaram pra 12 de junho", "festa é dia 12 de junho"),
        ("we travel to Madeira on the 3rd of April", "I beg your pardon, it is the 5th.",
         "travel to Madeira on the 5th of April"),
        ("el 3 de abril viajo a Salta", "perdóneme, es el 5 que viajo", "viajo a Salta el 5"),
        ("viajo pra Lisboa no dia 9 de março", "foi mal, é dia 19 que eu viajo", "viajo pra Lisboa no dia 19 de março"),
        ("our trip to Rome is on June 3rd", "it got pushed to the 20th", "trip to Rome is on June 20th"),
        ("my driving test is on friday", "actually it's on monday", "driving test is on monday"),
        ("our wedding is on June 12th", "sorry, it's the 13th", "wedding is on June 13th"),
    ],
)  # fmt: skip
async def test_a_plan_moves_to_another_day_and_keeps_the_rest_of_its_time(memories, told, moved, at):
    await tell(memories, told)
    before = await held(memories)
    [plan] = [each for each in before if each[0] == "plan"]
    await tell(memories, moved, seq=NEXT + 2)
    assert await held(memories) - before == {("plan", at)}
    assert before - await held(memories) == {plan}


async def test_the_day_of_a_relative_moves_too(memories):
    await tell(memories, "my brother Trev is booked in for surgery at Cairns Base on the 14th of December")
    await tell(memories, "Hospital rang, the op's been bumped to the 17th", seq=NEXT + 2)
    days = {value for attribute, value in await held(memories) if attribute == "relative" and "1" in value}
    assert days == {"17th"}


@pytest.mark.parametrize(
    ("told", "news", "value", "text"),
    [
        (
            "my daughter Shane lives in Townsville",
            "she's moved to Cairns",
            "Cairns",
            "my daughter Shane's moved to Cairns",
        ),
        ("mi hermana Ana vive en Puebla", "y ella ahora vive en Cusco", "Cusco", "mi hermana Ana ahora vive en Cusco"),
        ("minha filha Bia estuda em Natal", "ela se mudou pra Recife", "Recife", "minha filha Bia se mudou pra Recife"),
        ("mi hermana vive en Puebla", "ella tiene 34 años", "34", "mi hermana tiene 34 años"),
    ],
)
async def test_a_pronoun_is_the_relative_of_whom_the_message_before_told(memories, told, news, value, text):
    await tell(memories, told)
    learned = await tell(memories, news, seq=NEXT + 2)
    assert [(each.value, each.text) for each in learned if each.attribute == "relative"] == [(value, text)]


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("my brother Tom is 34 and my sister Ana is 20", 2),
        ("my boss is a nightmare", 2),
        ("my daughter Shane lives in Townsville", 8),
    ],
)
async def test_a_pronoun_is_nobody_where_several_or_none_were_told_of_or_long_before(memories, told, later):
    await tell(memories, told)
    before = await held(memories)
    await tell(memories, "she's moved to Cairns", seq=NEXT + later)
    assert await held(memories) == before


async def test_a_pronoun_is_the_relative_whom_the_message_before_names(memories):
    await tell(memories, "my son Rhys lives in Bristol")
    before = ToldMessage("Rhys paid me 500 back yesterday", Source(thread="t", seq=NEXT + 8))
    text, source = "and hes moved to Cardiff", Source(thread="t", seq=NEXT + 10)
    learned = await memories.remember(EMI, text, source, earlier=[before])
    assert [(each.value, each.text) for each in learned] == [("Cardiff", "my son Rhys's moved to Cardiff")]


@pytest.mark.parametrize(
    ("text", "value", "kept"),
    [
        ("my mom lives with me. she's on insulin since august", "insulin", "my mom's on insulin"),
        ("mi hermana Lucía vive en Tarija. ella es dentista", "dentista", "mi hermana es dentista"),
        ("fui a ver a mi abuela. ella vive en Soria", "Soria", "mi abuela vive en Soria"),
        ("minha mãe, dona Zélia, mora comigo. ela é diabética", "diabética", "minha mãe é diabética"),
    ],
)
async def test_a_pronoun_is_the_relative_of_whom_the_sentence_before_told(memories, text, value, kept):
    await tell(memories, text)
    assert kept in [each.text for each in await memories.list(EMI, MemoryQuery(limit=100)) if each.value == value]


@pytest.mark.parametrize(
    "text",
    [
        "my sister met Bob. He lives in Troy",
        "my sister and my brother came over. She lives in Troy",
        "my boss was here. She lives in Troy",
    ],
)
async def test_a_pronoun_is_nobody_behind_a_sentence_about_others(memories, text):
    await tell(memories, text)
    kept = [each.text for each in await memories.list(EMI, MemoryQuery(limit=100))]
    assert not [each for each in kept if each.startswith("my") and each.endswith("lives in Troy")]


async def test_an_order_to_forget_where_a_relative_lives_leaves_what_else_the_sentence_told(memories):
    await tell(memories, "mi hermana Ana vive en Cusco y trabaja en el banco")
    await tell(memories, "olvida dónde vive mi hermana", seq=NEXT + 2)
    told = {value for attribute, value in await held(memories) if attribute == "relative"}
    assert "Cusco" not in told
    assert "banco" in told


async def test_what_moves_of_another_by_name_moves_no_day_of_a_relative(memories):
    await tell(memories, "a minha filha Matilde vem de férias dia 19 de julho")
    before = await held(memories)
    await tell(memories, "mudaram o ensaio do Simão pra segunda", seq=NEXT + 2)
    assert before <= await held(memories)


@pytest.mark.parametrize("text", ["O Josué se mudou pra Recife", "Josué mudou pra Recife", "Ana se mudó a Lima"])
async def test_another_who_moves_house_moves_no_plan_of_the_user(memories, text):
    await tell(memories, "vou me mudar pra Olinda em março")
    plans = {each for each in await held(memories) if each[0] == "plan"}
    assert plans
    await tell(memories, text, seq=NEXT + 2)
    assert {each for each in await held(memories) if each[0] == "plan"} == plans


@pytest.mark.parametrize("text", ["no, se llama", "perdón, se llama ", "sorry, her name is"])
async def test_a_correction_that_names_nothing_leaves_all_as_it_is(memories, text):
    await tell(memories, "tengo un gato que se llama Tom")
    before = await held(memories)
    await tell(memories, text, seq=NEXT + 2)
    assert await held(memories) == before


@pytest.mark.parametrize("text", ["no, mejor el azul", "perdón, 45", "opa, errei", "actually it's raining"])
async def test_what_names_no_day_moves_no_plan(memories, text):
    await tell(memories, "tengo dentista el jueves")
    before = {each for each in await held(memories) if each[0] == "plan"}
    await tell(memories, text, seq=NEXT + 2)
    assert {each for each in await held(memories) if each[0] == "plan"} == before


@pytest.mark.parametrize(
    "text",
    [
        *("la Nina la palmó ayer", "Nina estiró la pata", "se nos fue la Nina anoche", "se nos fue Nina al cielo"),
        *("a Nina bateu as botas", "a Nina virou estrelinha ontem", "a Nina se foi semana passada"),
        *("Nina had to be put to sleep", "a Nina la tuvimos que sacrificar", "a Nina teve que ser sacrificada"),
        *("Nina kicked the bucket last night", "Nina's gone over the rainbow bridge", "had to put Nina down"),
    ],
)
async def test_who_died_in_whatever_words_is_held_no_longer(memories, text):
    before = await held(memories)
    await tell(memories, text, thread="u")
    assert before - await held(memories) == {("pet", "Nina")}


@pytest.mark.parametrize(
    "text",
    [
        *("se nos fue Nina a casa de mi madre", "la Nina nos dejó la casa hecha un asco", "Nina no la ha palmado"),
        *("a Nina se foi pro quintal", "a Nina foi pro veterinário", "Nina's gone to the park"),
        *("si la palmara Nina, lloraría", "Nina didn't kick the bucket", "my phone's dead"),
    ],
)
async def test_who_only_went_is_held(memories, text):
    before = await held(memories)
    await tell(memories, text, thread="u")
    assert before <= await held(memories)


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("I am a solicitor and I work at Acme", "I have now retired from the practice altogether, as of last month."),
        ("I am a solicitor and I work at Acme", "I'm retired now"),
        ("trabajo de contador en Acme", "me jubilé en marzo"),
        ("trabajo de contador en Acme", "ya estoy jubilado"),
        ("sou professora na escola Rui Barbosa", "finalmente me aposentei!"),
        ("sou professora na escola Rui Barbosa", "já estou aposentada"),
    ],
)
async def test_who_has_retired_has_neither_an_employer_nor_a_job(told, text):
    memories = Memories(LocalMemories(LocalDatabase()), None, FakeClock(tick=timedelta(seconds=1)))
    await tell(memories, told, seq=1)
    assert {attribute for attribute, _ in await held(memories)} == {"employer", "job"}
    await tell(memories, text, thread="u")
    assert not await held(memories)


@pytest.mark.parametrize(
    "text",
    [
        *("my dad retired last year", "I retired my old laptop", "I retired from the team", "if I retired I'd travel"),
        *("mi viejo se jubiló", "no me jubilé", "quiero que me jubile la empresa", "meu pai se aposentou"),
    ],
)
async def test_who_has_not_retired_keeps_the_job(memories, text):
    before = await held(memories)
    await tell(memories, text, thread="u")
    assert before <= await held(memories)


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("We travel to Madeira on the 5th of April", "Madeira is off, I am afraid"),
        ("el 5 de abril viajamos a Salta", "lo de Salta se cayó"),
        ("viajo pra Lisboa no dia 9 de março", "Lisboa não vai mais rolar"),
    ],
)
async def test_a_plan_that_is_off_ends(told, text):
    memories = Memories(LocalMemories(LocalDatabase()), None, FakeClock(tick=timedelta(seconds=1)))
    await tell(memories, told, seq=1)
    assert {attribute for attribute, _ in await held(memories)} == {"plan"}
    await tell(memories, text, thread="u")
    assert not await held(memories)


async def told(*texts):
    made = Memories(LocalMemories(LocalDatabase()), None, FakeClock(tick=timedelta(seconds=1)))
    for seq, text in enumerate(texts, 1):
        await tell(made, text, seq=seq)
    return made


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("tenho uma CG 160 vermelha", "roubaram minha moto ontem mano"),
        ("me compré un gol trend", "vendí el auto"),
        ("ando en una kangoo del 2012", "me robaron la camioneta"),
        ("tengo un Versa blanco", "ya no tengo carro"),
        ("I drive a beat up F-150", "I sold my truck"),
        ("I have a 2015 Corolla", "my car got stolen"),
    ],
)
async def test_the_only_vehicle_ends_with_the_word_for_its_kind(text, over):
    memories = await told(text)
    assert {attribute for attribute, _ in await held(memories)} == {"possession"}
    await tell(memories, over, thread="u")
    assert not await held(memories)


@pytest.mark.parametrize(
    ("texts", "over", "left"),
    [
        (["tengo un gol trend y una honda wave"], "vendí la moto", {"gol trend", "honda wave"}),
        (["I've got a Trek bike and a Corolla"], "someone nicked my bike", {"Corolla"}),
        (["tengo un kiosco"], "vendí el auto", {"kiosco"}),
        (["I have a PS5", "I have a Fender guitar"], "I sold my bike", {"PS5", "Fender guitar"}),
        (["tenho um barco"], "roubaram meu carro", {"barco"}),
        (["I have a 2015 Corolla"], "my brother sold his car", {"2015 Corolla"}),
    ],
)
async def test_a_thing_that_may_be_no_such_vehicle_or_is_one_of_two_is_kept(texts, over, left):
    memories = await told(*texts)
    await tell(memories, over, thread="u")
    assert {value for attribute, value in await held(memories) if attribute == "possession"} == left


@pytest.mark.parametrize(
    ("text", "correction", "at"),
    [
        ("flying to Denver on May 3rd for my cousin's wedding", "my bad, the wedding's on the 10th, not the 3rd",
         "flying to Denver on May 10th for my cousin's wedding"),
        ("el viaje a Salta es el 3 de mayo", "perdón, el viaje es el 10, no el 3", "viaje a Salta es el 10 de mayo"),
        ("dia 20 de janeiro vou no show do Djonga", "opa errei, o show é dia 27, não dia 20",
         "dia 27 de janeiro vou no show do Djonga"),
    ],
)  # fmt: skip
async def test_a_correction_that_names_what_it_denies_corrects_it_in_any_thread(text, correction, at):
    memories = await told(text)
    await tell(memories, correction, thread="u")
    assert {value for attribute, value in await held(memories) if attribute == "plan"} == {at}


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Fiona has two boys: Hamish, who is nine, and Rory, who is six", "my boy"),
        ("tenemos una nena, Zoé", "mi nena"),
        ("temos três filhas", "minha filha"),
    ],
)
def test_a_relative_is_called_in_the_language_of_the_sentence(text: str, who: str):
    assert relation(text) == who
