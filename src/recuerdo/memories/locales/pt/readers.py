"""Words by which the readers find where a value begins and ends."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import ReaderWords

READERS = ReaderWords(
    fused=word_set("do da dos das"),
    at=word_set("em na no"),
    places=word_set("em de da do"),
    of_employers=word_set("de da do"),
    an=word_set("um uma"),
    my=word_set("minha"),
    new=word_set("novo nova"),
    lately=(
        r"ultimamente|hoje em dia|nos ultimos tempos|de momento|por enquanto|do fundo d\w+ \w+"
        r"|com todas as forcas|de paixao|de coracao|pra caramba|pra caralho|de morte|mais que tudo"
        r"|de jeito nenhum|por nada|de todo|a serio|que (?:te|vc|voce) nem \w+"
        r"|pra ser sincer[oa]|sinceramente|na moral|juro|de verdade"
    ),
    asks_assistant=word_set("que q"),
    people=word_set("gente pessoas"),
    so_much=word_set("tanto tanta tantos tantas"),
    consequences=word_set("entao_nao entao_n entao_me entao_evita entao_por pra_vc pra_voce para_que"),
    without=word_set("sem nada"),
    vague=word_set("""
        ver tentar pensar esperar avisar ligar falar te dizer mandar enviar perguntar responder checar olhar
        descansar dormir terminar acabar continuar
    """),
    errands=word_set("""
        mercado supermercado banco farmacia casa cama feira padaria shopping trabalho escritorio escola academia
        cinema banheiro loja
    """),
    reasons=word_set("por de pelo pela"),
    before_time=r"o|a|os|as|no|na|nos|em|para|pra|dia|proxim[oa]|este|esta",
    to_time=r"o|a|no|na|pro|pra|para|ate|em|dia|este|esta",
    on_day=r"no|em|a|dia|ao",
    first_day=r"primeiro",
    slang=word_set("""
        velho veio meu mina galera guri bo mano tche uai so ne tlg tlgd sabe viu blz beleza vlw valeu pfv pf ta aff
        mds pa fixe bue mesmo serio caraca ok okay
    """),
    times=word_set("semana mes ano verao ontem"),
    before_times=word_set("este esta a o na no em fim de passado passada"),
    no_subject=word_set("""
        que como quando onde qual o a os as um uma seu sua meu minha esse essa este esta se para com muito pouco no
        na em por todo toda cada contrato caso tema casa
    """),
    not_eaten=word_set("antes voce eu isso fora agora hoje bem muito todo dias noite se nada tanto"),
    eats=word_set("como comer tomo tomar bebo beber consumo consumir come toma bebe tolero"),
    diet_leads=word_set("sem baixa rica a"),
    strict=word_set("estrita"),
    ages=word_set("idade"),
    parents=word_set("pai mae"),
    married_to=word_set("com a"),
)
