"""Words for households: relatives, animals, and their number."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.patterns import Pattern

RELATIVES = (
    r"(?:hij[oa]s?|hijit[oa]s?|nen[ea]s?|beb[ea]s?|espos[oa]|marido|mujer|novi[oa]|pareja|prometid[oa]|herman[oa]s?"
    r"|hermanit[oa]s?|madres?|mamas?|padres?|papas?|abuel[oa]s?|niet[oa]s?|sobrin[oa]s?|gemel[oa]s?|melliz[oa]s?"
    r"|ahijad[oa]s?"
    r"|suegr[oa]|cunad[oa]s?|senora|viej[oa]|polol[oa]|yerno|nuera|padrastro|madrastra|hijastr[oa]s?"
    r"|ti[oa]s?|prim[oa]s?"
    r"|mulher|filh[oa]s?|filhinh[oa]s?|namorad[oa]|noiv[oa]|companheir[oa]|parceir[oa]|irmaos?|irmas?|mae|pai"
    r"|avos?|net[oa]s?"
    r"|pais|sobrinh[oa]s?|gemeos?|gemeas?|afilhad[oa]s?|sogr[oa]|esposa|esposo"
    r"|cunhad[oa]s?|enteado|enteada|miud[oa]s?|cacula|genro|nora"
    r"|sons?|daughters?|kids?|child|children|wife|husband|partner|girlfriend|boyfriend|fiancee?|spouse|brothers?"
    r"|sisters?"
    r"|parents|folks|step(?:sons?|daughters?|kids?|children)|siblings?|mother|mom|mum|father|dad|grandmother"
    r"|grandfather|grandma|grandpa|grandsons?|granddaughters?"
    r"|grandchildren|grandkids?|grandbab(?:y|ies)|nieces?|nephews?|twins?|toddlers?|bab(?:y|ies)"
    r"|nin[oa]s?|chic[oa]s(?= (?:de|y|$))|pequ(?:es|enos)|chamac[oa]s?|pib[ae]s?|guagua|crios?|criancas?"
    r"|menin[oa]s?|gur(?:i|ia|is|ias)"
    r"|moleques?|bendicion(?:es)?|boys?|girls?|little ones?|bf|gf|mam[ai]|papi|jef[ea]cit[oa]|hubby|wifey|bro"
    r"|sis|nana|pops|(?:other|better) half|missus|mij[oa]|morr[oa]|mina|vieja|jain[oa]|chavo|chava|chiquit[oa]"
    r"|bro(?:ther)?s?|sist?er"
    r"|cousins?|uncle|aunt(?:ie)?|step(?:son|daughter|mother|father|mum|mom|dad)|(?:mother|father|brother"
    r"|sister)-in-law"
    r"|grandad|granny|nan|hubby|missus)"
)

ONLY_ONE = word_set("""
madre mama mami mamita padre papa papi mae pai mother mom mum mam father dad pops
marido esposo esposa mujer mulher husband wife hubby wifey missus
novio novia namorado namorada boyfriend girlfriend bf gf pareja partner parceiro parceira companheiro companheira
""")
"""Relatives of whom there is one at a time, named or not."""

_RELATIONS = {
    "wife": "esposa mujer mulher senora wife missus wifey",
    "husband": "esposo marido husband hubby",
    "wife girlfriend": "companheira parceira prometida noiva fiancee",
    "husband boyfriend": "companheiro parceiro prometido noivo fiance",
    "girlfriend": "novia namorada polola girlfriend gf",
    "boyfriend": "novio namorado pololo boyfriend bf",
    "wife husband girlfriend boyfriend": "pareja conyuge partner spouse",
    "mother": "madre mama mami mamita vieja mae mamae mainha velha mother mom mum mam mommy mummy mudder",
    "father": "padre papa papi viejo pai papai painho velho father dad daddy pops fadder",
    "grandmother": "abuela abuelita nana vovo grandmother grandma granny gran nan",
    "grandfather": "abuelo abuelito grandfather grandpa grandad",
    "grandmother grandfather": "avo vo",
    "son": "hijo hijito nene menino filho filhinho guri moleque pibe son sons boy boys lad lads",
    "daughter": "hija hijas hijita nena menina meninas filha filhas filhinha daughter daughters girl girls lass lasses",
    "son daughter": """hijos filhos nenes meninos criancas chamacos pibes gemelos gemeos mellizos twins weans bairns
        kid kids child children""",
    "brother": "hermano hermanito irmao brother brothers bro",
    "sister": "hermana hermanas hermanita irma irmas sister sisters sis",
    "brother sister": "hermanos irmaos sibling siblings",
}
"""Words of all languages for the same relation; a key of several names each of them."""

_RELATIONS_OF = {word: frozenset(kinds.split()) for kinds, said in _RELATIONS.items() for word in said.split()}

ANIMALS = (
    r"(?:perr[oa]s?|loras?|perrit[oa]s?|cachorr[oa]s?|cachorrinh[oa]s?|gat[oa]s?|gatit[oa]s?|gatinh[oa]s?|loros?"
    r"|canarios?"
    r"|pericos?|tortugas?|conejos?|hamsters?|peces|pez|caballos?|gallinas?|iguanas?|huron(?:es)?|mascotas?"
    r"|cobayas?|cuyes"
    r"|cao|caes|cadela|cadelas|papagaios?|periquitos?|tartarugas?|coelhos?|peixes?|cavalos?|galinhas?"
    r"|dogs?|pupp(?:y|ies)|cats?|kittens?|parrots?|budgies?|turtles?|tortoises?|rabbits?|fish|horses?|hens?|ferrets?"
    r"|golden|retrievers?|labrador(?:es)?|labradors?|labradoodle|poodles?|pugs?|husk(?:y|ies)|chihuahuas?"
    r"|bulldogs?|beagles?"
    r"|dachshunds?|shih tzus?|border|collies?|pastor aleman|german shepherds?|corgis?|tabby|siamese|caniche"
    r"|salchicha|pitbulls?"
    r"|whippets?|greyhounds?|lurchers?|cockapoos?|cavapoos?|spaniels?|cocker|setters?|terriers?|yorkies?|staff(?:y|ies?)"
    r"|yorkshire|westies?"
    r"|schnauzers?|maltese|maltes|malteses?|pomeranians?|pomerania|shiba|akitas?|samoyedo?|dalmatas?|dalmatians?"
    r"|galg[oa]s?"
    r"|podenc[oa]s?|mastin(?:es)?|mastiffs?|xolo(?:itzcuintle)?s?|ragdolls?|persa|bengal|dogo|braco|pinscher"
    r"|lhasa|spitz|shitzu"
    r"|goldfish|koi|axolotl|ajolotes?|hamsteres|porquinho|jabuti|araras?|canary|canaries|cockatiels?|ponys?|pony"
    r"|ponies|burros?|donkeys?"
    r"|mutts?|doggo|pup|kitty|bichon|boxer|rottweiler|vira-?latas?|lagartixa|firulais|lomit[oa]s?|michis?"
    r"|gat[ia]jo|pollos?|ovejas?"
    r"|cabras?|vacas?|goats?|chickens?|cows?|gecko|chinchillas?|hedgehog|erizos?|cotorras?|cacatua|calopsitas?"
    r"|guinea pigs?|snakes?|lizards?|pets?|bunny)"
)
_ANIMAL = Pattern(ANIMALS)
_RELATIVE = Pattern(RELATIVES)

NAMED = (
    r"\W*(?:y |e |and )?(?:que se llaman?|que chama|se llaman?|su nombre es|le (?:puse|pusimos|decimos)"
    r"|llamad[oa]s?|de nombre"
    r"|chamam?|(?:que )?se chamam?|chamam?-se|o nome (?:dele|dela) e|chamad[oa]s?|de nome"
    r"|(?:his|her|their|its) names?(?: is|'s| are)|(?:he|she|it|who|that)(?:'s| is) (?:called|named)|called"
    r"|named|whose name is|[ao] (?=[a-z]+\W*$))"
)
"""Words that announce a name after a relative or an animal."""

_COUNT = (
    r"(?:un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|um|uma|dois|duas|quatro|sete|oito|an?|one|two|three|four"
    r"|five|seven"
    r"|eight|\d)"
)
_COUNTED = (
    rf"(?={_COUNT} (?:(?:little|young|grown|small|big|old|black|rescue|adult|hermos[oa]s|lind[oa]s|pequen[oa]s"
    rf"|beautiful"
    r"|lovely) ){0,2}NOUN(?!\w)|(?:twins|gemelos|gemelas|mellizos|gemeos|gemeas|kids|children|hijos|filhos|gatos"
    r"|perros|cats|dogs|cachorros)\W*$)"
)
"""Words before a count of relatives or animals; NOUN is the counted thing."""

COUNTED_RELATIVES = _COUNTED.replace("NOUN", RELATIVES)

COUNTED_ANIMALS = _COUNTED.replace("NOUN", ANIMALS)

BESIDES = rf"(?:(?!(?:{RELATIVES}|{ANIMALS})(?!\w))\w+ ){{1,4}}?"
"""Words in between that name no relative and no animal."""

NUMBERS = word_set("""
1 9 10 11 12
un una dos tres cuatro cinco seis siete ocho
um uma dois duas tres quatro cinco seis sete oito
a an one two three four five six seven eight
2 3 4 5 6 7 8
little young grown small big old black rescue adult hermosos hermosas lindos lindas pequenos pequenas beautiful lovely
""")


_ALSO_RELATIVES = word_set("""
lad lads lass lassie lasses weans wean bairns bairn youngest eldest oldest littlest
putos puto miuda miudo miudos miudas cacula nene nena nenes nenas peques mayor menor velho velha
patojo patoja patojos patojas cipote cipota cipotes cipotas guaguas wawa wawas gurizada piazada
carnal carnala carnales mana mudder fadder mam tita mamae papai mainha painho vovo titio titia
madrinha padrinho padrino madrina comadre compadre madrasta padrasto
""")
"""Words of regions, and words that mean a child in a family and others elsewhere: `we've two lads`, `la mayor`."""

_FRIENDS = word_set("mate mates friend friends bestie amigo amiga amigos amigas cuate parcero parcera colega flatmate")


def is_relative(word: str) -> bool:
    """Whether the folded word is one for a relative or partner."""
    return _RELATIVE.fullmatch(word) is not None


def are_same_relation(one: str, other: str) -> bool:
    """Whether two folded words may name the same relative, in any language: `kids` and `hija`, `missus` and `wife`."""
    stems = one.removesuffix("s"), other.removesuffix("s")
    return stems[0] == stems[1] or not _RELATIONS_OF.get(one, frozenset()).isdisjoint(_RELATIONS_OF.get(other, ()))


def is_spouse(word: str) -> bool:
    """Whether the folded word is one for a husband, a wife or a partner."""
    return not _RELATIONS_OF.get(word, frozenset()).isdisjoint(("wife", "husband"))


def is_close(word: str) -> bool:
    """Whether the folded word is one for a relative, partner, child or friend."""
    return is_of_family(word) or word in _FRIENDS


def is_of_family(word: str) -> bool:
    """Whether the folded word is one for a relative, partner or child where a family is spoken of."""
    return is_relative(word) or word in _ALSO_RELATIVES


def is_animal(word: str) -> bool:
    """Whether the folded word is an animal, or a breed of one."""
    return _ANIMAL.fullmatch(word) is not None
