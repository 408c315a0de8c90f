"""From a history to the model's window: pure functions that never change the history.

    MessageWindow(50)                          the newest 50 messages
    TokenWindow(4000)                          the newest 4000 tokens
    MessageWindow(50) & TokenWindow(4000)      both limits at once
    SummaryWindow(TokenWindow(4000), summary)  a summary in place of the older part

The rules that all of them keep:

- One system message at most, always kept, and first. Of several the latest holds. It counts towards the size; where
  it stands in the history does not matter.
- An assistant message with tool calls and all results of those calls are one unit: they enter and leave together,
  in the history's order, whatever stands between them. A result belongs to the nearest earlier call with its id;
  a second result of one call is kept with the first, because the history says that it was given. A result without
  its call never appears, so that no window starts with one.
- A call that still lacks results stays, with those that arrived, only at the very end of the history, with nothing
  but its own results after it. Anywhere else it is left out with them.
- A unit is as old as its first message. The window is the longest run of the newest units that fits. A unit that
  could never fit, even alone after the system message and the summary, is left out whole and skipped; one that
  would fit alone and does not fit in what is left ends the window, so that it has no other gaps.
- Archived messages are never shown, and count as if they were not there.
"""

from recuerdo.windowing.policy import CombinedWindow, Selection, WindowPolicy
from recuerdo.windowing.summary import Summary
from recuerdo.windowing.tokenizers import CharacterTokenizer, O200kTokenizer
from recuerdo.windowing.windows import MessageWindow, SummaryWindow, TokenWindow

__all__ = [
    "CharacterTokenizer",
    "CombinedWindow",
    "MessageWindow",
    "O200kTokenizer",
    "Selection",
    "Summary",
    "SummaryWindow",
    "TokenWindow",
    "WindowPolicy",
]
