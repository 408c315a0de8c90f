"""Words that set what a user states apart from all else in a message."""

from recuerdo.memories.extraction.wordlists import StatementWords

STATEMENTS = StatementWords(
    name_links=r"de|del|y|e",
    tells=r"dij\w+|dice\w*|decia\w*|escribi\w*|pregunt\w+|respond\w+",
    before_tasks=r"por favor|puedes|podes|podrias?|puede|ayud\w+ a|que|quiero|necesito|y|e|ahora|vamos a",
    tasks=(
        r"traduc\w+|corrig(?!indo|iendo)\w+|corrij(?!o\b)\w+|reescrib\w+|parafrase\w*"
        r"|resum(?:e|i|a|ir|ime|eme|ela|elo)|anali[sz]\w+|explica\w*|explique|clasifi\w+|conjug\w+"
        r"|escrib(?:e|i|eme|ime|a|ir)(?! a\b)|redact\w+|repite|repita"
        r"|dile (?:a \w+(?: \w+)?)?(?: que)?|como se dice|que significa|di|diga|actu(?:a|e) como|hazte pasar"
        r"|ha[zg]a? de cuenta|imagin\w+|fin[gj]\w+|pon(?:gamos|le)? que|digamos que|ha[zc]\w* (?:a )?la idea"
        r"|haz como (?:que|si)|supon\w*|por ejemplo|ejemplo"
    ),
    replies=r"respond\w*|contest\w*",
    to=r"a|al",
    this=r"est[ae]|es[ae]|el|la|lo",
    texts=r"mails?|e-?mails?|correos?|mensajes?|cartas?|texto|whats\w*|dm",
    on_behalf=r"por mi|en mi nombre|a eso|por favor",
    forwards=r"rv|reenvi\w+|te reenvio|me reenvi\w+",
    headers=r"de|para|asunto|enviado|fecha|cc",
    originals=r"original|mensaje",
    wrote=r"escribio",
    own_labels=(
        r"rectific\w+|corri[gj]\w+|perd[oa]\w+|disculp\w+|ups|nota|pd|importante|correc\w+|actualiza\w+|hola|recuerd\w+"
        r"|recorda\w*|ojo|dato|info|yo|me|mi|sobre|respuesta"
    ),
    letters=r"(?:estimad|querid|distinguid)[oa]s? (?!so[uy]|me|ia|chat|ass?istente)[a-z]+",
    jokes=r"es broma|era broma|es mentira",
    laughs_first=r"ja+|jaja\w*|ah|si",
    agrees=r"seguro|claro|claro que si|ta|ah ta|por supuesto|aja|obvio",
    agrees_again=r"claro|seguro|que si",
    laughs=r"obvio|obviamente|(?:ja){2,}j?|claro|como no|cree\w*",
    abbreviations=r"sr|sra|srta|sta|sto|dr|dra|ing|lic|av|avda|jr|psje|urb|mz|nro|prof",
    tags=r"verdad|cierto|o no|no es (?:cierto|verdad|asi)",
    courtesies=r"ok|vale|dale|ta|por favor|porfa",
    fillers=(
        r"no|eh|viste|vio|ves|sabes?|sabias?|(?:me )?enten(?:des|diste)|(?:me )?entiendes|te conte"
        r"|(?:lo )?pued[eo]s creer(?:lo)?|podes creer(?:lo)?|que te parece|que tal"
    ),
    disbeliefs=r"viste|(?:lo )?pued[eo]s creer(?:lo)?|podes creer(?:lo)?",
    from_your=r"(?:de|en) (?:tus?|sus?)",
    keepers=(r"memorias?|registros?|notas|apuntes|archivos?|anotaciones|base de datos|historial|sistema"),
    leads=r"y|pero|hola|ok|por favor",
    asks=(
        r"y (?:tu|vos|usted|ustedes|el tuyo)|que|q|como|cual(?:es)?|donde|cuando|cuant[oa]s?|quien(?:es)?|por que"
        r"|puedes?|podes|podrias?|me (?:puedes?|podes|podrias?|ayudas?|recomiendas|recomendas|das|dices|decis|ayuda"
        r"|indica)|sabes?|sabe|hay|tienes|tenes|conoces|crees|deberia|todo (?:bien|bom|certo)|que tal"
    ),
    joins_question=r"y|pero|entonces",
    not_joined=("como",),
    asks_inside=r"\s(?:me )?(?:puedes|podes|podrias)\b",
    mine=r"mis?|soy|vivo|trabajo|tengo(?! que)|prefiero|nuestr[oa]s?|(?:no )?me",
    requests=(
        r"(?:me )?(?:puedes?|podes|podrias?)(?: por favor)? "
        r"(?=(?:olvidar|borrar|eliminar|(?:recordar|anotar) que {mine}|recordarme [a-z]{2,12}[aei]r)\b"
        r"|olvidar(?:lo|te)\b)"
    ),
    unmarked=(
        r"(?:que|q) (?:(?:yo|me|no|mas|gusta|encanta|de|\w+o) ){1,5}\w+[aei]r(?=\W*$)"
        r"|(?:adonde|(?:a|de|con|para|pa|hasta|desde) (?:donde|quien(?:es)?|cual(?:es)?)) \w+"
        r"|(?:(?:en|de|con?) )?(?:q|que|cual|cuales) (?:curso|serie|semestre|facultad|carrera|turno|barrio|cargo)"
        r"|(?:ha|hace|desde ha) cuanto tiempo"
    ),
    or_not=r"o no|o (?:q|k|que|ke|como)",
    unmarked_parts="",
)
