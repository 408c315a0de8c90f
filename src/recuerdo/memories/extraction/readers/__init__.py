"""How values are read off the words after a cue, one reader a kind of value.

A reader returns None when the words are not what the cue announced: `soy feliz` is not a name, `trabajo en casa` no
employer.
"""

from recuerdo.memories.extraction.readers.contacts import birthday, email, phone
from recuerdo.memories.extraction.readers.employers import (
    company,
    employer,
    field,
    known_company,
    own_company,
    workplace,
)
from recuerdo.memories.extraction.readers.households import called, counted, given, named, written
from recuerdo.memories.extraction.readers.occupations import occupation, role
from recuerdo.memories.extraction.readers.people import introduced, known_name, likely_name, nickname
from recuerdo.memories.extraction.readers.phrases import everything, fan, instruction, phrase, preference
from recuerdo.memories.extraction.readers.plans import dated, undated
from recuerdo.memories.extraction.readers.possessions import driven, possession
from recuerdo.memories.extraction.readers.spoken_languages import spoken_language
from recuerdo.memories.extraction.readers.towns import city, hometown, plainly, sure_city
from recuerdo.memories.extraction.readers.traits import (
    abstinence,
    age,
    allergy,
    any_age,
    diagnosis,
    diet,
    diet_followed,
    health,
    intolerance,
    introduced_age,
    marital_status,
    medicine,
    origin,
    studies,
)
from recuerdo.memories.extraction.readers.units import english_unit, unit

__all__ = [
    "abstinence",
    "age",
    "allergy",
    "any_age",
    "birthday",
    "called",
    "city",
    "company",
    "counted",
    "dated",
    "diagnosis",
    "diet",
    "diet_followed",
    "driven",
    "email",
    "employer",
    "english_unit",
    "everything",
    "fan",
    "field",
    "given",
    "health",
    "hometown",
    "instruction",
    "intolerance",
    "introduced",
    "introduced_age",
    "known_company",
    "known_name",
    "likely_name",
    "marital_status",
    "medicine",
    "named",
    "nickname",
    "occupation",
    "origin",
    "own_company",
    "phone",
    "phrase",
    "plainly",
    "possession",
    "preference",
    "role",
    "spoken_language",
    "studies",
    "sure_city",
    "undated",
    "unit",
    "workplace",
    "written",
]
