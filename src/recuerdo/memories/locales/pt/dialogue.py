"""Patterns that depend on earlier statements: answers, corrections, returns, endings and relatives."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import Dialogue, not_so, opening, pattern, swap
from recuerdo.memories.extraction.lexicon.households import ANIMALS, RELATIVES

_THING = r"(?:(?:o|a|os|as|meu|minha|um|uma|ao|de|do|da|dos|das) )*(?P<value>[^,.;:!?|]{2,60})"
_BESIDE = "e|mas|porque|entao|ha|faz|quando|desde|em|no|na"
_SOMEBODY = rf"(?:(?:o|a) )?(?P<value>(?:(?! (?:{_BESIDE}) )[^,.;:!?|]){{2,40}})"
_OWNED = (
    r"(?:(?:o|a|meu|minha|nosso|nossa) )*(?P<value>[^,.;:!?|]{2,40}?)"
    r"(?=\s+(?:e|por|para|pra|mas|no|na|em|este|esse|faz|ha|ontem|tambem)(?!\w)"
    r"|[,.;:!?|]|$)"
)

_DIED = (
    r"(?:(?:estirou|esticou) a canela|bateu as botas|abotoou o paleto|virou (?:uma )?estrelinha|foi (?:pro|para"
    r" o) (?:ceu"
    r"|beleleu)|(?:foi|passou) desta (?:pra|para) (?:uma )?melhor|foi de (?:arrasta|base)|descansou em paz"
    r"|(?:amanheceu|apareceu) mort[oa])"
)
_AT_LAST = (
    r"(?=\W*(?:$|[,.;:!?|])| (?:ontem|hoje|anteontem|faz|ha|semana|mes|ano|(?:no|na) (?:segunda|terca|quarta"
    r"|quinta|sexta"
    r"|sabado|domingo|dia|mes|ano|semana|noite)|nest[ea]|ess[ea]|ja|e|de repente"
    r"|para sempre|pra sempre)(?!\w))"
)
"""Words or an end that may follow the name of the dead, and not `se foi pro Rio`."""
_DEAD = r"(?:[oa] )?(?P<value>[^,.;:!?|\s]{2,20}(?: (?!(?:a|ao|com|de|em|no|na|pro|pra|para) )[^,.;:!?|\s]{2,20}){0,2})"

DIALOGUE = Dialogue(
    lead=opening(
        r"(?:\W*(?:sim+|pois|bom|claro|eh|hum+|ah|ok|eu|agora|atualmente|tenho sim|sou sim|kkk+|e)(?!\w)[\s,.!]+)+"
    ),
    refusals=opening(r"\W*(?:nao|n|nunca|nenhum[a]?|nada|ninguem|por que|para que|prefiro nao)(?!\w)"),
    corrects=opening(
        r"\W*(?:(?:(?:ai|ah|nao|opa|ops|vixi|ixi|eita|putz)\b)?,?\s*(?:perdao"
        r"|desculpa|desculpe|digo|errei|enganei-me|me enganei"
        r"|(?:peco )?(?:perdao|desculpas?)|perdo[ea]|foi mal|me equivoquei|equivoquei-me|me corrijo"
        r"|correcao|corrigindo|corrijo|retifico|me confundi|confundi"
        r"|(?:escrevi|digitei|falei) errado"
        r"|quis dizer|quero dizer|quer dizer|ou melhor|ops|mentira|minto|zoeira)(?!\w)[\s,:.]*(?:que )?"
        r"(?:na verdade )?(?:e|era|quis dizer)?"
        r"|(?:nao,? )?melhor(?= (?:o|as?|no|na|dia) )"
        r"|(?:(?:ai|ah|opa|ops),? )?nao(?:,? (?:pera|espera|melhor))?,(?: (?:e|era|na verdade e))?"
        r"|(?:na (?:verdade|vdd|real)|(?:no|ao) fim|no final|alias|afinal)"
        r"(?:,? (?:e|sao|era|vai ser|ficou)| (?=(?:dia|no|na) ))"
        r"|na verdade,?(?= (?:o|a|meu|minha) ))(?!\w)\s*"
    ),
    restates=opening(
        r"(?:(?:que )?(?:eu )?(?:disse|falei) (?P<old1>[^,.;:!?|]{2,30}?),? (?:mas|e)(?: na verdade)? (?:e"
        r"|era)|(?:o|a|meu|minha) (?P<old2>[^,.;:!?|]{2,30}?) (?:e|era)) (?:(?:o|a|os"
        r"|as) )?(?P<value>[^,.;:!?|]{2,40})"
    ),
    moves=pattern(
        r"(?:(?:re)?marcaram|remarquei|passaram|mudaram|adiaram|atrasaram|anteciparam|(?:foi|esta) (?:adiad|remarcad"
        r"|mudad|antecipad|transferid|passad)[oa]|mudou|passou|ficou|atrasou)(?: [\w ]{1,30}?)"
        r"?? (?:pr[ao]s?|para)(?: [oa]s?)? (?P<value>[^,.;!?|]{2,40})"
    ),
    moves_house=opening(r"(?:mud|mov)\w"),
    dated=pattern(
        r"(?:(?:isso|aquilo|lance|negocio) d[aeo] |(?:o|a|os|as|meu|minha|nosso|nossa) )(?P<what>[^,.;:!?|]{2,40}?)"
        r"(?:,? (?:ja |foi |que |me )?(?:mud|pass|adi|antecip|remarc|transfer|troc)\w+(?: \w+){0,2})?,?"
        r" (?:(?:agora|ja|mas|que|na verdade) )?(?:e|eh|sao|sera|vai ser|fica|ficou|cai)"
        r"(?: (?:na verdade|agora|mesmo|so))?"
        r" (?P<value>(?:(?:o|a|no|na|dia|pra|para) ){0,3}[^\s,.;:!?|]{1,12}(?: de \w{3,12})?)(?=\W*(?:$|[,.;:!?|])"
        r"| (?:agora|agr|na verdade|e nao|nao|viu|ta)(?!\w))"
    ),
    updates=pattern(
        r"(?:agora|a partir de (?:hoje|agora)) (?:e|sao|sou)(?: o| a)? (?P<value>[^,;!?|]{2,60})",
        r"(?:(?:o )?meu |(?:a )?minha )?(?:nov[oa] \w+|mudei de \w+|troquei de \w+)(?:,| e|:"
        r"| para)+ (?:agora (?:e|tenho) )?(?:o |a )?"
        r"(?P<value>[^,;!?|]{2,60})",
    ),
    returns=pattern(
        r"(?:voltei|regressei|voltamos|regressamos|retornei|estou de volta|estamos de volta|de novo (?:moro"
        r"|trabalho))"
        r"(?: (?:a (?:morar|viver|trabalhar)|de novo|outra vez|hoje|ontem))* (?:a|ao|para|pra|pro|em|no"
        r"|na)(?: o| a)? "
        r"(?P<value>[^,.;:!?|]{2,40})"
    ),
    ends=(
        (
            ("employer", "studies"),
            pattern(
                rf"(?:deixei|larguei|abandonei|tranquei|desisti|sai|pedi demissao) (?!de ser)(?:de estudar )?{_THING}"
            ),
        ),
        (
            ("employer",),
            pattern(
                rf"(?:me (?:demitiram|despediram|mandaram embora)|(?:demitiram|despediram|mandaram)-me|fui (?:demitid"
                rf"|despedid|mandad|desligad)[oa](?: embora)?) d(?:e|o|a|os|as) {_THING}"
            ),
        ),
        (
            ("family",),
            pattern(
                rf"(?:(?:terminei|acabei|rompi|terminamos|acabamos) com|(?:me separei|separei-me|me divorciei"
                rf"|divorciei-me|larguei) d(?:e|o|a)|larguei [ao](?= \S+\W*$)) {_SOMEBODY}",
                r"(?P<value>[^,.;:!?|\s]{2,30}) e eu (?:terminamos|acabamos|rompemos|nos separamos|separamo-nos)",
                r"eu e (?:[oa] )?(?P<value>[^,.;:!?|\s]{2,30}) (?:terminamos|acabamos|rompemos|nos separamos)",
                r"(?P<value>[^,.;:!?|\s]{2,30}) (?:(?:me largou|me deixou|largou-me)(?= por |\W*$)"
                r"|(?:terminou|acabou) comigo)",
            ),
        ),
        (
            ("pet", "family"),
            pattern(
                rf"(?:morreu|faleceu|perdi|perdemos) {_SOMEBODY}",
                rf"(?:(?:a|o|minha|meu) )?(?:{ANIMALS} )?(?P<value>[^,.;:!?|\s]{{2,30}})(?: ja)? (?:morreu"
                rf"|faleceu|partiu|{_DIED})",
                rf"{_DIED} {_SOMEBODY}",
                rf"(?P<value>[^,.;:!?|\s]{{2,30}}) (?:se foi|nos deixou|descansou){_AT_LAST}",
                rf"(?:se foi|nos deixou) {_DEAD}{_AT_LAST}",
                rf"(?:tivemos|tive) (?:que|de) (?:sacrificar|eutanasiar) {_SOMEBODY}",
                r"(?P<value>[^,.;:!?|\s]{2,30}) (?:teve (?:que|de) ser|foi) (?:sacrificad|eutanasiad)[oa]",
            ),
        ),
        (
            ("pet",),
            pattern(
                r"(?:raposas?|gambas?|cachorros?|cao|caes|gaviao|cobra|onca|carro|caminhao) "
                r"(?:comeu|comeram|matou|mataram)(?: [oa])? (?P<value>[^,.;:!?|\s]{2,30})",
            ),
        ),
        (
            ("possession",),
            pattern(
                rf"(?:vendi|vendemos|(?:me )?(?:roubaram|furtaram|levaram)|dei|bati|me desfiz d[eoa]"
                rf"|ja nao tenho|nao tenho mais) {_OWNED}",
            ),
        ),
        (
            ("likes",),
            pattern(
                rf"(?:enjoei|cansei|enjoei-me|cansei-me|me cansei|fartei-me|me fartei|enchi o saco) {_THING}",
                rf"(?:ja )?nao (?:me interessa|curto) (?:mais )?{_THING}",
                r"ja nao (?P<value>[a-z]{3,12}o)(?!\w)",
                r"nao (?P<value>[a-z]{3,12}o) mais(?!\w)",
                r"(?:parei|deixei) de (?P<value>[a-z]{3,12}[aei]r)(?!\w)",
            ),
        ),
        (
            ("diet", "allergy", "health", "studies", "plan", "marital_status", "preference", "pet"),
            pattern(
                rf"(?:ja nao|deixei de) {_THING}",
                r"nao (?:\w+ ){0,3}?mais (?P<value>[^,.;:!?|]{2,40})",
                r"nao (?P<value>[^,.;:!?|]{2,40}?) mais(?=\W*$)",
            ),
        ),
        (
            ("plan",),
            pattern(
                rf"(?:cancelei|cancelamos|desmarquei|adiei|ja nao vou|nao vou mais) {_THING}",
                r"(?P<value>[^,.;:!?|]{2,40}?) (?:nao vai (?:mais )?(?:rolar|dar|acontecer)|furou|melou|miou"
                r"|foi (?:cancelad|suspens)[oa])",
            ),
        ),
    ),
    now_at=opening(
        r"[\s,;]*(?:(?:e|mas|que) )?(?:(?:agora|ja|hoje) )?(?:eu )?(?:to|tou|estou|ando|comecei|entrei|trabalho|trampo"
        r"|fui|passei)(?: (?:agora|ja|a|trabalhando|trabalhar|trampando|trampar))* (?:n[oa]s?|em|pr[oa]|para|com)(?= )"
    ),
    denied=not_so(
        r"\bnao (?:e|era|sao|se chama)(?: (?:o|a|os|as|uma?))*\s+",
        r"(?:e|sao|se chama)(?: na verdade)?",
        "o|a|os|as|uma?",
    ),
    swapped=swap(
        "troc(?:ou|aram|amos|ado)|troquei|mud(?:ou|ei|aram)|substitu(?:iu|iram|i)|larg(?:ou|aram)|larguei",
        "me|lhe|de|d[oa]s?|os?|as?|meus?|minhas?|seus?|suas?|uma?",
        "por|pel[oa]s?|para|pra|pro",
        links="e|mas",
    ),
    begins_no_value=word_set("""
        meu minha meus minhas seu sua de do da em que mentira verdade assim so apenas nao para por com outra outro algo
        muito mais menos tudo nada aqui ai hoje
    """),
    earns=opening(
        r"(?:trabalho|trabalhamos|trampo|atendo|ensino|leciono|vendo|dou aulas?"
        r"|(?:tenho|temos|abri|abrimos|montei|montamos)(?! (?:(?:minha|uma|a) )?(?:casa|ape|apartamento)))(?!\w)"
    ),
    inquires=opening(
        r"(?:e |mas |ei )?(?:me pergunto|(?:queria|quero|gostaria de) saber"
        r"|nao (?:me )?lembro (?:se|que|qual|quando|onde|como|quem))(?!\w)"
    ),
    about=opening(
        r"\W*(?:(?:tudo )?(?:o que|aquilo que|isso que) (?:eu )?(?:te |lhe )?(?:disse|contei|falei|mencionei|sabes?"
        r"|sabe)(?: te)? "
        r"(?:d(?:e|o|a|os|as)|sobre|acerca d(?:e|o|a))|tudo (?:sobre|d(?:e|o|a))|(?:isso|aquilo) d(?:e|o|a))(?!\w)\s*"
    ),
    mine=pattern(
        r"(?:(?:ao |a |o |os |as )?)(?<!d[oae]\x20)(?<!d[oa]s\x20)(?:meus?|minhas?|nossos?"
        rf"|nossas?) (?:querid[oa] )?(?P<who>{RELATIVES})"
        r"(?: (?:mais (?:velh[oa]|nov[oa])|cacula|do meio|gemeo|gemea))?"
    ),
    relative=pattern(rf"(?P<who>{RELATIVES})"),
    having=word_set("tenho temos tem gente casado casada com"),
    my="minha",
    yours=pattern(rf"(?:(?:o |a |os |as )?(?:teus?|tuas?|seus?|suas?)) (?P<who>{RELATIVES})"),
    called=opening(
        r"(?:\s*,\s*(?:(?:o|a|dona?|seu)\s+)?|\s+(?:(?:se )?chama(?:-se)?|e(?: o| a)?|chamad[oa])\s+"
        r"|\s+(?:(?:o|a|dona?|seu)\s+)?)"
    ),
    who=opening(r"(?:\s*,)?\s*(?:(?:que|quem)(?:,)?\s+)?(?:(?:tambem|agora|hoje|ainda|sempre|ja)(?= (?!nao))\s+)?"),
    denies=opening(r"(?:ja )?(?:nao|nunca) (?=\w)"),
)
