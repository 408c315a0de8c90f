"""English."""

from recuerdo.memories.locales.en import (
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

ENGLISH = locale_of("en", cues, dialogue, endings, forgetting, kinds, limits, offline, prompts, tagged, times)
