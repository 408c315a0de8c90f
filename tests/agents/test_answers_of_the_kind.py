"""An answer is of the kind that the question asks for, about the person whom it is about, and has not ended."""

from datetime import UTC, date, datetime

import pytest
from msgspec.structs import replace

from recuerdo.agents.offline.answers import answer
from recuerdo.agents.offline.conversation import EarlierMessage, OfflinePrompt
from recuerdo.agents.offline.ranking import find
from recuerdo.agents.prompts import Recalled
from recuerdo.core.memories import Attribute
from recuerdo.memories.extract import listen

TODAY = date(2026, 3, 2)
SAID = datetime(2026, 3, 1, 9, tzinfo=UTC)


def memory(attribute: Attribute, value: str, text: str, until: date | None = None) -> Recalled:
    return Recalled(f"{attribute}-{value}", text, attribute, value, SAID, until=until)


def replied(question: str, memories: list[Recalled], *said: str) -> str:
    passages = [EarlierMessage("user", text, SAID) for text in said]
    return answer(OfflinePrompt(question, memories=memories, passages=passages, today=TODAY))


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("¿Cuántos años tiene el loro?", memory("pet", "Doctor", "tengo un loro que se llama Doctor")),
        ("Quantos anos tem o papagaio?", memory("pet", "Doutor", "tenho um papagaio chamado Doutor")),
    ],
)
def test_a_question_for_a_number_is_not_answered_without_one(question: str, kept: Recalled) -> None:
    assert kept.text not in replied(question, [kept], kept.text)


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("¿Cuántos perros tengo?", memory("pet", "dos perros", "tengo dos perros")),
        ("Quantos gatos eu tenho?", memory("pet", "3 gatos", "tenho 3 gatos")),
        ("how old is my dog?", memory("pet", "Rex", "my dog Rex is eleven")),
    ],
)
def test_a_number_in_figures_or_words_answers_it(question: str, kept: Recalled) -> None:
    assert kept.text in replied(question, [kept], kept.text)


def test_several_that_are_named_can_be_counted() -> None:
    pets = [memory("pet", "Pip", "my cat Pip"), memory("pet", "Moss", "my dog Moss")]
    assert "Pip" in replied("how many pets do I have?", pets)


@pytest.mark.parametrize(
    ("question", "own", "of_relative"),
    [
        ("¿cuántos años tiene mi hija?", "tengo 62 años", "mi hija tiene 21 años"),
        ("quantos anos tem a minha filha?", "tenho 62 anos", "a minha filha tem 21 anos"),
        ("how old is my daughter?", "I am 62 years old", "my daughter is 21 years old"),
    ],
)
def test_the_age_of_the_user_is_no_age_of_a_relative(question: str, own: str, of_relative: str) -> None:
    alone = OfflinePrompt(question, [EarlierMessage("user", own)])
    assert find(alone, question, alone.locale()) is None
    both = OfflinePrompt(question, [EarlierMessage("user", own), EarlierMessage("user", of_relative)])
    found = find(both, question, both.locale())
    assert found
    assert found.quote.text == of_relative


@pytest.mark.parametrize(
    ("question", "name", "text"),
    [
        ("¿Qué deporte hago?", "Uxue", "Uxue hace escalada"),
        ("Que esporte eu faço?", "Yara", "Yara faz escalada"),
        ("Which sport do I do?", "Amani", "Amani has taken up swimming"),
    ],
)
def test_what_a_relative_does_is_no_sure_answer_about_the_user(question: str, name: str, text: str) -> None:
    said = [EarlierMessage("user", text)]
    prompt = OfflinePrompt(question, said, memories=[memory("family", name, f"{name} is family")])
    found = find(prompt, question, prompt.locale())
    assert found is None or not found.is_sure


@pytest.mark.parametrize(
    ("question", "job", "studies", "employer"),
    [
        ("en qué sitio laburo", "laburo de mozo", "hago la facu de noche", "en La Biela"),
        ("onde eu trampo", "trampo de motoboy", "faço facul de noite", "pro ifood"),
        ("which place do i work at", "i work as a cashier", "do uni at night", "at tesco"),
    ],
)
def test_a_message_is_not_quoted_by_what_still_holds_of_it_when_the_rest_has_ended(
    question: str, job: str, studies: str, employer: str
) -> None:
    name = employer.split(maxsplit=1)[1]
    memories = [
        memory("job", job.split()[-1], job),
        memory("studies", studies.split()[1], studies),
        memory("employer", name, f"{job} {employer}", until=TODAY),
    ]
    reply = replied(question, memories, f"{job} {employer}, {studies}")
    assert name not in reply or reply.startswith(("Antes, hasta", "Antes, até", "Before, until"))


def test_a_question_for_one_of_several_pets_is_answered_by_what_is_told_of_it() -> None:
    pets = [
        memory("pet", "Stroopwafel", "our two cats, Stroopwafel"),
        memory("pet", "Dennis", "Stroopwafel and Dennis"),
    ]
    reply = replied("which cat is black", pets, "Stroopwafel is the fat ginger one, Dennis is all black and hates me")
    assert "Dennis is all black" in reply


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("q me lesione", "me lesioné el hombro jugando a pala"),
        ("e a consulta de quinta", "a consulta de quinta é às 15h"),
    ],
)
def test_what_only_may_be_a_question_is_answered_where_something_answers_it(question: str, said: str) -> None:
    assert said in replied(question, [], said)


@pytest.mark.parametrize("text", ["my diabetes drug", "minha dose da losartana", "en q curso estoy"])
def test_what_is_only_asked_for_is_no_fact(text: str) -> None:
    assert listen(text).facts == []


def test_what_goes_on_about_a_relative_answers() -> None:
    told = "My son Daniel was withdrawn from school. he now keeps the books at a cement factory."
    reply = replied("Where does Daniel work?", [memory("family", "Daniel", "My son Daniel")], told)
    assert "keeps the books at a cement factory" in reply


def test_a_number_of_children_answers_how_many_there_are() -> None:
    assert "tengo 3 guaguas" in replied("cuantos hijos tengo", [], "vivo en Quito. tengo 3 guaguas")


@pytest.mark.parametrize(
    ("question", "told", "others"),
    [
        ("what's my wife called?", ["my wife Carol"], ["my wife and me have two kids, Tom and Lily"]),
        ("whats the missus's name", ["my wife Carol"], ["my brother Joe"]),
        ("who are my kids?", ["my son Tom", "my daughter Lily"], ["my wife Carol", "my brother Joe"]),
        ("¿Cómo se llaman mis hijos?", ["mi hijo Leo", "mi hija Ana"], ["mi esposa Carla"]),
        ("y mi esposa cómo se llama", ["mi esposa Carla"], ["tenemos dos hijos, Leo y Ana"]),
        ("qual o nome da minha mãe?", ["minha mãe, Dulce"], ["minha esposa Carla"]),
        ("quem é minha esposa", ["minha esposa Carla"], ["minha mãe, Dulce"]),
        ("quien es rubiel", ["mi hermano Rubiel"], ["mi hermana Yolima"]),
        ("quem é a Zilda?", ["minha mãe, Zilda"], ["minha irmã Cleide"]),
        ("who's Geraldine again?", ["my sister Geraldine"], ["my son Rory"]),
        ("cuántos hermanos tengo", ["mi hermano Rubiel", "mi hermana Yolima"], ["mi mamá, Graciela"]),
        ("quantos irmãos eu tenho?", ["meu irmão Jonas", "minha irmã Cleide"], ["minha filha Lívia"]),
        ("how many siblings have i got", ["my sister Geraldine", "my brother Tom"], ["my son Rory"]),
    ],
)
def test_a_question_for_relatives_is_answered_with_their_names(
    question: str, told: list[str], others: list[str]
) -> None:
    held = [memory("family", text.split()[-1], text) for text in (*others, *told)]
    said = replied(question, held, *told, *others)
    assert all(text in said for text in told)
    assert not any(text in said for text in others)


def test_the_name_of_a_relative_who_was_never_named_is_not_another_ones() -> None:
    held = [memory("family", "Carol", "my wife Carol")]
    assert "Carol" not in replied("what's my sister called?", held, "my wife Carol")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how old is Trev", "Me hubby Trev grows bananas, he's 61"),
        ("how old is my husband?", "Me hubby Trev grows bananas, he's 61"),
        ("how old is eli", "two boys, Owen 11 and Eli 7"),
    ],
)
def test_a_question_for_the_age_of_a_relative_is_answered_with_it(question: str, answer: str) -> None:
    trev, boys = "Me hubby Trev grows bananas, he's 61", "two boys, Owen 11 and Eli 7"
    held = [memory("family", "Trev", trev), memory("relative", "61", trev)]
    held += [memory(*each) for each in (("family", "Owen", boys), ("family", "Eli", boys))]
    held += [memory("relative", "11", boys), memory("relative", "7", boys)]
    assert replied(question, held, "We've been married 33 years", trev, boys) == f"You told me: «{answer}»."


def test_the_day_on_which_a_relative_was_told_of_is_no_beginning() -> None:
    held = [replace(memory("family", "Trev", "Me hubby Trev grows bananas"), since=TODAY)]
    assert "since" not in replied("how long have me and Trev been hitched", held, "Me hubby Trev grows bananas")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("sigo casada?", "con el gaston nos separamos, se fue a lo de la madre"),
        ("qual meu time?", "torço pro santa cruz"),
    ],
)
def test_what_no_memory_of_its_kind_tells_is_answered_with_the_nearest(question: str, said: str) -> None:
    assert said in replied(question, [], said)


def test_news_of_another_in_the_next_message_corrects_nothing() -> None:
    turns = [EarlierMessage("user", "ei, errei, a prova é dia 8", SAID)]
    turns.append(EarlierMessage("user", "thais saiu do atacadão, agora é recepcionista numa clínica no derby", SAID))
    said = answer(OfflinePrompt("quando é minha prova?", turns=turns, memories=[], today=TODAY))
    assert "thais" not in said
    assert "dia 8" in said


def test_the_team_that_is_cheered_for_answers() -> None:
    held = [memory("likes", "santa cruz", "torço pro santa cruz, sofro mas não largo")]
    assert "santa cruz" in replied("qual meu time?", held, "larguei o ifood, arrumei estágio no hospital")


def test_what_may_be_a_question_is_heard_where_nothing_answers_it() -> None:
    assert replied("bomba de seu manoel tá comigo", [], "moro em Gualtar") == "Entendi."
