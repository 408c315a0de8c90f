"""Words for what people own and speak of: vehicles, homes and instruments."""

import re
from collections.abc import Sequence

from recuerdo.core.memories import Fact
from recuerdo.core.words import word_set
from recuerdo.memories.extraction.words import fold

VEHICLES = (
    r"(?:coches?|autos?|carros?|carrinho|motos?|motocicletas?|scooters?|camionetas?|camionete|furgonetas?|furgoes"
    r"|furgao|vans?|bicis?|bicicletas?|bikes?|motorbikes?|motorcycles?|mopeds?|cars?|trucks?|pick-?ups?|suvs?|jeeps?"
    r"|caminhao|caminhonete|camion|barcos?|boats?|veleros?|lanchas?|kayaks?|patinetes?|tractor|trator|fusca|fusquinha)"
)
HOMES = (
    r"(?:apartamentos?|apartments?|departamentos?|depas?|pisos?|flats?|condos?|cottages?|cabins?|cabanas?|chacaras?"
    r"|sitios?|fincas?|granjas?|terrenos?|chale|lofts?|farms?|ranchos?|quintas?)"
)
INSTRUMENTS = (
    r"(?:guitarras?|pianos?|violin(?:es)?|violinos?|violao|violoes|baterias?|saxofon|saxofone|sanfona|acordeon|bandoneon"
    r"|guitars?|violins?|fiddles?|drums|drumkit|saxophone|ukulele|cello|banjo)"
)
THINGS = rf"(?:{VEHICLES}|{HOMES}|{INSTRUMENTS})"
_DEVICES = (
    r"(?:moto [ge]\d*|iphones?|samsung|galaxy|redmi|xiaomi|motorola|celulares?|celu|cel|telefonos?|telemovel|phones?"
    r"|maquinas? de (?:coser|costura)|sewing machines?|singer|juki)"
)
_KINDS = [re.compile(rf"\b{words}\b") for words in (VEHICLES, HOMES, INSTRUMENTS, _DEVICES)]


def of_kind(facts: Sequence[Fact], question: str) -> list[Fact]:
    """Those of the things that may be of the kind that a folded question names: of `what car`, no flat and no piano."""
    return [fact for fact in facts if not is_of_other_kind(fact.value, question)]


def is_of_other_kind(value: str, question: str, beside: str = "") -> bool:
    """Whether a thing is of another kind than a folded question names, which the words beside it don't name either."""
    asked = [kind for kind in _KINDS if kind.search(question)]
    is_other = any(kind.search(fold(value)) for kind in _KINDS if kind not in asked)
    return bool(asked) and is_other and not any(kind.search(fold(beside)) for kind in asked)


_VEHICLE = re.compile(VEHICLES)
_VEHICLES = [
    re.compile(rf"\b(?:{words})\b")
    for words in (
        r"coches?|autos?|carros?|carrinho|camionetas?|camionete|furgonetas?|furgoes|furgao|vans?|cars?|trucks?|pick-?ups?"
        r"|suvs?|jeeps?|caminhao|caminhonete|camion|fusca|fusquinha",
        r"motos?|motocicletas?|scooters?|motorbikes?|motorcycles?|mopeds?|bikes?|yamaha|kawasaki|ducati|vespa|harley",
        r"bicis?|bicicletas?|bikes?",
        r"barcos?|boats?|veleros?|lanchas?|kayaks?",
    )
]
_DRIVEN = re.compile(
    r"\b(?:drive|ride|manejo|conduzco|conduzo|dirijo|piloto|(?:ando|me muevo|vou) (?:en|de|em|com|con))\b"
)
_MODEL = re.compile(r"\b[A-Z]{1,4}[- ]?\d{2,4}\b|\b(?:19|20)\d\d\b")


def is_vehicle(word: str) -> bool:
    """Whether a folded word names a kind of vehicle."""
    return _VEHICLE.fullmatch(word) is not None


def may_be(kind: str, value: str, text: str) -> bool:
    """Whether what one has may be a vehicle of the kind: a `gol trend` is a car or a motorbike, and no boat a car."""
    folded = fold(value)
    if any(words.search(folded) for words in _KINDS[1:]):
        return False
    named = [words for words in _VEHICLES if words.search(folded)]
    if named:
        return any(words.search(kind) for words in named)
    is_made = not MAKERS.isdisjoint(folded.split())
    return is_made or _MODEL.search(value) is not None or _DRIVEN.search(fold(text)) is not None


MAKERS = word_set("""
honda toyota ford fiat seat vw volkswagen tesla nissan mazda renault peugeot citroen chevrolet chevy hyundai kia bmw
audi mercedes mercedes-benz skoda opel vauxhall volvo suzuki yamaha kawasaki subaru jeep dodge mini lexus porsche
mitsubishi dacia harley ducati vespa rivian jetta golf polo corsa onix gol hb20 civic corolla yaris clio focus fiesta
tacoma f-150 camry accord ibiza leon duster sandero fusca fusquinha uno palio
bocho vocho tsuru aveo versa
kangoo berlingo hilux saveiro kombi kwid tucson sportage ecosport qashqai passat tiguan amarok megane picasso xsara
zafira octavia fabia twingo hiace rav4 doblo ducato celta siena s10
""")
"""Names that cars go by where no word says that they are cars."""
