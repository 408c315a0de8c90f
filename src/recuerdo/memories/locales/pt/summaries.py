"""Words of sentences that a summary keeps."""

from recuerdo.memories.extraction.wordlists import SummaryWords

SUMMARIES = SummaryWords(
    days=(
        r"segunda|terca|quarta|quinta|sexta|sabado|domingo|amanha|janeiro|fevereiro|marco|abril|maio"
        r"|junho|julho|agosto|setembro|outubro|novembro|dezembro"
    ),
    decisions=(
        r"decid\w+|acord\w+|combin(?:amos|ado)|elegi\w*|escolh\w+|ficou|confirm\w+|vamos|tenho que"
        r"|preciso|prazo|cancel\w+|reserv\w+"
    ),
)
