"""Portuguese, of Brazil and of Portugal."""

from recuerdo.memories.locales.locale import locale_of
from recuerdo.memories.locales.pt import (
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

PORTUGUESE = locale_of("pt", cues, dialogue, endings, forgetting, kinds, limits, offline, prompts, tagged, times)
