"""Phrases that the cues are built of, as patterns."""

from recuerdo.memories.extraction.lexicon.months import MONTH

SINCE = (
    r"(?:desde|ha|faz|fazem|tem|vai fazer)(?: (?:ja|uns|umas|uma?|quase|mais de|cerca de|o|a|os|as|par de|pouco"
    r"|pouquinho"
    r"|muito|muito tempo|tempo|tempao|anos?|mes|meses|semanas?|dias?|passad[oa]|que|de|meio|e meio|\d+|dois|duas|tres"
    rf"|quatro|cinco|seis|sete|oito|nove|dez|quinze|vinte|sempre|crianca|pequen[oa]|{MONTH})(?!\w))+"
)

HERE = r"(?:aqui|ca|la|ali|por (?:aqui|ca))"

NOW = r"(?:agora(?: mesmo)?|atualmente|hoje(?: em dia)?|hj|neste momento|no momento|por enquanto|de momento)"

BARE = r"(?:^|(?<=[,;:]\s)|(?<=^e\s))"

INFIX = rf"(?:,? (?:{NOW}|{SINCE}|{HERE}|tambem|so|sempre|ja|ainda|com \w+ \w+|e estudo)(?!\w),?){{0,2}}"

WORKING = r"(?:trabalhando|trampando|a trabalhar|a bulir|a bulir)"

WORK = (
    rf"(?:trabalho|trampo|estou {WORKING}|ando {WORKING}|continuo {WORKING}"
    rf"|meu (?:trampo|trabalho|emprego) e|o meu (?:trabalho|emprego) e){INFIX}"
)

IN = r"(?:na|no|nas|nos|em|numa|num|para a|para o|para|pra|pro)"

STARTED = (
    r"(?:comecei|entrei|fui contratad[oa]|acabei de (?:comecar|entrar)|consegui (?:um )?(?:emprego|trampo|trabalho)"
    rf"|(?:arranjei|arrumei|descolei|encontrei|achei) (?:um )?(?:trabalho|emprego|trampo))"
    rf"(?: a trabalhar| a trampar)?{INFIX}"
)

LIVE = (
    rf"(?:(?:moro|vivo|resido|estou (?:morando|a viver|a morar|vivendo)|moramos|vivemos|a gente mora){INFIX}"
    r"(?: com (?:a |o |os |as )?(?:minha|meu|minhas|meus) \w+(?: \w+)?)? (?:em|no|na|nos|nas)"
    r"|(?:(?:acabei|acabamos) (?:me mudando|nos mudando|por me mudar|por nos mudar|vindo morar|indo morar)"
    r"|me mudei|mudei-me|mudei|a gente (?:se |ja )?mudou|mudamos|nos mudamos|mudamo-nos|acabei de (?:me mudar|mudar-me"
    r"|mudar)|vim morar|fui (?:morar|viver)|vou morar agora"
    rf"|vim viver)(?:,? (?:de novo|outra vez|de vez|mais uma vez))?{INFIX} (?:(?:de|do|da) \w+(?: \w+)? )?"
    r"(?:com (?:a |o |os |as )?(?:minha |meu |meus |minhas )?\w+(?: \w+)? )?"
    r"(?:para|pra|pro|p|em)(?: o| a)?"
    r"|(?:me mudei|mudei|mudamos|nos mudamos|a gente (?:se )?mudou)(?: de novo| outra vez| de casa)?,? (?:e )?agora "
    r"(?:a gente )?(?:(?:estou|estamos|to|tamo|ta|moro|moramos) )?(?:em|no|na))"
)

BETWEEN = r"(?: (?!(?:em|no|na|e|nem|mas|moro|vivo|trabalho|nao|que)(?!\w))\w+){1,4}?"

MUCH = (
    r"(?: (?:muito|bastante|tambem|demais|dms|dmais|imenso|bue|pra caramba|pra caralho|mesmo|pacas"
    r"|horrores)){0,2}"
)

MY = r"(?:o |a |os |as )?(?:meu|minha|meus|minhas)"

HAVE = r"(?:tenho|temos|a gente tem|nos temos|adotei|adotamos|(?:acabei|acabamos) de adotar|crio|ganhei|comprei)"

REACH = r"(?:escrev|mand|contat|contact|envi|pass|ach|encontr|cham|respond|procur|adicion|anot)"

UP_TO_ADDRESS = (
    r":?(?: (?!(?:nao|seu|sua|teu|d[oa]s?|chefe|ja)(?!\w)|de (?!contato|contacto|trabalho|sempre)"
    r"|d[oa] (?!trabalho|empresa"
    r"|trampo|servico))[\w:,/-]+){0,7}? (?=[\w.+-]+@\w)"
)
"""The few words between `meu email` or `me escreve` and the address, none of them another owner's."""

PLANNED = (
    r"(?:viajo|viajamos|me caso|caso-me|a gente casa|a gente se casa|nos casamos|casamo-nos|vamos casar|me mudo"
    r"|mudo-me|nos mudamos"
    r"|me aposento|reformo-me|vou de ferias|vamos de ferias|vou (?:pra|para|pro|a|ao|ate)|vamos (?:pra|para|pro"
    r"|a|ao) |me formo|formo-me"
    r"|comeco|comeco a|defendo|opero|corro|inauguro|abrimos|embarco|presto|entro de ferias|tiro ferias"
    r"|volto (?:pra|para)"
    r"|a gente (?:vai|viaja)|viajarei|irei)(?!\w)"
)

BUSINESS = (
    r"(?:empresa|negocio|loja|padaria|cafeteria|cafe|restaurante|lanchonete|oficina|salao|barbearia|estudio"
    r"|consultoria|agencia|startup|marca|bar|livraria|confeitaria|floricultura|clinica|consultorio|academia"
    r"|escola|escritorio|boutique|tasca|pastelaria|hamburgueria|pizzaria|mercearia|pet shop|brecho)"
)

DOING = (
    r"(?:programo|desenvolvo|cozinho|dirijo|conduzo|vendo|pesquiso|supervisiono|coordeno|gerencio|giro|lidero"
    r"|limpo|entrego"
    r"|redijo|audito|cuido \w+ \w+|faco (?:faxina|entregas?|limpeza|atendimento|suporte))"
)

FROM_NOW = (
    r"(?:de agora em diante|a partir de (?:agora|hoje)|daqui (?:pra|para|em) (?:a )?(?:frente|diante)"
    r"|doravante|de hoje em diante)"
)

DEATHS = r"morreu|morreram|faleceu|faleceram"
"""Words that tell a death."""
