"""Words by which a statement is accepted or not."""

from recuerdo.memories.extraction.patterns import NEVER
from recuerdo.memories.extraction.wordlists import GuardWords

GUARDS = GuardWords(
    denies_reasons=(r"\bnao", r"\bnao e", r"\bso"),
    reasons=r"porque|pq|pois|ja que|entao|por isso|portanto",
    without_that=r"(?<!\w)sem \w{1,20}(?: \w{1,20}){0,2}? que\s(?:eu\s)?\Z",
    third_person_past=NEVER,
    leaves_alone=(
        r"nao (?:se |te )?esque\w+|nao ha problema|sem problema|nao so|se quer(?:es)? saber|caso nao saibas?"
        r"|se (?:quiser|precisar|puder)[a-z ]{0,20}"
        r"|nao (?:sei se (?:te |ja te |eu )?(?:disse|contei|falei|sabe)|te (?:contei|disse|falei))(?: que)?"
    ),
    nearly=r"(?:quase|qse|kase)(?! (?:nao|nada|nunca|sempre|tod[ao]s?)\b)|por pouco",
    thinks_better=(
        r"(?:mas|e|so que) (?:no final |depois |ai )?(?:desisti|me arrependi|arrependi me|mudei de ideia|voltei atras)"
    ),
    still=r"ainda(?! (?:bem|mais|assim)\b)|continu(?:o|a|amos|am)|sigo|segue",
    reminds=r"(?:te|lhe|ja) (?:te )?(?:disse|falei|contei)",
    taken_back=(
        r"(?:(?:ja|agora|agora ja) nao|nao mais)(?: mais)?(?=\W*(?:$|[,.;]))"
        r"|(?:ja )?vendi(?: ele| ela)?(?=\W*(?:$|[,.;]|ontem\b|(?:no|na|faz|ha|mes|semana|ano) ))"
    ),
    names_oneself=r"chamo|chamam|nome|sou|apelid\w+",
    remembers=r"lembr\w+|record\w+|anot\w+|nao (?:se )?esque\w+",
    wishes=r"prefir\w+|prefer\w*|sempre|gost\w+|quero|por favor|responde\w*|melhor|trat\w+",
)
