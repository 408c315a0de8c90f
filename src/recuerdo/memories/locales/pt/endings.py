"""Words that may follow a value, and words that say that a value no longer holds."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Cue, cue, pattern, spelled
from recuerdo.memories.extraction.lexicon.households import ANIMALS, COUNTED_ANIMALS, COUNTED_RELATIVES, RELATIVES
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.pt.phrases import HERE, IN, NOW, SINCE

TAILS: dict[Attribute, tuple[Cue, ...]] = {
    "country": (cue(read.sure_city, r"em|no|na"),),
    "employer": (
        cue(read.role, r"como"),
        cue(read.occupation, r"(?:de|sou)"),
        cue(read.unit("department"), r"(?:no |na |do |da )?(?:departamento|depto|area|setor|sector)"),
        cue(read.unit("team"), r"(?:no |na |do |da )?(?:equipe|equipa|time|squad)"),
        cue(read.field, r"no|na|em"),
        cue(read.sure_city, r"em|no|na"),
    ),
    "job": (
        cue(read.age, r"(?:(?:tenho|de) )?(?=\d\d(?: anos|,|\W*$))"),
        cue(read.unit("team"), r"(?:no|na) (?:equipe|equipa|time)"),
        cue(read.sure_city, r"em"),
        cue(read.employer, r"na|no|numa|num|em|para a|para o|para|pra|pro"),
        cue(read.company, r"da|do|de"),
        cue(read.sure_city, r"em|no|na"),
    ),
    "department": (cue(read.workplace, r"da|do|de|na|no|em"), cue(read.own_company, r"da|do|de|na|no|em")),
    "team": (cue(read.workplace, r"da|do|de|na|no|em"),),
    "family": (
        cue(
            read.named("family"),
            rf"(?:e )?(?:o|a|(?:o |a )?(?:meu|minha|nosso|nossa)) (?:\w+ )?{RELATIVES},?(?: e(?: o| a)?"
            rf"| se chama| chama-se| chama)?",
        ),
        cue(read.counted("family"), rf"e (?:tenho |temos |a gente tem )?{COUNTED_RELATIVES}"),
        cue(read.named("pet"), rf"e (?:uma?|meu|minha) (?:\w+ )?{ANIMALS},? (?:se chama|chamad[oa]|que se chama)"),
        cue(read.counted("pet"), rf"e (?:tenho |temos |a gente tem )?{COUNTED_ANIMALS}"),
    ),
    "pet": (
        cue(read.named("pet"), rf"(?:e )?(?:o|a|meu|minha|uma?) (?:\w+ )?{ANIMALS},?(?: e| se chama| chamad[oa])?"),
        cue(read.counted("pet"), rf"e {COUNTED_ANIMALS}"),
        cue(read.counted("family"), rf"e {COUNTED_RELATIVES}"),
    ),
    "marital_status": (
        cue(read.written("family"), r"com(?: [oa])?"),
        cue(read.counted("family"), r"(?:com|e)(?: tenho)?"),
    ),
    "age": (
        cue(read.occupation, r"(?:(?:uma?|o|a)(?= ))?(?=\w)"),
        cue(read.hometown, r"(?:sou )?(?:original(?:mente)? |natural )?(?:d[eoa])"),
    ),
    "possession": (cue(read.possession, r"(?:e)"),),
    "origin": (
        cue(read.age, r"(?:de |tenho )?(?=\d\d(?: anos|,| e |$))"),
        cue(read.occupation, r"(?:(?:uma?|o|a)(?= ))?(?=\w)"),
    ),
    "allergy": (cue(read.allergy, r"(?:e|nem) (?:a|ao|aos|as)"),),
    "name": (
        cue(read.hometown, r"(?:sou )?(?:original(?:mente)? |natural )?(?:d[eoa])"),
        cue(read.age, r"(?:de |tenho )?(?=\d\d(?: anos|,| e |$))"),
        cue(read.field, r"(?:d[eoa])(?: (?:area|setor|departamento) d[eoa])?"),
        cue(
            read.occupation,
            r"(?:(?:tenho )?\d\d(?: anos)?,? )?(?:d[eoa] [a-z]+(?: [a-z]+)?, )?(?=\w)(?:(?:uma?|o|a)(?= ))?",
        ),
    ),
}

ASIDES = Pattern(spelled(rf"(?:\s*,?\s*(?:{SINCE}|{HERE}|{NOW})(?!\w))*\s*,?\s*".replace(" ", r"\s+")))

DENIALS: tuple[Cue, ...] = (
    cue(
        read.employer,
        rf"(?:(?:eu )?nao trabalho mais|deixei de trabalhar|(?:eu )?trabalhava|(?:eu )?trampava) {IN}",
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
)

_RETIRED = pattern(
    r"(?:ja )?(?:me (?:aposentei|reformei)|aposentei-me|reformei-me|acabei de me (?:aposentar|reformar))",
    r"(?:ja )?(?:estou|to|tou) (?:aposentad|reformad)[oa]",
)

GONE: tuple[tuple[Attribute, Pattern], ...] = (
    ("employer", _RETIRED),
    ("job", _RETIRED),
    (
        "employer",
        pattern(
            r"(?:nao trabalho mais|ja nao trabalho)(?=\W*(?:$|,|e |porque))",
            r"(?:fui demitid[oa]|fui despedid[oa]|(?:fui mandad[oa]|me mandaram) embora|me demiti|demiti-me)"
            r"(?=\W*(?:$|,|e |ontem|hoje|na semana|mes))",
            r"(?:fiquei|estou|to|ando) (?:sem (?:trabalho|emprego|trampo)|desempregad[oa])",
        ),
    ),
    ("studies", pattern(r"(?:larguei|tranquei|abandonei|troquei de|mudei de) (?:a )?(?:curso|faculdade|facul)")),
    ("employer", pattern(r"trabalho (?:agora )?(?:por conta propria|como autonom[oa])|sou autonom[oa]")),
    (
        "pet",
        pattern(rf"(?:o meu|a minha|meu|minha) {ANIMALS}(?: \w+)? (?:morreu|faleceu)|nao tenho mais {ANIMALS}"),
    ),
)

FORGET = pattern(r"(?<!nao\x20)(?<!nao\x20se\x20)(?<!nao\x20te\x20)(?:esqueca|esquece|esqueca-se de|apague|apaga) que")
