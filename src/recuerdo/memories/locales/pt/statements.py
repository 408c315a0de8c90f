"""Words that set what a user states apart from all else in a message."""

from recuerdo.memories.extraction.wordlists import StatementWords

STATEMENTS = StatementWords(
    name_links=r"da|de|do|e",
    tells=r"diss\w+|diz\w*|respond\w+",
    before_tasks=r"por favor|pode|poderia|ajud\w+ a|que|quero|preciso|e|agora|vamos a",
    tasks=(
        r"tradu[cz]\w*|corrig(?!indo|iendo)\w+|corrij(?!o\b)\w+|reescrev\w+|parafrase\w*|resum(?:e|a|ir)|anali[sz]\w+"
        r"|explica\w*|explique|classif\w+|conjug\w+|escrev[ae]r?|redig\w+|repita"
        r"|como se diz|o? ?que significa|diga|atue como|fa[zc]a? de conta|imagin\w+|fin[gj]\w+|supon\w*"
        r"|por exemplo|exemplo"
    ),
    replies=r"respond\w*",
    to=r"a|ao",
    this=r"est[ae]|ess[ae]|o",
    texts=r"mails?|e-?mails?|mensagem|cartas?|texto|whats\w*|dm",
    on_behalf=r"por mim?|em meu nome|por favor",
    forwards=r"enc|encaminh\w+",
    headers=r"de|para|assunto|enviado|cc",
    originals=r"original",
    wrote=r"escreveu",
    own_labels=(
        r"retific\w+|corri[gj]\w+|perd[oa]\w+|desculp\w+|nota|importante|correc\w+|atualiza\w+|ola|oi|recorda\w*|lembr\w+"
        r"|info|eu|me|meu|minha|sobre|resposta"
    ),
    letters=r"(?:(?:estimad|prezad|querid|car)[oa]s?|ex\.?m[oa]) (?!so[uy]|me|ia|chat|ass?istente)[a-z]+",
    jokes=r"brincadeira|to brincando|estou a brincar",
    laughs_first=r"kkk+|ah|ok",
    agrees=r"claro|aham|ta|ah ta|com certeza|obvio",
    agrees_again=r"claro",
    laughs=r"obvio|obviamente|k{3,}|rsrs\w*|com certeza|claro",
    abbreviations=r"sr|sra|dr|dra|av|qd|prof",
    tags="",
    courtesies=r"ok|ta|ta bom|ta bem|por favor|pode ser|se faz favor|faz favor",
    fillers=(r"ne|hein|viste|viu|sabes?|sabia|(?:me )?enten(?:deu|de)|percebes|acredita(?:s)?|da pra acreditar"),
    disbeliefs=r"acredita(?:s)?|da pra acreditar|viu",
    from_your=r"(?:da|do|de|das|dos|na|no|nas|nos) (?:tuas?|teus?|suas?|seus?)",
    keepers=(r"memorias?|registros?|notas|arquivos?|anotacoes|banco de dados|base de dados|historico|sistema"),
    leads=r"e|mas|oi|ola|ok|por favor",
    asks=(
        r"que|q|oq|o q|como|por que|me (?:das|ajuda|indica|recomenda|diz|pode)|sabes?|sabe"
        r"|e (?:voce|vc|tu|o senhor|a senhora)|qual|quais|onde|quando|quant[oa]s?|quem|o que|tudo (?:bem|bom|certo)"
        r"|que tal|pode|poderia|podias|consegues?|voce|tem|devo|existe"
    ),
    joins_question=r"e|mas|entao",
    not_joined=("quando", "onde", "quem", "como", "qual", "quanto"),
    asks_inside=r"\svoce pode\b|\spode me\b",
    mine=r"me|eu|meus?|minhas?",
    requests=(
        r"(?:voce |vc |tu )?(?:pode|poderia|podes|podias)(?: por favor)? "
        r"(?=(?:esquecer|apagar|deletar|excluir|eliminar|(?:lembrar|anotar)(?: de)? que {mine}|me lembrar de)\b)"
    ),
    unmarked=(
        r"(?:o )?(?:que|q|oq) (?:(?:eu|me|nao|n|mais|de|\w+o) ){1,5}\w+[aei]r(?=\W*$)"
        r"|(?:aonde|(?:a|de|com|para|pra|ate|desde) (?:onde|quem|qual)) \w+"
        r"|(?:(?:em|de|com?|no) )?(?:q|que|qual|quais) (?:e o )?(?:curso|serie|semestre|faculdade|turno|bairro|cargo)"
        r"|(?:ha|desde ha) quanto tempo"
    ),
    or_not=r"ou nao|ou (?:o )?(?:q|que)",
    unmarked_parts="",
)
