"""Words of sentences that a summary keeps."""

from recuerdo.memories.extraction.wordlists import SummaryWords

SUMMARIES = SummaryWords(
    days=(
        r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|january|february|march|april"
        r"|june|july|august|september|october|november|december"
    ),
    decisions=(
        r"decid\w+|agreed?|chose|choose|we will|we'll|let's|i have to|need to|deadline|confirm\w+"
        r"|cancel\w+|reserv\w+|booked"
    ),
)
