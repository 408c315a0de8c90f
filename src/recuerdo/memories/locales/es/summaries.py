"""Words of sentences that a summary keeps."""

from recuerdo.memories.extraction.wordlists import SummaryWords

SUMMARIES = SummaryWords(
    days=(
        r"lunes|martes|miercoles|jueves|viernes|sabado|domingo|manana|enero|febrero|marzo|abril|mayo"
        r"|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
    ),
    decisions=(
        r"decid\w+|acord\w+|combin(?:amos|ado)|elegi\w*|queda(?:mos)?|confirm\w+|vamos|tengo que|necesito"
        r"|plazo|cancel\w+|reserv\w+"
    ),
)
