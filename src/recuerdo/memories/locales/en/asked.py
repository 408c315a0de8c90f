"""The kinds of things that questions in English ask for, with the words that ask and those that tell them."""

import re
from collections.abc import Mapping

from recuerdo.memories.locales.offline_language import NEVER, AskedKind, within

_STUDIES = (r"stud(?:y|ies|ying)", r"major\w*", "minor", "degree", "course", "uni(?:versity)?", "college", "grade")

ASKED: Mapping[AskedKind, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "work": (
        within(
            r"work\w*",
            "jobs?",
            "living",
            "trade",
            "profession",
            "occupation",
            r"employ\w*",
            "company",
            "boss",
            "do",
        ),
        within(
            r"work\w*",
            "jobs?",
            r"employ\w*",
            "shifts?",
            "hired",
            "started (?:at|with)",
            "runs?",
            "own",
            r"manag\w+",
        ),
    ),
    "place": (
        within(
            "where",
            "wheres",
            "city",
            "town",
            "suburb",
            "area",
            "country",
            "place",
            "live",
            "lives",
            "living",
            "from",
        ),
        within(
            "live", "lives", "living", "moved", "based", "stays?", "staying", "from", "back in", "over in", "now in"
        ),
    ),
    "health": (
        within(
            "health",
            "ill(?:ness)?",
            "sick",
            "condition",
            "disease",
            "wrong with",
            "medical",
            r"diagnos\w+",
            "suffer",
        ),
        within(r"diagnos\w+", "doctor", "doc", "pressure", "pain", r"surger\w+", "operation", "disease", "syndrome"),
    ),
    "medicine": (
        within("medicines?", "medication", "meds", "pills?", "tablets?", "drugs?", "take", "taking", "on for"),
        within(
            "mg",
            "pills?",
            "tablets?",
            "prescribed",
            "inhaler",
            "insulin",
            r"\w{3,}(?:pril|sartan|formin|cillin|zole|statin|pine|olol|fen|mol)",
        ),
    ),
    "age": (
        within("old", "age"),
        within(r"\d{1,3} (?:years|yrs|now|today)", r"turn(?:ed|s|ing)?", r"(?:is|m|s|am|was|whos|shes|hes) \d{1,3}"),
    ),
    "pet": (within("pets?", "animals?", "dogs?", "cats?", "birds?", "puppy", "kitten"), NEVER),
    "vehicle": (
        within("cars?", "driv(?:e|es|ing)", "vehicle", "motor", "truck", "van", "bikes?", "ride"),
        within("car", r"driv(?:e|es|ing)", "van", "truck", "bike", "scooter", "estate", "ute", "pickup"),
    ),
    "studies": (within(*_STUDIES, "school"), within(*_STUDIES, "year")),
    "food": (
        within("eat", "food", "diet", "drink", r"allerg\w+", "avoid", "toast", "cook"),
        within(
            "eat",
            "vegan",
            "vegetarian",
            "veggie",
            r"c(?:o)?eliac",
            "gluten",
            "lactose",
            r"allerg\w+",
            r"intoleran\w+",
        ),
    ),
    "partner": (
        within(
            "married",
            "single",
            "boyfriend",
            "girlfriend",
            "wife",
            "husband",
            "partner",
            "relationship",
            "dating",
            "seeing",
        ),
        within(
            "married",
            "boyfriend",
            "bf",
            "girlfriend",
            "gf",
            "wife",
            "husband",
            "partner",
            "broke up",
            "split",
            r"divorc\w+",
            "widow(?:ed|er)?",
        ),
    ),
    "language": (within("languages?", "speak"), within("speak", "fluent", "learning")),
    "sport": (
        within("teams?", "sports?", "club", "support"),
        within("support", "fan", "play", "plays", "football", "hurling", "rugby", "cricket"),
    ),
    "day": (
        within("when", "whens", "what (?:day|date|time)", "birthday", "bday"),
        within(r"\d{1,2}(?:st|nd|rd|th)", "tomorrow", "next (?:week|month|year)", "birthday", "bday"),
    ),
    "children": (
        within("kids?", "children", "sons?", "daughters?", "grandchildren"),
        within("kids?", "children", "sons?", "daughters?", "twins", "baby", "lads?"),
    ),
}
