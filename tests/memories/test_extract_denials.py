"""Denials by users: they can end only facts that were known."""

import pytest

from recuerdo.memories.extract import listen

ENDED = [
    ("Ya no trabajo en Globant", "employer", "Globant"),
    ("Ya no laburo en Globant, arranqué en Despegar", "employer", "Globant"),
    ("Renuncié a Accenture", "employer", "Accenture"),
    ("Me echaron de Rappi la semana pasada", "employer", "Rappi"),
    ("Dejé de vivir en Bogotá", "city", "Bogotá"),
    ("No vivo en Madrid, vivo en Getafe", "city", "Madrid"),
    ("Ya no me llamo Ana", "name", "Ana"),
    ("Olvida que vivo en Lima", "city", "Lima"),
    ("Ya no trabajo", "employer", None),
    ("Me quedé sin trabajo", "employer", None),
    ("Olvida mi teléfono", "phone", None),
    ("Ya no hablo francés", "language", "francés"),
    ("Não moro mais em Curitiba", "city", "Curitiba"),
    ("Já não trabalho na Sonae", "employer", "Sonae"),
    ("Saí da Petrobras", "employer", "Petrobras"),
    ("Fui demitida do Itaú", "employer", "Itaú"),
    ("Fiquei desempregado", "employer", None),
    ("Esquece o meu telemóvel", "phone", None),
    ("Não gosto mais de futebol", "likes", "futebol"),
    ("I don't live in Boston anymore", "city", "Boston"),
    ("I no longer live in Bath", "city", "Bath"),
    ("I left Google last year", "employer", "Google"),
    ("I got laid off from Meta", "employer", "Meta"),
    ("I quit my job", "employer", None),
    ("Forget my phone number", "phone", None),
    ("Forget that I live in Austin", "city", "Austin"),
    ("I no longer like coffee", "likes", "coffee"),
    ("Olvídalo todo", None, None),
    ("Borrá todo lo que te conté", None, None),
    ("Borra todo", None, None),
    ("apaga tudo que te contei", None, None),
    ("quero que você esqueça tudo", None, None),
    ("pode apagar tudo que sabe de mim?", None, None),
    ("Please delete everything", None, None),
    ("Olvida todo lo que sabes de mí, por favor", None, None),
    ("Borra mis datos", None, None),
    ("Esqueça tudo", None, None),
    ("Esqueça-se de mim", None, None),
    ("Forget everything", None, None),
    ("Please forget everything you know about me.", None, None),
    ("Delete all my data", None, None),
    ("Olvida dónde vivo", "city", None),
    ("Olvida mi nombre y mi cumpleaños", "birthday", None),
    ("Quiero que olvides qué idiomas hablo", "language", None),
    ("Esqueça onde moro", "country", None),
    ("Esquece onde trabalho", "employer", None),
    ("Forget where I live", "city", None),
    ("Forget my job", "job", None),
    ("Forget what I like, please", "likes", None),
    ("¿Podrías olvidar dónde vivo?", "city", None),
    ("Hola, ¿puedes olvidarlo todo, por favor?", None, None),
    ("Você pode esquecer onde moro?", "city", None),
    ("Pode apagar meus dados?", None, None),
    ("Can you forget my name and my birthday?", "birthday", None),
    ("Could you please delete all my data?", None, None),
    ("Mi hermana ya no vive en Bogotá", "relative", "Bogotá"),
    ("O meu pai já não mora em Braga", "relative", "Braga"),
    ("My sister no longer lives in Bath", "relative", "Bath"),
]
KEPT = [
    "¿Ya no trabajo en Globant?",
    "Si ya no trabajara en Globant, viajaría",
    "Mi jefa ya no vive en Bogotá",
    "Ella dijo que ya no vivo en Lima",
    "No olvides mi teléfono",
    "Se renunciasse à Petrobras, viajava",
    "O meu chefe já não mora em Braga",
    "Don't forget my phone number",
    "If I lost my job I'd travel",
    "My boss no longer lives in Bath",
    "She says I no longer work at Google",
    "Olvidé mi teléfono",
    "Mi jefe siempre olvida mi nombre",
    "Mi hermana dijo: olvida todo",
    "No quiero que olvides dónde vivo",
    "Olvida todo lo que te dije sobre el proyecto",
    "Não esqueça onde moro",
    "People forget my name",
    "Don't forget everything I told you",
    "Forget everything except my name",
    "Could you not forget my name?",
    "Can you delete the file that I sent?",
    "I want to know whether you can forget my name",
    "Quiero viajar y olvidar mi trabajo",
    "¿Puedes olvidar?",
    "Trabajo en Acme y vivo en Lima",
]


@pytest.mark.parametrize(("text", "attribute", "value"), ENDED)
def test_what_is_so_no_longer_is_heard(text, attribute, value):
    heard = listen(text)
    assert (attribute, value) in [(denial.attribute, denial.value) for denial in heard.denials]
    assert attribute not in [fact.attribute for fact in heard.facts if fact.value == value]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_asked_supposed_or_said_of_others_ends_nothing(text):
    assert listen(text).denials == []


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("tirame una receta, pero sin queso que soy intolerante a la lactosa", "allergy", "lactosa"),
        ("no voy a la oficina porque vivo en Lima", "city", "Lima"),
        ("um bolo sem leite que eu sou intolerante à lactose", "allergy", "lactose"),
        ("não vou ao escritório pois moro em Natal", "city", "Natal"),
        ("a pasta recipe please, no cream since I'm lactose intolerant", "allergy", "lactose"),
        ("I don't go to the office because I live in York", "city", "York"),
    ],
)
def test_a_reason_for_what_is_denied_is_told_and_not_denied(text, attribute, value):
    heard = listen(text)
    assert (attribute, value) in [(each.attribute, each.value) for each in heard.facts]
    assert not heard.denials


@pytest.mark.parametrize(
    "text",
    ["it's not because I'm allergic to nuts", "no es porque soy alérgica al maní", "não é porque sou alérgica a nozes"],
)
def test_what_is_denied_as_a_reason_is_not_told(text):
    assert not listen(text).facts
