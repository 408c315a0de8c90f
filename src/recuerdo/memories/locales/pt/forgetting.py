"""Patterns of requests to forget."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import Forgetting, ask, pattern
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.statements import KEPT_IN

_POLITE = (
    r"por favor|agora|ja|voce|vc|oi|ola|recuerdo|ok|bom|ah|e|tambem|pode|podes|poderia|da pra"
    r"|(?:eu )?(?:ja )?(?:te )?(?:disse|falei|pedi) (?:pra|para)(?: (?:voce|vc|tu))?"
    r"|(?:quero|queria|preciso|peco|agradeco|agradecia)(?:[- ](?:te|lhe))? que"
)
_FORGET = (
    r"esquec[ae](?:-se|-te)?(?: d[eoa])?|^esquecer(?: d[eoa])?|(?<=a\x20)esquecer|desconsider[ae]"
    r"|ignor[ae](?= (?:tudo )?o que )"
    r"|nao (?:me )?(?:guard|anot|salv|registr|armazen)(?:a|e|es)(?= (?:(?:[ao]s? )?(?:meus?|minhas?)|o que) )"
)
_SWITCHED = (
    r"(?! (?:[ao]s? )?(?:luz|luzes|lampada|abajur|fogo|fogao|lume|forno|esquentador|tv|televisao|velas?|som)(?!\w))"
)
"""Not before what is switched off: `pode apagar a luz`."""

_DELETE = (
    rf"apag(?:a|ue){_SWITCHED}|delet[ae]|exclu[aei]|elimin(?:a|e|es)"
    r"|(?:^|(?<=pode\x20)|(?<=podes\x20)|(?<=poderia\x20)|(?<=pra\x20)|(?<=ce\x20)|(?<=vc\x20))"
    rf"(?:apagar{_SWITCHED}|deletar|excluir|eliminar)"
    rf"|(?:tir[ae]|retir[ae]|remov[ae])(?=[^.,;:!?]{{2,60}} {KEPT_IN})"
)
_MY = r"(?:o |a |os |as )?(?:meus?|minhas?|esse|este) (?:\w+ )?"
_ABOUT_ME = r"(?:(?:de|sobre|acerca de) mim|(?:o )?que (?:eu )?(?:te |lhe )?(?:disse|falei|contei))"
_KNOWN = r"(?:o )?que (?:voce |vc |tu )?(?:saiba|sabe|sabes|lembra|lembras|guardou|guarda|tem)(?: guardado)?"

FORGETTING = Forgetting(
    verbs=Pattern(rf"(?<!\w)(?:{_FORGET}|{_DELETE}|nao uso)"),
    asks=Pattern(rf"{ask(_POLITE, _FORGET, _DELETE)}|(?<!\w)nao uso mais(?!\w)"),
    may_ask=Pattern(
        r"\b(?:esquec|apag(?!uei)|exclu|remov|delet|elimin|guard|anot|ignor|desconsider|registr|nao ouvi|faca de conta"
        r"|(?:re)?tir(?:[ae]|ar)\b|nao quero\b|deix[ae]\b(?!-me)|largu?[ae]\b|risc(?:a|ar)\b|fora\b|some\b)"
    ),
    behind=Pattern(
        r"\W*(?:(?:ah|e|olha|por favor)\W+){0,2}(?P<value>(?:isso|aquilo|tudo|o lance|o negocio) d(?:[aeo]s?) "
        r"[^.;:!?|]{2,60}?)(?: que (?:eu )?(?:te )?(?:disse|contei|falei))?,? (?:(?:por favor|melhor|pode|ja),? )?"
        r"(?:apag(?:a|ue|ar)|delet(?:a|e|ar)|esquec(?:e|a|er)|tir(?:a|e|ar)|elimin(?:a|e|ar))(?:-o)?(?!\w)"
    ),
    called={
        "age": word_set("idade anos"),
        "birthday": word_set("aniversario niver nascimento"),
        "job": word_set("trabalho profissao emprego"),
        "employer": word_set("trabalho emprego"),
        "studies": word_set("estudo curso escola colegio faculdade"),
        "city": word_set("mora moram moro vive vivem vivo"),
        "phone": word_set("cel celular telefone telemovel numero zap"),
        "email": word_set("mail email correio"),
        "health": word_set("remedio medicamento medicacao comprimido saude doenca diagnostico"),
        "allergy": word_set("alergia"),
        "plan": word_set("viagem"),
        "pet": word_set("bicho mascote"),
    },
    objects=(
        (("name",), pattern(rf"{_MY}nome|como (?:eu )?me chamo|quem (?:eu )?sou")),
        (("phone",), pattern(rf"{_MY}(?:telefone|celular|telemovel|numero|whatsapp|zap)")),
        (("email",), pattern(rf"{_MY}(?:e-?mail|correio)")),
        (("city", "country"), pattern(r"(?:o lugar )?(?:onde|em que (?:cidade|pais)) (?:eu )?(?:moro|vivo|resido)")),
        (("city",), pattern(rf"{_MY}(?:cidade|morada|endereco)")),
        (("country",), pattern(rf"{_MY}pais|de onde (?:eu )?(?:sou|venho)")),
        (("employer", "job"), pattern(rf"{_MY}(?:trabalho|emprego|trampo)")),
        (("employer",), pattern(rf"{_MY}empresa|(?:onde|para quem) (?:eu )?trabalho")),
        (
            ("job",),
            pattern(rf"{_MY}(?:profissao|cargo|funcao)|(?:com|em|no) (?:o )?que (?:eu )?trabalho|o que (?:eu )?faco"),
        ),
        (("department",), pattern(rf"{_MY}(?:departamento|setor)")),
        (("team",), pattern(rf"{_MY}(?:equipe|equipa|time)")),
        (
            ("birthday",),
            pattern(
                rf"{_MY}(?:aniversario|niver|data d[eo] (?:nascimento|aniversario))"
                rf"|(?:a )?data do meu (?:aniversario|niver|nascimento)|quando (?:eu )?(?:nasci|faco anos)"
            ),
        ),
        (
            ("language",),
            pattern(rf"{_MY}(?:idiomas|linguas)|(?:que|quais|os|as) (?:idiomas|linguas) (?:que )?(?:eu )?falo"),
        ),
        (("family",), pattern(r"(?:a )?minha familia")),
        (("pet",), pattern(rf"{_MY}(?:mascotes?|pets?|bichos?|animal de estimacao|animais de estimacao)")),
        (("likes", "dislikes"), pattern(rf"{_MY}gostos")),
        (("dislikes",), pattern(r"(?:d?o |as coisas )?(?:de )?que (?:eu )?nao gosto")),
        (
            ("likes",),
            pattern(r"(?:d?o |as coisas )?(?:de )?que (?:eu )?(?:mais )?gosto", rf"{_MY}(?:hobb(?:ie|y)s|passatempos)"),
        ),
        (("preference",), pattern(rf"{_MY}preferencias|o que (?:eu )?prefiro")),
        (("plan",), pattern(rf"{_MY}planos")),
        (
            ("remember",),
            pattern(r"(?:tudo )?o que (?:eu )?te pedi (?:para|pra) (?:se )?lembrar", rf"{_MY}(?:notas|lembretes)"),
        ),
    ),
    everything=Pattern(
        (
            rf"(?:(?:{ask(_POLITE, _FORGET)})\s+(?:tudo(?: (?:{_KNOWN}))?(?: {_ABOUT_ME})?|{_KNOWN} {_ABOUT_ME}|mim)"
            rf"|{ask(_POLITE, _DELETE)} (?:tudo(?: {_ABOUT_ME}){{0,2}}|(?:tudo )?{_KNOWN} {_ABOUT_ME}"
            rf"|(?:todos )?(?:os )?meus dados|(?:todas )?(?:as )?minhas memorias|(?:a )?minha memoria)"
            rf"|{ask(_POLITE, 'me esquec[ae]', 'esquec[ae]-me')})"
            r"\W*(?:(?:por favor|pfv|e (?:vamos|comec\w+|recomec\w+).*)\W*)?$"
        ).replace(" ", r"\s+")
    ),
    offers=Pattern(r"\besque"),
    confirms=Pattern(r"\W*(?:sim|ss|s|isso|claro|exato|correto|quero|ess[ea]|pode|por favor|uhum|aham|ok)\b"),
    all_of_them=Pattern(r"\b(?:amb[oa]s|tod[oa]s|tudo|[oa]s (?:dois|duas|tres|quatro))\b"),
    places=(
        word_set("primeira primeiro 1"),
        word_set("segunda segundo 2"),
        word_set("terceira terceiro 3"),
        word_set("ultima ultimo"),
    ),
)
