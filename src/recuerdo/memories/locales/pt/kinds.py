"""How each kind of thing is told, asked for, answered and named."""

from collections.abc import Mapping

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Kind, cue
from recuerdo.memories.extraction.lexicon.households import ANIMALS, RELATIVES

_AM = r"(?:sou|estou|ando|continuo|me encontro|encontro-me)(?: ja| agora| muito| feliz)*"
_YOU = r"(?:voce |vc |tu |o senhor |a senhora |ce )?"
_VIVES = rf"{_YOU}(?:mora|vive|moras|vives|reside|resides|esta morando|ta morando)"
_WORKS = rf"{_YOU}(?:trabalha|trabalhas|trampa|esta trabalhando|ta trabalhando)"
_YOUR = r"(?:o seu|a sua|o teu|a tua|seu|sua|teu|tua|os seus|as suas)"

KINDS: Mapping[Attribute, Kind] = {
    "age": Kind(
        says=(
            r"tenho(?: ja| apenas| uns)?",
            r"(?:ja )?(?:fiz|acabei de fazer|completei|vou fazer)(?: os)?(?= [\w ]{1,22} anos)",
            r"(?:ja )?(?:fiz|acabei de fazer|completei)(?: os)?(?= \d\d(?:\W*$|,| (?:ontem|hoje|anteontem|agora|semana"
            r"|mes|no|na|esse|este|essa|esta|em)(?!\w)))",
            r"(?:com|aos) (?:os )?(?:meus )(?=[\w ]{1,22} anos)",
            r"minha idade e(?: de)?",
            r"(?:sou (?:[oa] )?|me chamo |chamo-me )[a-z]{2,20},(?= \d\d(?:,| e| anos|$))",
        ),
        tells=(r"(?:tem|fez|faz|ja tem|completou)",),
        asked=(rf"quantos anos {_YOU}(?:tem|tens)", r"qual (?:e )?(?:a )?(?:sua|tua) idade", r"que idade"),
        stems=("tenho",),
        named=(r"(?:a )?minha idade", r"quantos anos (?:eu )?tenho"),
        asked_of=(
            r"quantos anos tem",
            r"que idade",
        ),
        told_stems=("tem",),
        also=(cue(read.introduced_age, r"^(?=\d\d, )"),),
    ),
    "origin": Kind(
        says=(
            r"(?:eu )?(?:ca )?sou (?:natural |originari[oa] |nascid[oa] (?:e criad[oa] )?)?(?:de|do|da|em)",
            r"nasci(?: e (?:cresci|fui criad[oa]))? (?:em|no|na)",
        ),
        tells=(r"(?:e|nasceu) (?:natural )?(?:de|do|da|em|no|na)",),
        asked=(
            rf"(?:de onde|donde) {_YOU}(?:e|es|vem)(?!\w)",
            rf"onde {_YOU}nasce(?:u|ste)",
            r"de que cidade (?:e|es)",
        ),
        stems=("sou", "sou de"),
        named=(r"de onde (?:eu )?sou", r"onde (?:eu )?nasci"),
    ),
    "marital_status": Kind(
        says=(_AM, r"(?:me )?(?=(?:casei|divorciei)(?:-me)?(?!\w))", r"meu estado civil e"),
        tells=(r"(?:e|esta|ta|continua)",),
        asked=(r"estado civil", rf"{_YOU}(?:e|es) (?:casad|solteir)\w+"),
        stems=("sou", "estou"),
        named=(r"(?:o )?meu estado civil",),
    ),
    "studies": Kind(
        says=(
            r"(?:estudo|estou estudando|estou a estudar|to estudando|estudei|cursei|curso|estou cursando)",
            r"(?:me formei|formei-me|me graduei|graduei-me|licenciei-me) (?:em|no|na)",
            r"sou (?:formad[oa]|licenciad[oa]|graduad[oa]|estudante) (?:em|de)",
            r"(?:faco|fiz) (?:a )?(?:faculdade|facul|graduacao|mestrado|doutorado|curso|licenciatura) (?:de|em)",
            r"(?:troquei|mudei) de curso,? (?:e )?(?:agora )?(?:faco|estudo)",
        ),
        tells=(r"(?:estuda|esta estudando|se formou em|formou-se em|faz faculdade de)",),
        asked=(rf"o que {_YOU}(?:estuda|estudas|estudou|cursa)", r"que curso", r"qual (?:e )?(?:o )?(?:seu|teu) curso"),
        stems=("estudo",),
        named=(r"(?:os )?meus estudos", r"(?:o )?meu curso"),
        asked_of=(r"o que (?:e que )?(?:[\w ]{2,30} )?estuda",),
        told_stems=("estuda",),
    ),
    "health": Kind(
        says=(r"(?:tenho|sofro de|convivo com|vivo com|ando com)", r"(?:sou|fui)"),
        tells=(r"(?:tem|sofre de|e|vive com)",),
        asked=(r"(?:alguma|que) (?:doenca|condicao)", r"problemas? de saude"),
        stems=("tenho", "sou"),
        named=(r"(?:a )?minha saude", r"(?:a )?minha doenca"),
        also=(
            cue(
                read.diagnosis,
                r"(?:o medico |a medica )?(?:me )?(?:diagnostic|descobri|detect)(?:aram|ou|ram|u)(?:-me)?(?: com)?",
                r"fui diagnosticad[oa] com",
            ),
            cue(read.medicine, r"(?:tomo|estou tomando|estou a tomar|uso|receitaram-me|me receitaram)"),
        ),
    ),
    "allergy": Kind(
        says=(
            r"(?:sou|somos) (?:\w+mente |muito )?alergic[oa]s? (?:a|ao|aos|as)",
            r"tenho (?:uma )?(?:\w+ )?(?:alergia|intolerancia) (?:a|ao|aos|as)",
            r"sou (?:muito )?intolerante (?:a|ao|aos|as)",
            r"(?:o )?meu (?:corpo|estomago|organismo) nao (?:tolera|suporta|aguenta|processa)",
        ),
        tells=(
            r"tem (?:alergia|intolerancia) (?:a|ao|a[os]s?)",
            r"(?:e|sao) (?:muito )?alergic[oa]s? (?:a|ao|aos|as)",
            r"e intolerante (?:a|ao|aos|as)",
        ),
        asked=(r"alergi[ac]\w*", r"intolerante"),
        stems=("sou alergico", "sou alergico a"),
        named=(r"(?:as )?minhas? alergias?", r"(?:a )?minha alergia"),
    ),
    "diet": Kind(
        says=(r"(?:sou|virei|me tornei|tornei-me)(?: quase| ja)?",),
        tells=(r"(?:e|virou|se tornou|tornou-se)",),
        asked=(rf"{_YOU}(?:e|es) (?:vegan|vegetarian|celiac)\w*", r"dieta", r"restric\w+ alimentar\w*"),
        stems=("sou",),
        named=(r"(?:a )?minha dieta", r"o que (?:eu )?(?:nao )?como"),
        also=(
            cue(
                read.abstinence,
                r"(?=(?:nao|nunca) (?:como|consumo) )",
                r"(?=nao posso (?:comer|consumir) )",
                r"(?=(?:nao|nunca) (?:tomo|bebo) (?:alcool|leite|lacteos|cafeina|refrigerantes?)(?!\w))",
            ),
            cue(read.diet_followed, r"(?:sigo|faco|estou (?:com|em|a fazer)|estou fazendo) (?:uma )?dieta(?= )"),
        ),
    ),
    "city": Kind(
        tells=(
            r"(?:mora|vive|reside|esta morando|esta a viver)(?: agora| sozinh[oa]| ainda)? (?:em|no|na|nos|nas)",
            r"(?:se mudou|mudou-se|mudou|(?:foi|veio|voltou a|passou a) (?:morar|viver))(?: agora)?"
            r" (?:para|pra|pro|em|no|na)(?: o| a)?",
        ),
        asked=(
            rf"(?:onde|em (?:que|qual) (?:cidade|lugar|pais)) (?:e que )?{_VIVES}",
            r"qual (?:e )?(?:a )?(?:sua|tua) cidade",
        ),
        stems=("moro", "moro em"),
        asked_of=(
            r"onde (?:e que )?(?:[\w ]{2,30} )?(?:mora|vive)",
            r"em que cidade (?:[\w ]{2,30} )?(?:mora|vive)",
        ),
        told_stems=(
            "mora",
            "mora em",
        ),
    ),
    "employer": Kind(
        tells=(r"(?:trabalha|trampa|esta trabalhando)(?: agora)? (?:em|no|na|nos|nas|para|pra)",),
        asked=(
            rf"(?:onde|(?:para|com|pra) quem|em (?:que|qual) empresa) (?:e que )?{_WORKS}",
            r"(?:a )?(?:sua|tua) empresa",
        ),
        stems=("trabalho", "trabalho na"),
        asked_of=(r"onde (?:e que )?(?:[\w ]{2,30} )?trabalha",),
        told_stems=(
            "trabalha",
            "trabalha na",
        ),
    ),
    "job": Kind(
        tells=(r"(?:trabalha|trampa) (?:como|de)", r"e(?: uma?| o| a)?"),
        asked=(
            rf"(?:com|em|de) (?:o )?que {_WORKS}",
            rf"{_YOUR} (?:profissao|cargo|oficio|ocupacao|trabalho)",
            rf"o que {_YOU}faz(?:es)?(?! \w)",
        ),
        stems=("sou", "trabalho como"),
        asked_of=(
            r"(?:o que|com que) (?:[\w ]{2,30} )?(?:faz|trabalha)",
            r"profissao d[aeo]",
        ),
        told_stems=(
            "é",
            "trabalha como",
        ),
    ),
    "name": Kind(
        asked=(
            rf"como (?:e que )?{_YOU}(?:se )?(?:chama|te chamas|se chama)",
            rf"(?:qual )?(?:e )?{_YOUR} nome",
            r"quem e (?:voce|vc)",
        ),
        stems=("me chamo",),
    ),
    "birthday": Kind(
        tells=(r"(?:faz (?:anos|aniversario)|nasceu)(?= (?:em|no|dia|a) )",),
        asked=(
            rf"(?:quando|que dia) (?:e )?(?:o )?(?:{_YOUR} (?:aniversario|niver)|{_YOU}(?:nasceu|faz anos|nasceste))",
            r"data de nascimento",
        ),
        stems=("meu aniversario e",),
    ),
    "email": Kind(asked=(rf"{_YOUR} (?:\w+ )?(?:e-?mail|mail|correio)",), stems=("meu email e",)),
    "phone": Kind(
        asked=(rf"{_YOUR} (?:\w+ )?(?:telefone|numero|celular|zap|whatsapp|telemovel)",), stems=("meu telefone e",)
    ),
    "possession": Kind(
        says=(
            r"(?:tenho|temos|possuo|ganhei|a gente tem) (?=(?:uma?|meu|minha|dois|duas) )",
            r"(?:comprei|compramos|peguei|troquei por|acabei de comprar)",
        ),
        asked=(r"que (?:carro|moto) (?:voce|vc|tu)? ?(?:tem|tens|dirige)",),
        stems=("tenho",),
        named=(r"(?:o )?meu (?:carro|apartamento)", r"(?:a )?minha (?:moto|bicicleta|casa)"),
        also=(
            cue(read.driven, r"(?:dirijo|conduzo|piloto) (?=uma? |meu |minha )"),
            cue(read.driven, r"(?:meu|minha) (?:carro|moto|bike|bicicleta) (?:nov[oa] )?e (?=uma? )"),
        ),
    ),
    "pet": Kind(
        asked=(
            rf"(?:tem|tens) (?:\w+ )?(?:pets?|bichos?|animal|animais|{ANIMALS})",
            rf"(?:como se chama|qual (?:e )?o nome d)\w*\s*(?:o |a )?(?:seu|sua|teu|tua) {ANIMALS}",
        ),
        stems=("tenho", "meu cachorro se chama"),
    ),
    "family": Kind(
        asked=(rf"como se chama\w* {_YOUR} {RELATIVES}", rf"(?:tem|tens) {RELATIVES}"),
        stems=("tenho", "meu filho se chama"),
    ),
    "language": Kind(asked=(rf"(?:que|quais) (?:idiomas|linguas) {_YOU}fala",), stems=("falo",)),
    "likes": Kind(
        tells=(r"(?:gosta (?:muito )?d(?:e|o|a|os|as)|adora|ama)",),
        asked=(rf"(?:o|do) que {_YOU}(?:gosta|gostas|curte)", rf"{_YOUR} \w+ (?:favorit|preferid)[oa]"),
        stems=("gosto", "gosto de"),
    ),
    "dislikes": Kind(tells=(r"(?:odeia|detesta|nao suporta)",)),
}
