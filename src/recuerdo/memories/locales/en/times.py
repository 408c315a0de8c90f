"""How times are spoken of in this language."""

from recuerdo.core.words import numbered
from recuerdo.memories.extraction.times import TimeWords

_ABOUT = r"(?:(?:about|almost|nearly|over|around|like|more than|the (?:last|past)) )?"

TIMES = TimeWords(
    months=numbered("""
        january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sept/sep october/oct
        november/nov december/dec
    """),
    weekdays=numbered("monday/mon tuesday/tue/tues wednesday/weds thursday/thur/thurs friday/fri saturday sunday", 0),
    days={"today": 0, "tonight": 0, "tomorrow": 1, "the day after tomorrow": 2, "yesterday": -1},
    numbers=numbered("a/an/one two/a_couple_of three/a_few four five six seven eight nine ten eleven twelve")
    | {"fifteen": 15, "twenty": 20},
    units={
        "day": "day",
        "days": "day",
        "weekend": "weekend",
        "week": "week",
        "weeks": "week",
        "month": "month",
        "months": "month",
        "year": "year",
        "years": "year",
        "yrs": "year",
    },
    points=(
        r"{month} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? {year})?",
        r"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {month}(?:,? {year})?",
        r"(?:next |last |this |on )?{weekday}",
        r"{offset}",
        r"(?P<last>last) {unit}",
        r"(?:the )?(?P<next>next|coming) {unit}",
        r"(?P<this>this) {unit}",
        r"(?P<ahead>in) {number} {unit}",
        r"{number} {unit} (?P<ago>ago)",
    ),
    spans=(r"(?:(?:last|this|next|early|late|mid) )?{month}(?: (?:of )?{year})?", r"(?:early |late )?{year}"),
    at="in|by|on|for|until|till|through|since|from",
    since=r"since|from",
    until=r"(?:until|till|through|up to)(?: the end of)?",
    begun=r"(?:(?:moved|relocated)(?: back)? to|(?:joined|started(?: working)? (?:at|for)))"
    r" \w+(?: \w+){0,3}?(?: in| on)?",
    lasting=rf"(?:for|going on) {_ABOUT}{{number}} {{unit}}",
    every=r"(?<!\w)(?:every|each|daily|weekly|monthly|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day (?:of|in) the month)(?!\w)",
)
