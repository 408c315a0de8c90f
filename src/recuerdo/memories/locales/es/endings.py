"""Words that may follow a value, and words that say that a value no longer holds."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Cue, cue, pattern, spelled
from recuerdo.memories.extraction.lexicon.households import ANIMALS, COUNTED_ANIMALS, COUNTED_RELATIVES, RELATIVES
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.es.phrases import HERE, NOW, SINCE

TAILS: dict[Attribute, tuple[Cue, ...]] = {
    "country": (cue(read.sure_city, r"en"),),
    "employer": (
        cue(read.role, r"como"),
        cue(read.occupation, r"(?:de|soy)"),
        cue(read.unit("department"), r"(?:en |de )?(?:el |la |l )?(?:departamento|depto|dpto|area|sector)"),
        cue(read.unit("team"), r"(?:en |de |del )?(?:el )?(?:equipo|squad)"),
        cue(read.field, r"en"),
        cue(read.sure_city, r"en"),
    ),
    "job": (
        cue(read.age, r"(?:(?:tengo|de) )?(?=\d\d(?: anos|,|\W*$))"),
        cue(read.unit("team"), r"en (?:el )?equipo"),
        cue(read.employer, r"en|para"),
        cue(read.company, r"(?:de|del)(?: la| el)?"),
        cue(read.sure_city, r"en"),
    ),
    "department": (
        cue(
            read.workplace,
            r"(?:de|del|en|para)(?: (?:el |la |las |los )?(?:corporativo|oficinas?|sede|sucursal|planta|tienda"
            r"|central) de)?",
        ),
        cue(read.own_company, r"de|del|en|para"),
    ),
    "team": (
        cue(
            read.workplace,
            r"(?:de|del|en|para)(?: (?:el |la |las |los )?(?:corporativo|oficinas?|sede|sucursal|planta|tienda"
            r"|central) de)?",
        ),
    ),
    "family": (
        cue(read.named("family"), rf"(?:y )?(?:el|la|mis?|nuestr[oa]) (?:\w+ )?{RELATIVES},?(?: es| se llaman?)?"),
        cue(read.counted("family"), rf"y (?:tengo |tenemos )?{COUNTED_RELATIVES}"),
        cue(
            read.named("pet"),
            rf"y (?:una?|mi|nuestr[oa]) (?:\w+ )?{ANIMALS},? (?:se llaman?|llamad[oa]|que se llama)",
        ),
        cue(read.counted("pet"), rf"y (?:tengo |tenemos )?{COUNTED_ANIMALS}"),
    ),
    "pet": (
        cue(
            read.named("pet"),
            rf"(?:y )?(?:el|la|mi|nuestr[oa]|una?) (?:\w+ )?{ANIMALS},?(?: es| se llaman?| llamad[oa])?",
        ),
        cue(read.counted("pet"), rf"y {COUNTED_ANIMALS}"),
        cue(read.counted("family"), rf"y {COUNTED_RELATIVES}"),
    ),
    "marital_status": (
        cue(read.written("family"), r"con(?: (?:el|la))?"),
        cue(read.counted("family"), r"(?:con|y)(?: tengo)?"),
    ),
    "age": (
        cue(read.occupation, r"(?:(?:una?|el|la)(?= ))?(?=\w)"),
        cue(read.hometown, r"(?:soy )?(?:original(?:mente)? |originari[oa] )?(?:de|del)"),
    ),
    "possession": (cue(read.possession, r"(?:y|e)"),),
    "origin": (
        cue(read.age, r"(?:de |tengo )?(?=\d\d(?: anos|,| y |$))"),
        cue(read.occupation, r"(?:(?:una?|el|la)(?= ))?(?=\w)"),
    ),
    "allergy": (cue(read.allergy, r"(?:y|ni|e) (?:al?|a l[ao]s?)"),),
    "name": (
        cue(read.hometown, r"(?:soy )?(?:original(?:mente)? |originari[oa] )?(?:de|del)"),
        cue(read.age, r"(?:de |tengo )?(?=\d\d(?: anos|,| y |$))"),
        cue(read.field, r"(?:de|del)(?: (?:area|departamento) de)?"),
        cue(
            read.occupation,
            r"(?:(?:tengo )?\d\d(?: anos)?,? )?(?:de [a-z]+(?: [a-z]+)?, )?(?=\w)(?:(?:una?|el|la)(?= ))?",
        ),
    ),
}

ASIDES = Pattern(spelled(rf"(?:\s*,?\s*(?:{SINCE}|{HERE}|{NOW})(?!\w))*\s*,?\s*".replace(" ", r"\s+")))

DENIALS: tuple[Cue, ...] = (
    cue(
        read.employer,
        r"(?:deje de (?:trabajar|laburar|chambear|currar)|trabajaba|laburaba|chambeaba|curraba) (?:en|para)",
        r"(?:renuncie a|sali de|me fui de|me echaron de|me despidieron de|me corrieron de)(?: mi trabajo en)?",
    ),
    cue(read.city, r"(?:deje de vivir|vivia|viviamos) en", r"(?:me fui|nos fuimos|me mude) de"),
    cue(read.occupation, r"(?:deje de ser|era)"),
    cue(read.spoken_language, r"olvide(?=\W+el)"),
)

_RETIRED = pattern(
    r"(?<!que\x20)(?:ya )?me (?:jubile|he jubilado|acabo de jubilar"
    r"|retire(?= (?:de la docencia|de trabajar|del? trabajo)))",
    r"(?:ya )?(?:estoy|ando|quede) (?:jubilad|pensionad)[oa]",
)

GONE: tuple[tuple[Attribute, Pattern], ...] = (
    ("employer", _RETIRED),
    ("job", _RETIRED),
    (
        "employer",
        pattern(
            r"ya no trabajo(?=\W*(?:$|,|y |porque|mas))",
            r"me (?:despidieron|echaron|corrieron|rajaron|botaron)(?=\W*(?:$|,|y |ayer|hoy|del trabajo|la semana))",
            r"(?:me quede|estoy|ando) (?:sin (?:trabajo|laburo|empleo|curro|chamba)|desemplead[oa]"
            r"|en (?:el )?paro)",
            r"renuncie(?=\W*(?:$|,|y |ayer|hoy|al trabajo|la semana|el mes|hace))",
        ),
    ),
    (
        "studies",
        pattern(
            r"(?:deje|abandone|colgue|me sali de|me cambie de) (?:la )?(?:carrera|facultad|facu|universidad"
            r"|uni|estudios)"
        ),
    ),
    (
        "employer",
        pattern(
            r"(?:trabajo|trabajando|laburo) (?:ahora )?(?:por (?:mi|cuenta) (?:cuenta|propia)|de (?:forma|manera)"
            r" independiente|como (?:independiente|autonom[oa]))"
        ),
    ),
    ("pet", pattern(rf"(?:ya no tengo|(?:se )?murio mi|fallecio mi) (?:mas )?{ANIMALS}")),
)

FORGET = pattern(
    r"(?<!no\x20)(?<!no\x20te\x20)(?<!no\x20se\x20te\x20)(?:olvida|olvidate de|olvide|olvidese de|borra) que"
)
