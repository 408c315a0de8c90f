"""The languages that the offline model speaks: one file of words and patterns for each."""

from recuerdo.agents.offline.tongues.english import ENGLISH
from recuerdo.agents.offline.tongues.portuguese import PORTUGUESE
from recuerdo.agents.offline.tongues.spanish import SPANISH
from recuerdo.agents.offline.tongues.tongue import Tongue, Topic

TONGUES = (SPANISH, PORTUGUESE, ENGLISH)

__all__ = ["ENGLISH", "PORTUGUESE", "SPANISH", "TONGUES", "Tongue", "Topic"]
