"""Words by which a statement is accepted or not."""

from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.wordlists import GuardWords

GUARDS = GuardWords(
    denies_reasons=(r"\bno", r"\bno es", r"\bsino", r"\bsolo"),
    reasons=r"porque|porq|pq|xq|(?:ya|dado|puesto|asi) (?:que|q)|por eso|por lo que",
    without_that=r"(?<!\w)sin \w{1,20}(?: \w{1,20}){0,2}? que\s(?:yo\s)?\Z",
    third_person_past=Pattern(
        r"(?<!\bs)(?<!\bav)(?<!\bp)(?<!\bn)(?<!me encontr)(?<!me diagnostic)(?<!me detect)(?<=\w)[óÓ](?!\w)"
    ),
    leaves_alone=(
        r"no (?:te |se te |lo |se )?olvid\w+|no te preocupes|no pasa nada|no hay problema|no solo|no dudes"
        r"|si (?:quieres|queres) saber|por si (?:acaso|no sabias|te sirve|no lo sabias|las dudas)|a veces no"
        r"|(?:por |x )?si (?:quieres|kieres|queres|necesitas|ocupas|gustas|hace falta)[a-z ]{0,20}"
        r"|no (?:manches?|mames|inventes|jodas|veas|me digas)"
        r"|no (?:se si (?:te |ya te )?(?:dije|conte|sabes|sabias|mencione)|te (?:dije|conte)|sabes)(?: que)?"
    ),
    nearly=r"(?:casi|ksi)(?! (?:no|nada|nadie|nunca|siempre|tod[ao]s?)\b)|por poco",
    thinks_better=(
        r"(?:pero|y|aunque) (?:al final |luego |despues )?(?:me arrepenti|desisti|cambie de (?:idea|opinion)"
        r"|me eche (?:pa |para )?atras)"
    ),
    still=r"todavia|aun(?! (?:asi|mejor|mas|cuando|que|con)\b)|sigo|sigues?|seguimos|siguen",
    reminds=r"te (?:lo )?(?:dije|conte|habia (?:dicho|contado))",
    taken_back=(
        r"(?:ahora )?ya no(?: mas)?(?=\W*(?:$|[,.;]))"
        r"|(?:ya )?(?:me )?l[oa]s? (?:vendi|vendimos|regale|robaron)\b"
    ),
    names_oneself=r"me llam\w+|nombre|soy|dicen|apod\w+|apellid\w+|firm\w+",
    remembers=r"recuerd\w+|record\w+|acuerd\w+|acord\w+|no (?:te )?olvid\w+|anot\w+|apunt\w+|ten en cuenta",
    wishes=(r"prefier\w+|prefir\w+|prefer\w*|siempre|gust\w+|quiero|por favor|responde\w*|mejor|tut\w+|trat\w+"),
)
