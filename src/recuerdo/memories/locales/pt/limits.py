"""The small words that values are cut by, and what takes a statement back."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import SentenceChecks, pattern

ARTICLES = word_set("o a os as")

JOINERS = word_set("e ou nem")

LINKS = word_set("de do da dos das d'")

STOPS = word_set("""
q pq tb tbm vc vcs qm cm d aki pra pro to tou n
        em no na nos nas num numa como desde ate ha com sem por pelo pela para pra pro que quem onde quando quanto
        embora porque
        mas se é enquanto entao assim agora hoje atualmente tambem alem pois ja e_que sou es sao era foi estou esta
        estao estava
        tenho tem moro vivo trabalho me te lhe meu minha meus minhas teu tua seu sua eu nao ao aos a_partir antes depois
        ontem amanha aqui ali la sempre nunca so obrigado obrigada muito muita prazer chamo gosto quero preciso procuro
        posso pode podes faz fica sobre contra entre durante falo estudo perto junto numas nuns apenas desculpa oi ola
    """)

BREAKS = word_set("porque mas embora senao entao obrigado obrigada")

TURNS = word_set("que desde quando enquanto onde ha moro trabalho sou é por_isso nao")

STARTERS = word_set("""
vc to tou n qro
        eu me meu minha meus minhas nao ja moro vivo trabalho trampo sou estou tenho quero queria preciso procuro
        estudo prefiro odeio
        amo detesto adoro nasci tambem agora alem pode podes poderia voce voces tu te se era foi vou faco jogo toco falo
        uso ando venho acho sinto por para quando como onde que quem nos nosso nossa seu sua ele ela eles mas embora
        depois entao
        nunca sempre ontem hoje amanha obrigado obrigada mais menos em com sem gosto curto espero penso lembre lembra
        ajuda ajude resido chamo chamo-me faz temos moramos gostaria mora trabalha estuda um_dia desde ha meus e
        padeco sofro torco durmo acordo bebo assisto leio escuto ouco pratico treino corro nado cozinho dirijo
    """)

FILLERS = word_set("""
        muito bastante tambem demais imenso tanto nada sempre agora atualmente obrigado obrigada kkk kkkk kk rs rsrs
        haha ne
        mesmo viu ta hoje ainda especialmente principalmente pra caramba favor por sobretudo mais ok ai
    """)

VACUOUS = pattern(
    r"\W*(?:(?:[oa]s )?(?:duas|dois|tres)\W*$|eso|esto|demais|cuando|que|como|quando|quanto|onde|quem|qm|se"
    r"|isso|isto|assim|aquilo|esse|essa|esses|essas|este|esta|estes"
    r"|estas|aquele|aquela"
    r"|disso|disto|desse|dessa|deste|desta|daquilo|algo|tudo|nada|voce|voces|vc|vcs|ti|te|a ideia|ideia"
    r"|a proposta"
    r"|proposta|(?:da )?(?:sua|tua) \w+|(?:do )?(?:seu|teu) \w+|e|é|sao|era|foi"
    r"|pensar que|achar que|nao|meu|minha|meus|minhas|a|o que|mais|menos|(?:o |a )?(?:primeir[oa]"
    r"|segund[oa](?!\W+feira)"
    r"|terceir[oa]|ultim[oa]|outr[oa])"
    r"|ambos|ambas|ou|mas|porque|ser|estar|dizer|incomodar)(?![\w'-]).*"
)

BLOCKERS = pattern(
    r"se (?:eu|um dia|por acaso|algum dia|voce)",
    r"se\s*$",
    r"como se",
    r"caso",
    r"quando",
    r"oxala",
    r"tomara",
    r"talvez",
    r"quem sabe",
    r"supondo",
    r"suponha\w*",
    r"imagin\w+",
    r"finj\w+",
    r"a menos que",
    r"ate que",
    r"(?:por que|porque sera que|como|onde|donde|qual|quem|sera que)(?: e que)?(?: eu)?\s*$",
    r"sera que",
)

REPORTS = pattern(
    r"(?:disse|diz|dizem|disseram|dizia|acha que|acham que|pensa que|pensam que|segundo|perguntou|perguntam?"
    r"|respondeu|contou que|conta que"
    r"|afirma|afirmou|escreveu|mentiu|inventou|gritou|canta|a frase|fal(?:a|am|ou|aram|ava) (?:assim|que))(?!\w)"
)

NEGATIONS = pattern(
    r"nao", r"nunca", r"jamais", r"tampouco", r"nem", r"sem", r"duvido que", r"e mentira que", r"deixei de"
)

NOUNS = pattern(
    r"(?:o|um|meu|teu|seu|do|da|ao|este|esse|esta|outro|de|muito|bom|novo|com|sem|por|procuro|procurando|procurar"
    r"|ha|conseguir|encontrar|ter|tenho|tive"
    r"|quero|consegui|arranjei|cada|qualquer|algum|nenhum|mais|ele|ela|quem|ninguem|pelo|no|num"
    r"|(?:o|algo|alguem|coisas?|pessoa|gente|os|as|a|unico|unica|tudo) que(?: (?:eu|mais|eu mais))?)\s*$"
)

_DOES = (
    r"(?:vive|mora|trabalha|e|esta|tem|estuda|nasceu|se chama|chama-se|(?:se )?mudou|casou|ganha|disse|diz|quer|prefere"
    r"|odeia|ama|adora|come|usa|fala|vivem|moram|trabalham|sao|estao|tem|era|foi|gosta|faz|vai|vem|fica|parece|costuma"
    r"|pode|deve|custa)"
)

HEARSAY = SentenceChecks(
    oneself=pattern(
        r"(?:eu|me|mim|meus?|minhas?|comigo|nos|noss[oa]s?|a gente|sou|estou|to|tenho|vou|vamos|\w+(?:amos|emos|imos)"
        r"|moro|vivo|trabalho|trampo|estudo|resido|uso|falo|como|faco|odeio|amo|prefiro|deixei|comecei|nasci|ando"
        r"|continuo|ganho|quero|preciso|venho|jogo|toco|posso|viajo|penso|detesto|adoro|gosto|curto|aqui|ca)"
    ),
    others=pattern(
        rf"(?:(?:o |a |os |as )?(?:meus?|minhas?|seus?|suas?|teus?|tuas?|nossos?|nossas?)|o|a|os|as|uma?|este|esta|esse"
        rf"|essa|aquel[ea]) (?:[\w-]+ ){{1,5}}?{_DOES}",
        rf"(?:ele|ela|eles|elas|alguem|quem|todos|qualquer um|[a-z]+ e [a-z]+) {_DOES}",
        r"(?:d[oae]|para o|para a|com o|com a) (?:meu|minha|seu|sua) (?:chefe|amig[oa]|vizinh[oa]|colega"
        r"|soci[oa]|client[ea]"
        r"|namorad[oa]|marido|mulher|irma|irmao|filh[oa]|mae|pai)",
    ),
    past=pattern(
        r"(?:vivia|vivi|morava|morei|trabalhava|trabalhei|era|fui|costumava|antes|antigamente|quando era|ex"
        r"|ha anos (?!que)|em (?:19|20)\d\d|me chamava|tinha|estive|estava|uma vez)"
    ),
    wishes=pattern(
        r"(?:quero|queria|gostaria|adoraria|poderia|penso|sonho|planejo|vou|ir (?:a|ao|para)|visit\w+|viaj\w+|passeio"
        r"|ferias|entrevista\w*|oxala|tomara|se (?:eu )?\w+(?:sse|ria)s?|\w{3,}ria[ms]?|talvez|quem sabe|imagin\w+"
        r"|supon\w+|como se)"
    ),
    over=pattern(
        r"(?:nao|nunca|deix\w+|larg\w+|termin\w+|acab\w+|atras|foi|fui|demiti\w+|despedi\w+|perd\w+|mud\w+|troc\w+"
        r"|adeus|ja era|morreu|faleceu|separ\w+|divorci\w+|vend\w+|cancel\w+|abandon\w+|esquec\w+|enjo\w+|cans\w+)"
    ),
)
