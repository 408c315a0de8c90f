"""The languages that the offline model speaks: one file of words and patterns for each."""

from recuerdo.agents.offline.locales.english import ENGLISH
from recuerdo.agents.offline.locales.locale import Locale, Topic
from recuerdo.agents.offline.locales.portuguese import PORTUGUESE
from recuerdo.agents.offline.locales.spanish import SPANISH

TONGUES = (SPANISH, PORTUGUESE, ENGLISH)

__all__ = ["ENGLISH", "PORTUGUESE", "SPANISH", "TONGUES", "Locale", "Topic"]
