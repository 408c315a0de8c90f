"""The months, as patterns over folded text."""

MONTH = (
    r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre"
    r"|janeiro|fevereiro|marco|maio|junho|julho|setembro|outubro|novembro|dezembro"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
