"""Words by which the readers find where a value begins and ends."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ReaderWords

READERS = ReaderWords(
    fused=word_set("del"),
    at=word_set("en"),
    places=word_set("en de"),
    of_employers=word_set("de del"),
    an=word_set("un una"),
    my=word_set("mi"),
    new=word_set("nuevo nueva"),
    lately=(
        r"ultimamente|(?:en |por )?estos dias|hoy en dia|de momento|con (?:toda (?:el|mi) alma"
        r"|todo mi corazon|locura|pasion)|a morir|a muerte|para nada|en (?:lo )?absoluto|un (?:monton|chingo"
        r"|huevo|toco|resto|kilo)|como no tenes idea|mas que a nada|por nada|de todo|que te nem \w+"
        r"|la verdad|sinceramente|para ser sincer[oa]|te digo|la neta"
    ),
    asks_assistant=word_set("que q ke"),
    people=word_set("gente personas"),
    so_much=word_set("tanto tanta tantos tantas"),
    consequences=word_set("asi_no asi_me asi_que asi_q asi_puedes asi_podes para_que pa_que pa_q"),
    without=word_set("sin nada"),
    vague=word_set("""
        ver verlo verte tentar intentar intentarlo pensar pensarlo probar hacerlo esperar decir decirte decirle
        avisar avisarte hablar hablarte llamar llamarte mandar mandarte mandarlo enviar enviarte preguntar contestar
        responder revisar revisarlo descansar dormir terminar terminarlo acabar seguir continuar
    """),
    errands=word_set("""
        mercado supermercado super tienda mandado banco farmacia oficina trabajo curro laburo chamba pega escuela
        colegio gym gimnasio cine casa cama bano
    """),
    reasons=word_set("por de"),
    before_time=r"el|la|los|las|en|para|dia|proxim[oa]|este|esta|a las",
    to_time=r"el|la|a|al|para|hasta|en|dia|este|esta",
    on_day=r"el|a|dia|en",
    first_day=r"primero",
    slang=word_set("""
        wey guey way compa carnal neta alv verdad posta che boludo boluda loco loca viste bo gurises po weon huevon
        cachai parce parcero marica ome vea pues nea mano tio tia macho chaval hostia joder eh vale oye mira chevere
        pana chamo causa pe brother bro xfa xfis porfa porfis plis ok okay oki
    """),
    times=word_set("semana mes ano finde verano ayer anteayer"),
    before_times=word_set("la el este esta ese esa a en pasado"),
    no_subject=word_set("""
        que como cuando donde cual el la los las lo un una este esta estos ese esa mi tu su si para con mucho poco
        en por se no todo toda cada opciones propuesta contrato caso tema casa
    """),
    not_eaten=word_set("""
        tu vos yo antes el la los las en se si nosotros ella ellos te me lo le solo muy bien mal todavia aun hoy
        ahora fuera aqui nada mas mucho tanto desde todo
    """),
    eats=word_set("como comer tomo tomar bebo beber consumo pruebo consumir come toma bebe tolero"),
    diet_leads=word_set("sin baja rica a"),
    strict=word_set("convencida convencido estricta estricto"),
    ages=word_set("edad"),
    parents=word_set("padre madre mama papa"),
    married_to=word_set("con a"),
)
