"""Patterns of requests to forget."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import Forgetting, ask, pattern
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.statements import KEPT_IN

_POLITE = (
    r"por favor|porfa|ahora|ya|hola|recuerdo|ok|vale|bueno"
    r"|te (?:dije|pedi) que"
    r"|(?:(?:te|le|os|les) )?(?:quiero|quisiera|necesito|pido|ruego|agradezco|agradeceria) que"
)
_FORGET = (
    r"olvid(?:a|alo|ate(?: de)?|ese de|ad)|(?<=[ek]\x20)(?:te )?olvid(?:es|aras)(?: de)?"
    r"|olvide(?= (?:usted )?lo )|olvide(?=.{0,80}\bpor favor)"
    r"|por favor,? olvide|olvide usted|olvidese(?: usted)?(?: de)?|olvidel[oa]s?"
    r"|^olvidar(?:lo|te de)?|no (?:tengas|tenga|tengan) en cuenta"
    r"|(?:ignor[ae]|descart[ae])(?= (?:todo )?lo (?:que|del?) )"
    r"|no (?:me )?(?:guard|anot|apunt|registr|almacen)es?(?= (?:mis?|lo (?:que|del?)) )"
)
_DELETE = (
    r"(?:borr|elimin)(?:a|ad|ame|alo|e)|(?<=[ek]\x20)(?:borr|elimin)(?:es|aras)|^(?:borr|elimin)ar"
    rf"|(?:sac[ae]|quit[ae]|suprim[ae])(?=[^.,;:!?]{{2,60}} {KEPT_IN})"
)
_MY = r"(?:mis?|es[eo]|este) (?:\w+ )?"
_ABOUT_ME = r"(?:(?:de|sobre|acerca de) mi|(?:lo )?que te (?:dije|conte|he (?:dicho|contado)))"
_KNOWN = r"lo que (?:sepas|sabes|sabe|recuerdas|recordas|recuerda|guardas|guardaste|tienes|tenes)(?: guardado)?"

FORGETTING = Forgetting(
    verbs=Pattern(rf"(?<!\w)(?:{_FORGET}|{_DELETE}|ya no us)"),
    asks=Pattern(rf"{ask(_POLITE, _FORGET, _DELETE)}|(?<!\w)ya no us[oe](?!\w)"),
    may_ask=Pattern(
        r"\b(?:olvid|borr|elimin|suprim|descart|ignor|guard|anot|registr|almacen|conserv|desaparezca|acuerd"
        r"|no \w* ?quiero|(?:quit|sac|tir)(?:[ae]|ad|ar|as|que)(?:l[aeo]s?|me)?\b|fuera\b|dejalo\b)"
    ),
    behind=Pattern(
        r"\W*(?:(?:ah|y|oye|mira|por favor)\W+){0,2}(?P<value>(?:lo|eso|aquello|todo lo) (?:que te (?:dije|conte) )?"
        r"(?:de(?:l| la| los| las)? )[^.;:!?|]{2,60}?)(?: que te (?:dije|conte|he dicho|he contado|comente))?,? "
        r"(?:(?:por favor|mejor|ya),? )?"
        r"(?:borr[ae]|elimin[ae]|olvid[ae]|quit[ae]|sac[ae])(?:lo|telo)?(?!\w)"
    ),
    called={
        "age": word_set("edad anos"),
        "birthday": word_set("cumpleanos cumple nacimiento"),
        "job": word_set("trabajo profesion oficio empleo"),
        "employer": word_set("trabajo empleo"),
        "studies": word_set("estudio carrera escuela colegio universidad facultad"),
        "city": word_set("vive viven vivo"),
        "phone": word_set("cel celular movil telefono numero"),
        "email": word_set("mail correo email"),
        "health": word_set("medicina medicamento medicacion pastilla remedio salud enfermedad diagnostico"),
        "allergy": word_set("alergia"),
        "plan": word_set("viaje"),
        "pet": word_set("mascota"),
    },
    objects=(
        (("name",), pattern(rf"{_MY}nombre|como me llamo|quien soy")),
        (("phone",), pattern(rf"{_MY}(?:telefono|celular|movil|numero|whatsapp)")),
        (("email",), pattern(rf"{_MY}(?:correo|mail|e-?mail)")),
        (
            ("city", "country"),
            pattern(r"(?:el lugar )?(?:donde|en que (?:ciudad|pais)) (?:vivo|resido|estoy viviendo)"),
        ),
        (("city",), pattern(rf"{_MY}(?:ciudad|direccion|domicilio)")),
        (("country",), pattern(rf"{_MY}pais|de donde (?:soy|vengo)")),
        (("employer", "job"), pattern(rf"{_MY}(?:trabajo|empleo|laburo|chamba)")),
        (("employer",), pattern(rf"{_MY}empresa|(?:(?:en )?donde|para quien) (?:trabajo|laburo|chambeo|curro)")),
        (
            ("job",),
            pattern(rf"{_MY}(?:profesion|puesto|oficio|cargo)|a que me dedico|(?:en|de) que (?:trabajo|laburo)"),
        ),
        (("department",), pattern(r"mi departamento|en que departamento (?:estoy|trabajo)")),
        (("team",), pattern(r"mi equipo|en que equipo (?:estoy|trabajo)")),
        (
            ("birthday",),
            pattern(
                rf"{_MY}(?:cumpleanos|cumple|fecha de (?:nacimiento|cumpleanos))"
                rf"|(?:la )?fecha de mi (?:cumple(?:anos)?|nacimiento)",
                r"(?:cuando|que dia) (?:naci|cumplo)",
            ),
        ),
        (("language",), pattern(r"mis idiomas|(?:que|los) idiomas (?:que )?hablo")),
        (("family",), pattern(r"mi familia")),
        (("pet",), pattern(r"mis? mascotas?")),
        (("likes", "dislikes"), pattern(r"mis gustos")),
        (("dislikes",), pattern(r"(?:lo |las cosas )?que no me gustan?")),
        (
            ("likes",),
            pattern(r"(?:lo |las cosas )?que (?:mas )?me (?:gustan?|encantan?)|mis (?:aficiones|hobb(?:ie|y)s)"),
        ),
        (("preference",), pattern(r"mis preferencias|(?:lo )?que prefiero")),
        (("plan",), pattern(r"mis planes")),
        (("remember",), pattern(r"(?:todo )?lo que te pedi (?:que )?record\w+|mis (?:notas|recordatorios)")),
    ),
    everything=Pattern(
        (
            rf"(?:(?:{ask(_POLITE, _FORGET)})\s+(?:todo(?: (?:{_KNOWN}))?(?: {_ABOUT_ME})?|{_KNOWN} {_ABOUT_ME}|de mi)"
            rf"|{ask(_POLITE, _DELETE)} (?:todo(?: {_ABOUT_ME}| lo mio)?"
            rf"|(?:todo )?(?:{_KNOWN} {_ABOUT_ME}|(?:todos )?mis (?:datos|recuerdos)|mi memoria))"
            rf"|{ask(_POLITE, 'olvidame')})\W*(?:(?:por favor|porfa|y (?:empe\w+|comen\w+|volv\w+).*)\W*)?$"
        ).replace(" ", r"\s+")
    ),
    offers=Pattern(r"\bolvid"),
    confirms=Pattern(r"\W*(?:si|sip|sii+|aja|simon|claro|dale|exacto|correcto|es[eao]|asi es|por favor|ok)\b"),
    all_of_them=Pattern(r"\b(?:ambas?|ambos|tod[oa]s?|l[oa]s (?:dos|tres|cuatro))\b"),
    places=(
        word_set("primera primero primer 1"),
        word_set("segunda segundo 2"),
        word_set("tercera tercero tercer 3"),
        word_set("ultima ultimo"),
    ),
)
