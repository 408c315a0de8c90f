"""English."""

from recuerdo.memories.detectors.english import limits
from recuerdo.memories.detectors.english.cues import CUES
from recuerdo.memories.detectors.english.endings import ASIDES, DENIALS, FORGET, GONE, TAILS
from recuerdo.memories.detectors.english.forgetting import FORGETTING
from recuerdo.memories.detectors.language import Language

ENGLISH = Language(
    cues=CUES,
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
)
