"""Portuguese, of Brazil and of Portugal."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.detectors import readers as read
from recuerdo.memories.detectors.language import Language, cue, pattern
from recuerdo.memories.detectors.lexicon.dates import WHEN
from recuerdo.memories.detectors.lexicon.households import ANIMALS, RELATIVES
from recuerdo.memories.detectors.words import vocabulary

_INFIX = r"(?: (?:agora|atualmente|hoje|tambem|so|desde \w+|ha \w+ (?:anos?|meses)|aqui|sempre))?"
_WORK = rf"(?:trabalho|trampo|estou (?:trabalhando|a trabalhar)|to trabalhando|tou a trabalhar){_INFIX}"
_IN = r"(?:na|no|nas|nos|em|numa|num|para a|para o|para|pra|pro)"
_STARTED = r"(?:comecei|entrei|fui contratad[oa]|acabei de (?:comecar|entrar))(?: a trabalhar)?"
_LIVE = (
    rf"(?:(?:moro|vivo|resido|estou (?:morando|a viver|a morar|vivendo)|to morando|moramos|vivemos){_INFIX}"
    r" (?:em|no|na|nos|nas)"
    r"|(?:me mudei|mudei-me|mudei|acabei de (?:me mudar|mudar-me)) (?:para|pra|pro)(?: o| a)?)"
)
_BETWEEN = r"(?: (?!(?:em|no|na|e|nem|mas|moro|vivo|trabalho|nao|que)(?!\w))\w+){1,4}?"
_MUCH = r"(?: (?:muito|bastante|tambem|demais|imenso))?"
_MY = r"(?:o |a |os |as )?(?:meu|minha|meus|minhas)"

_FORGETTABLE: dict[Attribute, str] = {
    "name": "nome",
    "phone": "telefone|celular|telemovel|numero|whatsapp|zap",
    "email": "e-?mail|correio",
    "city": "cidade|morada|endereco",
    "employer": "trabalho|empresa|emprego",
    "birthday": "aniversario|niver|data de nascimento",
}

PORTUGUESE = Language(
    cues=(
        cue(
            read.known_name,
            r"(?:me chamo|chamo-me)",
            rf"{_MY} (?:nome(?: completo)?|apelido) e",
            r"(?:pode|podes|podem) (?:me chamar|chamar-me|me tratar|tratar-me)(?: de| por)?",
            r"(?:me chame|me chama|chama-me|chame-me)(?: de)?",
        ),
        cue(read.likely_name, r"sou(?: o| a)?", r"(?:aqui )(?:e|fala)(?: o| a)?", r"me chamam(?: de)?", r"chamam-me"),
        cue(
            read.employer,
            rf"{_WORK} {_IN}",
            rf"{_STARTED} {_IN}",
            r"fui contratad[oa] (?:pela|pelo)",
            r"sou (?:funcionari[oa]|empregad[oa]|contratad[oa]) (?:da|do|de|na|no)",
        ),
        cue(read.plainly(read.employer), rf"{_WORK}{_BETWEEN} {_IN}"),
        cue(
            read.own_company,
            rf"{_MY} (?:empresa|companhia|empregador|firma)(?: atual)? (?:e|se chama|chama-se)(?: a| o)?",
            r"a (?:empresa|companhia|firma) (?:onde|em que|na qual|para a qual) (?:eu )?trabalho (?:e|se chama"
            r"|chama-se)(?: a| o)?",
        ),
        cue(
            read.role,
            rf"{_WORK} como",
            r"(?:eu )?atuo como",
            r"exerco (?:a profissao )?(?:como|de)",
            rf"{_MY} (?:profissao|cargo|ocupacao|funcao|posto)(?: atual)? e(?: o| a)?(?: de)?",
        ),
        cue(read.occupation, rf"{_WORK}{_BETWEEN} (?:de|como)"),
        cue(
            read.occupation,
            r"sou(?: o| a| um| uma)?",
            rf"{_WORK} de",
            rf"{_MY} trabalho e(?: de)?",
            r"trabalho com",
            r"me formei em",
        ),
        cue(
            read.unit("department"),
            rf"{_MY} (?:departamento|area|setor|sector|gerencia)(?: na empresa| de trabalho)? (?:e|se chama"
            rf"|chama-se)(?: o| a)?",
            rf"(?:{_WORK}|estou|sou|faco parte) (?:no|na|do|da|em|de) (?:departamento|area|setor|sector)",
            r"trabalho com(?= (?:vendas|marketing|logistica|financas|recursos humanos|rh|ti)(?!\w))",
        ),
        cue(
            read.unit("team"),
            rf"{_MY} (?:equipe|equipa|time|squad)(?: de trabalho)? (?:e|se chama|chama-se)(?: o| a)?",
            rf"(?:{_WORK}|estou|sou|faco parte) (?:no|na|do|da|em|de) (?:equipe|equipa|time|squad)",
        ),
        cue(read.sure_city, rf"(?:moro|vivo|resido|moramos|vivemos){_BETWEEN} (?:em|no|na)"),
        cue(read.city, _LIVE, rf"{_MY} cidade e", r"(?:moro|vivo) e (?:trabalho|estudo) (?:em|no|na)"),
        cue(
            read.email,
            rf"{_MY} (?:\w+ )?(?:e-?mail|correio eletronico|correio|endereco de e-?mail)"
            r"(?: [a-z]+(?![\w@.+-]))?(?: e)?",
            r"(?:me escreva|escreva-me|escreve-me|me escreve|me mande um e-?mail|manda-me um e-?mail|contacte-me"
            r"|me contate) (?:em|no|para|pelo|para o)",
        ),
        cue(
            read.phone,
            rf"{_MY} (?:\w+ )?(?:numero|telefone|celular|telemovel|cel|tel|whatsapp|zap|contato|contacto)"
            rf"(?: de (?:telefone|celular|telemovel|whatsapp|contato))?(?: [a-z]+(?![\w@.+-]))?(?: e)?(?: o)?",
            r"(?:me ligue|me liga|liga-me|ligue-me) (?:no|para o|para)",
        ),
        cue(
            read.birthday,
            rf"{_MY} (?:aniversario|niver|anos|data de nascimento) (?:e|sao|cai)",
            r"(?:faco anos|faco aniversario|nasci)",
        ),
        cue(
            read.tongue,
            r"(?:eu )?(?:falo|domino)",
            rf"{_MY} (?:idioma|lingua)(?: (?:nativ[oa]|matern[oa]|principal))? e(?: o)?",
        ),
        cue(
            read.named("family"),
            rf"{_MY} {RELATIVES}(?: \w+)? (?:se chamam?|chamam?-se)",
            rf"(?:tenho|temos) (?:uma?|\w+) {RELATIVES}(?: \w+)? (?:que se chamam?|chamad[oa]s?|de nome)",
        ),
        cue(read.counted("family"), rf"(?:tenho|temos) (?=(?:uma?|dois|duas|tres|quatro|cinco|\d) {RELATIVES}(?!\w))"),
        cue(
            read.named("pet"),
            rf"{_MY} {ANIMALS}(?: \w+)? (?:se chamam?|chamam?-se)",
            rf"(?:tenho|temos) (?:uma?|\w+) {ANIMALS}(?: \w+)? (?:que se chamam?|chamad[oa]s?|de nome)",
        ),
        cue(read.counted("pet"), rf"(?:tenho|temos) (?=(?:uma?|dois|duas|tres|quatro|cinco|\d) {ANIMALS}(?!\w))"),
        cue(
            read.undated,
            rf"(?:o |a |no |na |em |este |esta |para )?{WHEN},? (?:eu )?(?:vou|vamos|pretendo|planejo|planeio|quero)"
            r" (?=\w+r(?!\w)|me \w+r(?!\w)|\w+r-me)",
            rf"(?:o |a |no |na |em )?{WHEN},? (?:eu )?(?=(?:viajo|me caso|caso-me|me mudo|mudo-me|me aposento) )",
            rf"(?:o |a |no |na |em )?{WHEN},? tenho (?:uma? )?(?=(?:entrevista|exame|prova|voo|casamento|viagem"
            r"|consulta|cirurgia)(?!\w))",
        ),
        cue(
            read.dated,
            r"(?:eu )?(?:vou|vamos|pretendo|planejo|planeio|penso em|estou planejando|estou a planear|tenho planos de"
            r"|pretendemos|planejamos|o meu plano e|meu plano e) (?=\w+r(?!\w)|me \w+r(?!\w)|\w+r-me)",
            r"(?=(?:viajo|me caso|caso-me|vamos casar|me mudo|mudo-me|me aposento|vou de ferias) )",
            r"tenho (?=(?:uma? )?(?:entrevista|exame|prova|voo|casamento|viagem|consulta|cirurgia|mudanca|show)(?!\w))",
        ),
        cue(
            read.phrase("likes"),
            rf"(?:eu )?gosto{_MUCH}(?: mesmo)? (?:de|do|da|dos|das|d')",
            r"(?:adoro|amo|curto(?: muito)?|sou apaixonad[oa] por|sou (?:viciad[oa]|chegad[oa]) (?:em|num|numa))",
            r"sou (?:muito |super |grande )?(?:fa|amante|adepto|adepta|torcedor|torcedora) (?:de|do|da|dos|das)",
            rf"{_MY} \w+(?: \w+)? (?:favorit[oa]s?|preferid[oa]s?|predilet[oa]) (?:e|sao)",
        ),
        cue(
            read.phrase("dislikes"),
            r"(?:ja )?(?:nao|n) gosto(?: mais| nada| muito| la muito)? (?:de|do|da|dos|das)",
            r"(?:odeio|detesto|abomino|tenho horror a)",
            r"nao (?:suporto|aguento|tolero|curto)",
            r"nao sou (?:muito |la )?(?:fa|chegad[oa]|adept[oa]) (?:de|do|da|dos|das|em|a)",
        ),
        cue(
            read.preference,
            r"(?:eu )?prefiro",
            rf"{_MY} preferencia e",
        ),
        cue(
            read.instruction,
            r"sempre (?=(?:responda|responde|fale|fala|me responda|me trate|me chame|escreva|trate-me|trata-me)(?!\w))",
            r"(?=(?:responda|responde|fale|fala|responda-me|responde-me|me responda|escreva)(?: comigo)? sempre)",
        ),
        cue(
            read.everything,
            r"(?:lembre|lembra|lembre-se|lembra-te|lembrem-se|recorde|recorda|recorde-se|recorda-te|nao (?:se "
            r"|te )?(?:esqueca|esquecas)|nao esqueca"
            r"|tenha em (?:mente|conta)|tem em (?:mente|conta)|leve em conta|tome nota|toma nota|anote|anota|guarde"
            r"|guarda|memorize|memoriza"
            r"|registre|regista|fique sabendo|fica sabendo|saiba|quero que (?:saiba|saibas|lembre|se lembre"
            r"|te lembres))"
            r"(?: sempre| bem| ai| por favor)?(?: de)? que",
            r"(?:lembre-se|lembre|lembra-te|lembra|anote|anota|tome nota|memorize)(?: disso| disto| isso| ai"
            r"| por favor)?(?=:)",
            r"nao (?:se |te )?(?:esqueca|esquecas) (?:de |do |da )?(?=(?:meu|minha|o meu|a minha) )",
        ),
    ),
    denials=(
        cue(
            read.employer,
            rf"(?:(?:eu )?nao trabalho mais|deixei de trabalhar|(?:eu )?trabalhava|(?:eu )?trampava) {_IN}",
            r"(?:sai|pedi demissao|fui demitid[oa]|me demiti|demiti-me|despedi-me|fui despedid[oa]) (?:da|do|de)",
        ),
        cue(
            read.city,
            r"(?:(?:eu )?nao (?:moro|vivo) mais|deixei de (?:morar|viver)|(?:eu )?morava|(?:eu )?vivia|moravamos)"
            r" (?:em|no|na|nos|nas)",
            r"(?:me mudei|mudei-me|sai|fui embora) (?:de|da|do)",
        ),
        cue(read.occupation, r"(?:nao sou mais|deixei de ser|era)(?: uma?| o| a)?"),
        cue(read.phrase("likes"), r"(?:ja )?nao gosto mais (?:de|do|da|dos|das)"),
    ),
    gone=(
        (
            "employer",
            pattern(
                r"(?:nao trabalho mais|ja nao trabalho)(?=\W*(?:$|,|e |porque))",
                r"(?:fui demitid[oa]|fui despedid[oa]|me demiti|demiti-me|me aposentei|reformei-me)"
                r"(?=\W*(?:$|,|e |ontem|hoje|na semana|mes))",
                r"(?:fiquei|estou|to|ando) (?:sem (?:trabalho|emprego|trampo)|desempregad[oa])",
            ),
        ),
        (
            "pet",
            pattern(rf"(?:o meu|a minha|meu|minha) {ANIMALS}(?: \w+)? (?:morreu|faleceu)|nao tenho mais {ANIMALS}"),
        ),
        *(
            (
                attribute,
                pattern(
                    rf"(?:esqueca|esquece|esqueca-se d[oa]|apague|apaga|elimine|elimina|nao uso mais) (?:o |a )?"
                    rf"(?:meu|minha|esse|este) (?:\w+ )?(?:{nouns})"
                ),
            )
            for attribute, nouns in _FORGETTABLE.items()
        ),
    ),
    forget=pattern(
        r"(?<!nao\x20)(?<!nao\x20se\x20)(?<!nao\x20te\x20)(?:esqueca|esquece|esqueca-se de|apague|apaga) que"
    ),
    tails={
        "country": (cue(read.sure_city, r"em|no|na"),),
        "employer": (
            cue(read.role, r"como"),
            cue(read.occupation, r"(?:de|sou)"),
            cue(read.unit("department"), r"(?:no|na) (?:departamento|area|setor|sector)"),
            cue(read.unit("team"), r"(?:no|na) (?:equipe|equipa|time)"),
            cue(read.sure_city, r"em|no|na"),
        ),
        "job": (
            cue(read.unit("team"), r"(?:no|na) (?:equipe|equipa|time)"),
            cue(read.sure_city, r"em"),
            cue(read.employer, r"na|no|em|para a|para o|para|pra"),
            cue(read.company, r"da|do|de"),
            cue(read.sure_city, r"em|no|na"),
        ),
        "department": (cue(read.own_company, r"da|do|de|na|no|em"),),
        "team": (cue(read.own_company, r"da|do|de|na|no|em"),),
        "name": (cue(read.occupation, r"(?=\w)(?:(?:uma?|o|a)(?= ))?"),),
    },
    articles=vocabulary("o a os as"),
    joiners=vocabulary("e ou nem"),
    links=vocabulary("de do da dos das d'"),
    stops=vocabulary("""
        em no na nos nas num numa como desde ate ha com sem por pelo pela para pra pro que quem onde quando quanto
        embora porque
        mas se é enquanto entao assim agora hoje atualmente tambem alem pois ja e_que sou es sao era foi estou esta
        estao estava
        tenho tem moro vivo trabalho me te lhe meu minha meus minhas teu tua seu sua eu nao ao aos a_partir antes depois
        ontem amanha aqui ali la sempre nunca so obrigado obrigada muito muita prazer chamo gosto quero preciso procuro
        posso pode podes faz fica sobre contra entre durante falo estudo perto junto numas nuns apenas desculpa oi ola
    """),
    breaks=vocabulary("porque mas embora senao entao obrigado obrigada"),
    turns=vocabulary("que desde quando enquanto onde ha moro trabalho sou é por_isso"),
    starters=vocabulary("""
        eu me meu minha meus minhas nao ja moro vivo trabalho trampo sou estou tenho quero queria preciso procuro
        estudo prefiro odeio
        amo detesto adoro nasci tambem agora alem pode podes poderia voce voces tu te se era foi vou faco jogo toco falo
        uso ando venho acho sinto por para quando como onde que quem nos nosso nossa seu sua ele ela eles mas embora
        depois entao
        nunca sempre ontem hoje amanha obrigado obrigada mais menos em com sem gosto curto espero penso lembre lembra
        ajuda ajude resido chamo chamo-me faz temos moramos gostaria mora trabalha estuda um_dia desde ha meus e
    """),
    fillers=vocabulary("""
        muito bastante tambem demais imenso tanto nada sempre agora atualmente obrigado obrigada kkk kkkk kk rs rsrs
        haha ne
        mesmo viu ta hoje ainda especialmente principalmente pra caramba favor por sobretudo mais ok ai
    """),
    vacuous=pattern(
        r"\W*(?:que|como|quando|quanto|onde|quem|se|isso|isto|assim|aquilo|esse|essa|esses|essas|este|esta|estes"
        r"|estas|aquele|aquela"
        r"|disso|disto|desse|dessa|deste|desta|daquilo|algo|tudo|nada|voce|voces|ti|te|a ideia|ideia|a proposta"
        r"|proposta|(?:da )?(?:sua|tua) \w+|(?:do )?(?:seu|teu) \w+|e|é|sao|era|foi"
        r"|pensar que|achar que|nao|meu|minha|meus|minhas|a|o que|mais|menos|(?:o |a )?(?:primeir[oa]|segund[oa]"
        r"|terceir[oa]|ultim[oa]|outr[oa])"
        r"|ambos|ambas|ou|mas|porque|ser|estar|dizer|incomodar)(?![\w'-]).*"
    ),
    blockers=pattern(
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
        r"(?:por que|porque sera que|como|onde|qual|quem|sera que)(?: e que)?(?: eu)?\s*$",
        r"sera que",
    ),
    reports=pattern(
        r"(?:disse|diz|dizem|disseram|dizia|acha que|acham que|pensa que|pensam que|segundo|perguntou|perguntam?"
        r"|respondeu|contou que|conta que"
        r"|afirma|afirmou|escreveu|mentiu|inventou|gritou|canta|a frase)(?!\w)",
    ),
    negations=pattern(
        r"nao", r"nunca", r"jamais", r"tampouco", r"nem", r"sem", r"duvido que", r"e mentira que", r"deixei de"
    ),
    nouns=pattern(
        r"(?:o|um|meu|teu|seu|do|ao|este|esse|esta|outro|de|muito|bom|novo|com|sem|por|procuro|procurando|procurar"
        r"|ha|conseguir|encontrar|ter|tenho|tive"
        r"|quero|consegui|arranjei|cada|qualquer|algum|nenhum|mais|ele|ela|quem|ninguem|pelo|no|num"
        r"|(?:o|algo|alguem|coisas?|pessoa|gente|os|as|a|unico|unica|tudo) que(?: (?:eu|mais|eu mais))?)\s*$"
    ),
)
