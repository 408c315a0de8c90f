"""The kinds of things that questions in Spanish ask for, with the words that ask and those that tell them."""

import re
from collections.abc import Mapping

from recuerdo.memories.locales.offline_language import NEVER, AskedKind, within

_STUDIES = (r"estudi\w+", "carrera", "semestre", "escuela", "facultad", "universidad", "uni", "curso")

ASKED: Mapping[AskedKind, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "work": (
        within(
            r"trabaj\w+",
            r"labur\w+",
            r"chamb\w+",
            r"dedic\w+",
            "profesion",
            "oficio",
            "ocupacion",
            "empresa",
            "empleo",
            "hace",
            "hago",
            "vida",
        ),
        within(
            r"trabaj\w+",
            r"labur\w+",
            r"chamb\w+",
            "curro",
            "empleo",
            r"contrat\w+",
            "turno",
            r"maneja\w*",
            r"vend[eo]",
            "puso un",
            "taller",
            "negocio",
            "tengo un puesto",
        ),
    ),
    "place": (
        within("donde", "adonde", "ciudad", "pueblo", "barrio", "pais", "zona", "lugar", r"viv\w+", "queda", "parte"),
        within(
            r"viv\w+",
            r"mud\w+",
            "me cambie",
            "nos cambiamos",
            "soy de",
            "es de",
            r"naci\w*",
            "se fue a",
            "esta en",
            "estoy en",
            "vuelve a",
            "queda en",
            "radica",
        ),
    ),
    "health": (
        within(
            "salud", r"enferm\w+", "padezco", "padece", "mal", "condicion", r"diagnostic\w+", r"oper\w+", "dolencia"
        ),
        within(
            r"diagnostic\w+",
            r"oper\w+",
            "presion",
            "dolor",
            r"cirugia\w*",
            "doctor",
            "medico",
            "sufre de",
            "padezco",
            "padece",
        ),
    ),
    "medicine": (
        within("medicinas?", r"medicamentos?", r"pastillas?", "remedios?", "tomo", "toma", "tratamiento"),
        within(
            "mg",
            r"pastillas?",
            r"recet\w+",
            "inhalador",
            "insulina",
            "tomo",
            "toma",
            r"\w{3,}(?:pril|sartan|formina|cilina|azol|statina|fen|mol)",
        ),
    ),
    "age": (
        within("edad", "anos tiene", "anos tengo", r"anos cumpl\w+", "viej[oa]"),
        within(r"\d{1,3} (?:anos|anitos)", r"cumpl\w+ (?:los )?\d+", r"(?:tengo|tiene|de) \d{1,3}"),
    ),
    "pet": (within("mascotas?", "animal(?:es)?", "perr[oa]s?", "gat[oa]s?", "pajaro", "bichos?"), NEVER),
    "vehicle": (
        within("carro", "coche", "auto", "camioneta", "moto", r"manej\w+", "conduzco", "vehiculo", "bici"),
        within("carro", "coche", "auto", "camioneta", "moto", r"manej\w+", "0km", "modelo", "bici(?:cleta)?"),
    ),
    "studies": (within(*_STUDIES, "grado", "ano esta"), within(*_STUDIES, "secundaria", "prepa", "primaria")),
    "food": (
        within("comer", "como", "come", "comida", "dieta", r"alergi\w+", "tomar", "beber", "intolerante"),
        within(
            "no como",
            "no come",
            r"vegan\w",
            r"vegetarian\w",
            r"celiac\w",
            "gluten",
            "lactosa",
            r"alergi\w+",
            r"intoleran\w+",
        ),
    ),
    "partner": (
        within(r"casad\w", r"solter\w", r"novi[oa]", r"espos[oa]", "marido", "mujer", "pareja", "saliendo"),
        within(
            r"casad\w",
            r"cas[eo]",
            r"novi[oa]",
            r"espos[oa]",
            "marido",
            "mujer",
            "pareja",
            "termin[eo]",
            r"divorci\w+",
            r"separ\w+",
            "saliendo",
            r"viud\w",
        ),
    ),
    "language": (within("idiomas?", "lenguas?", "hablo", "habla"), within("hablo", "habla", "aprendiendo")),
    "sport": (
        within("equipo", "cuadro", "club", "hincha", "deporte"),
        within("hincha", "a muerte", r"seguidor\w*", "fan", "juego", "juega", "equipo", r"\w+ista"),
    ),
    "day": (
        within("cuando", "que dia", "que fecha", "a que hora", r"cumple\w*"),
        within("manana", "la semana que viene", "el mes que viene", "el proximo", "cumple"),
    ),
    "children": (
        within(r"hij[oa]s?", r"nin[oa]s?", "chicos", "niet[oa]s?"),
        within(r"hij[oa]s?", r"nin[oa]s?", "chiquit[oa]", "pibe", "nen[ea]", "niet[oa]s?", "bebe"),
    ),
}
