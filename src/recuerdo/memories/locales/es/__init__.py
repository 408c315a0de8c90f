"""Spanish, of Latin America with its vos, and of Spain."""

from recuerdo.memories.extraction.kinds import cues_of
from recuerdo.memories.extraction.language import Language
from recuerdo.memories.locales.es import limits
from recuerdo.memories.locales.es.cues import CUES
from recuerdo.memories.locales.es.dialogue import DIALOGUE
from recuerdo.memories.locales.es.endings import ASIDES, DENIALS, FORGET, GONE, TAILS
from recuerdo.memories.locales.es.forgetting import FORGETTING
from recuerdo.memories.locales.es.kinds import KINDS
from recuerdo.memories.locales.es.offline import OFFLINE
from recuerdo.memories.locales.es.prompts import PROMPTS
from recuerdo.memories.locales.es.times import TIMES
from recuerdo.memories.locales.locale import Locale

SPANISH = Locale(
    code="es",
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
