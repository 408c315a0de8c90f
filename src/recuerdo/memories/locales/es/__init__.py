"""Spanish, of Latin America with its vos, and of Spain."""

from recuerdo.memories.locales.es import (
    cues,
    dialogue,
    endings,
    forgetting,
    kinds,
    limits,
    offline,
    prompts,
    tagged,
    times,
)
from recuerdo.memories.locales.locale import locale_of

SPANISH = locale_of("es", cues, dialogue, endings, forgetting, kinds, limits, offline, prompts, tagged, times)
