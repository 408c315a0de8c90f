"""Phrases that the cues are built of, as patterns."""

from recuerdo.memories.extraction.lexicon.months import MONTH

AM = r"(?:i'm|i am|im)"

SINCE = (
    r"(?:for|since|going on|almost|about|nearly|over)(?: (?:like|about|over|almost|nearly|around|the (?:past"
    r"|last)|past"
    r"|last|an?|few"
    r"|couple|couple of|bit|while|long time|of|now|half|\d+|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|twelve|twenty"
    rf"|years?|yrs?|months?|weeks?|days?|ages|decades?|forever|{MONTH})(?!\w))+"
)

NOW = r"(?:now|rn|right now|currently|these days|at the moment|atm|nowadays|as of \w+)"

HERE = r"(?:(?:over|down|up|out|back)(?: here)?|here)"

BARE = (
    r"(?:^|(?<=[,;:]\s)|(?<=^so\s)|(?<=^and\s)|(?<=^lol\s)|(?<=^yeah\s)|(?<=^well\s)|(?<=^ok\s)|(?<=^hey\s)"
    r"|(?<=^hi\s)|(?<=\sbtw\s))"
)
"""Where a clause begins, in which `I` may be left out: `just moved to Tampa`."""

STILL = (
    r"(?:(?: |-)(?:now|currently|still|also|actually|presently|just|really|only|mainly|mostly|kinda|basically"
    r"|literally"
    r"|recently))?"
)

WORK = (
    rf"(?:i{STILL} work|{AM}{STILL} working|i(?:'ve| have){STILL} (?:been working|worked)|{BARE}(?:(?:been|currently"
    rf"|still|now|just)"
    rf" )*working|(?:i|i'm|im) [^,;:]{{1,60}}? and work)"
    rf"(?: (?:remotely|full[- ]time|part[- ]time|nights|days|evenings|weekends|mainly|mostly|{NOW}|{HERE}|{SINCE})"
    r"(?!\w))?"
)

TRADE = (
    r"(?:(?:do|does|handle|run|manage|lead|oversee|head up) (?:the )?(?:payroll|accounts|accounting|bookkeeping"
    r"|books|marketing"
    r"|sales|support|customer \w+|hr|it|research|design|data|logistics|procurement|operations|security|finances?"
    r"|legal)"
    r"|teach \w+(?: \w+)?)"
)

LIVE = (
    rf"(?:i{STILL} live|{AM}{STILL} (?:living|based(?: out of)?|located|residing)|i(?:'ve| have) (?:always "
    rf"|only )?(?:been living|lived)"
    rf"|i{STILL} reside"
    rf"|we{STILL} live|(?:{BARE}|(?<=but\x20)|(?<=and\x20))(?:(?:been|currently|still|now) )*(?:living|based"
    rf"|located|residing)|(?:i|i'm"
    rf"|im) [^,;:]{{1,60}}? (?:and|but)(?: now)? live|we're{STILL} (?:living|based|located))"
    rf"(?: (?:alone|permanently|{NOW}|{HERE}|with my \w+(?: \w+)?)(?!\w))?"
)

MOVED = (
    rf"(?:(?:i|we)(?:'ve| have)?{STILL}(?: (?:recently|actually|just|finally|now))* |{BARE}(?:just |recently )*)"
    r"(?:moved|relocated|(?:ended|wound) up (?:moving|relocating))(?: back"
    rf"| down| up| out| over)?(?:,? (?:again|house|home|flat))?"
    r"(?: from [\w ]{1,30})?(?: with my \w+)?"
    r"(?: to|,? (?:and )?(?:(?:i'm|we're|i am|we are)(?: now)?|now)(?: living)? in)"
)

BETWEEN = r"(?: (?!(?:in|at|for|and|but|not|live|work|that|if)(?!\w))\w+){1,4}?"

LOTS = (
    r"(?: (?:really|also|do|absolutely|totally|especially|particularly|always|just|genuinely|truly|still|both"
    r"|simply))*"
)

UP_TO_ADDRESS = (
    r":?(?: (?!(?:not|boss|manager|his|her|their|your|isn't|no|friend|wife|husband|coworker|colleague)(?!\w)"
    r"|(?!e-?mail)\w+'s )"
    r"[\w:,/'-]+){0,7}? (?=[\w.+-]+@\w)"
)
"""The few words between `my email` or `write to me` and the address, none of them another owner's."""

HAVE = (
    r"(?:(?:i|we)(?: just| only| also)?(?:'ve got|'ve(?= an? )| have got| have| got)|(?:^|(?<=,\s))(?:got|have)"
    r"|i'm (?:a )?(?:mum|mom"
    r"|dad|father|mother|parent|single mom) (?:of|to))"
)

CALLED = r"(?:'s| is| are)?(?: called| named)"

UNOWNED = (
    r"(?:gf|bf|wife|husband|hubby|missus|mum|mom|dad|girlfriend|boyfriend|fiancee?|nan|sis)"
    r"(?:'?s(?: an?| from| called| named| \d)| is| lives| works| has)(?!\w)"
)
"""Relatives of whom people in a hurry leave out that they are theirs: `gf is Maddie`, `mum lives in Poole`."""

DOING = (
    r"(?:moving|getting|flying|travell?ing|visiting|starting|leaving|graduating|retiring|running"
    r"|having (?:\w+ )?(?:surgery|a baby"
    r"|an? operation)|hosting|driving|heading|launching|switching|adopting|buying|expecting|taking"
    r"|relocating|marrying|proposing|emigrating|closing on|defending|competing|performing|celebrating|throwing"
    r"|seeing|meeting"
    r"|going (?:on|camping|skiing|back|home|away))"
)

FIXED = (
    r"(?:(?:job |doctor'?s |dentist |dental |driving |final |first )*(?:interview|exam|flight|wedding|trip"
    r"|appointment|appt|surgery"
    r"|test|presentation|concert|marathon|race|operation|check-?up|viva|vacation|holiday|baby|due date"
    r"|gig|game|meeting|reunion|graduation|party|barbecue|bbq|dinner|funeral|christening))"
)

DEATHS = r"(?<!i )died|passed (?:away|on)"
"""Words that tell a death."""
