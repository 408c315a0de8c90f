"""Portuguese, of Brazil and of Portugal."""

from recuerdo.memories.extraction.kinds import cues_of
from recuerdo.memories.extraction.language import Language
from recuerdo.memories.locales.locale import Locale
from recuerdo.memories.locales.pt import limits
from recuerdo.memories.locales.pt.cues import CUES
from recuerdo.memories.locales.pt.dialogue import DIALOGUE
from recuerdo.memories.locales.pt.endings import ASIDES, DENIALS, FORGET, GONE, TAILS
from recuerdo.memories.locales.pt.forgetting import FORGETTING
from recuerdo.memories.locales.pt.kinds import KINDS
from recuerdo.memories.locales.pt.offline import OFFLINE
from recuerdo.memories.locales.pt.prompts import PROMPTS
from recuerdo.memories.locales.pt.times import TIMES

PORTUGUESE = Locale(
    code="pt",
    detection=Language(
        cues=(*CUES, *cues_of(KINDS)),
        tails=TAILS,
        asides=ASIDES,
        denials=DENIALS,
        gone=GONE,
        forgetting=FORGETTING,
        forget=FORGET,
        articles=limits.ARTICLES,
        joiners=limits.JOINERS,
        links=limits.LINKS,
        stops=limits.STOPS,
        breaks=limits.BREAKS,
        turns=limits.TURNS,
        starters=limits.STARTERS,
        fillers=limits.FILLERS,
        vacuous=limits.VACUOUS,
        blockers=limits.BLOCKERS,
        reports=limits.REPORTS,
        negations=limits.NEGATIONS,
        nouns=limits.NOUNS,
        kinds=KINDS,
        dialogue=DIALOGUE,
        hearsay=limits.HEARSAY,
        times=TIMES,
    ),
    prompts=PROMPTS,
    offline=OFFLINE,
)
