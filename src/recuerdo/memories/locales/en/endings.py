"""Words that may follow a value, and words that say that a value no longer holds."""

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Cue, cue, pattern, spelled
from recuerdo.memories.extraction.lexicon.households import ANIMALS, COUNTED_ANIMALS, COUNTED_RELATIVES, RELATIVES
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.en.phrases import AM, HERE, NOW, SINCE

TAILS: dict[Attribute, tuple[Cue, ...]] = {
    "country": (cue(read.sure_city, r"in"),),
    "employer": (
        cue(read.role, r"as"),
        cue(read.english_unit("team", "team", "squad"), r"(?:(?:on|in|with) )?(?:(?:the|our|their) )?"),
        cue(read.english_unit("department", "department", "dept"), r"(?:in )?(?:(?:the|our|their) )?"),
        cue(read.field, r"in"),
        cue(read.sure_city, r"in|based in|over in|out of"),
    ),
    "job": (
        cue(read.age, r"(?:aged |i'm |im )?(?=\d\d(?: years|,|\W*$))"),
        cue(read.english_unit("team", "team", "squad"), r"(?:on|in) (?:the|our)"),
        cue(read.english_unit("department", "department"), r"in (?:the|our)"),
        cue(read.employer, r"at|for|with"),
        cue(read.company, r"of"),
        cue(read.sure_city, r"in|based in"),
    ),
    "department": (cue(read.workplace, r"at|of|for"),),
    "team": (cue(read.workplace, r"at|of|for"),),
    "family": (
        cue(
            read.named("family"),
            rf"(?:and )?(?:my|our) (?:\w+ )?{RELATIVES},?(?:'s| is| are)?(?: called"
            rf"| named)?",
        ),
        cue(read.counted("family"), rf"and (?:i have |we have )?{COUNTED_RELATIVES}"),
        cue(
            read.named("pet"),
            rf"(?:and|plus) (?:an?|my|our) (?:\w+ ){{0,2}}{ANIMALS},? (?:called|named"
            rf"|is called)",
        ),
        cue(read.counted("pet"), rf"(?:and|plus) (?:i have |we have )?{COUNTED_ANIMALS}"),
    ),
    "pet": (
        cue(read.named("pet"), rf"(?:and )?(?:the|an?|my|our) (?:\w+ )?{ANIMALS},?(?:'s| is)?(?: called| named)?"),
        cue(read.counted("pet"), rf"and {COUNTED_ANIMALS}"),
        cue(read.counted("family"), rf"and {COUNTED_RELATIVES}"),
    ),
    "marital_status": (
        cue(read.written("family"), r"to|with"),
        cue(read.counted("family"), r"(?:with|and)(?: have| i have)?"),
    ),
    "age": (
        cue(read.occupation, r"(?:(?:an?|the)(?= ))?(?=\w)"),
        cue(read.hometown, r"(?:(?:and )?i\'m )?(?:originally )?from"),
    ),
    "possession": (cue(read.possession, r"(?:and)"),),
    "origin": (
        cue(read.age, r"(?:aged |i'm )?(?=\d\d(?: years|,| and |$))"),
        cue(read.occupation, r"(?:(?:an?|the)(?= ))?(?=\w)"),
    ),
    "allergy": (cue(read.allergy, r"(?:and|nor) to"),),
    "name": (
        cue(read.hometown, r"(?:(?:and )?i\'m )?(?:originally )?from"),
        cue(read.age, r"(?:aged |i\'m )?(?=\d\d(?: years|,| and |$))"),
        cue(read.field, r"from"),
        cue(
            read.occupation,
            r"(?:\d\d(?: yo| y/o| years old)?,? )?(?:(?:from|in) [a-z]+(?: [a-z]+)?,? )?(?=\w)(?:(?:an?"
            r"|the)(?= ))?",
        ),
    ),
}

ASIDES = Pattern(spelled(rf"(?:\s*,?\s*(?:{SINCE}|{HERE}|{NOW})(?!\w))*\s*,?\s*".replace(" ", r"\s+")))

DENIALS: tuple[Cue, ...] = (
    cue(
        read.employer,
        r"i (?:don't|dont|do not|no longer)(?: actually| really)? work (?:at|for|in)",
        r"i(?:'ve| have)? (?:quit|left|resigned from|stopped working (?:at|for)|used to work (?:at|for))"
        r"(?: my job at)?",
        r"i (?:was|got) (?:fired|laid off) (?:from|by)",
        rf"{AM} (?:not|no longer) (?:working )?(?:at|with|for)",
    ),
    cue(
        read.city,
        r"i (?:don't|dont|do not|no longer)(?: actually| really)? live (?:in|near)",
        r"i (?:used to live in|left|moved out of|moved away from)",
        r"(?:i|we)(?:'ve| have)? moved from",
        rf"{AM} (?:not|no longer) (?:living |based )in",
    ),
    cue(read.occupation, rf"{AM} no longer an?", r"i used to be an?", r"i stopped being an?"),
    cue(read.known_name, r"my name (?:isn't|is not|is no longer)"),
    cue(read.phrase("likes"), r"i (?:don't|dont|do not|no longer) (?:like|love|enjoy)"),
    cue(read.phrase("dislikes"), r"i (?:don't|dont|do not|no longer) (?:hate|dislike|mind)"),
    cue(read.spoken_language, r"i (?:don't|dont|do not|no longer) speak"),
    cue(read.preference, r"i (?:don't|dont|do not|no longer) prefer"),
)

_RETIRED = pattern(
    r"i(?:'?ve| have)?(?: (?:now|just|finally|recently|officially|since|already))* retired"
    r"(?= from (?:work|teaching|nursing|medicine|practice|my \w+|the (?!team|race|game)\w+)(?!\w)"
    r"|\W*$|,| (?:and|yesterday|today|last|this|in|at|on|a|two|three|now"
    r"|altogether|completely|early|years|some)(?!\w))",
    r"(?:i'?m|i am)(?: (?:now|already|fully|officially|happily))* retired"
    r"(?=\W*$|,| (?:and|but|now|since|these|from work)(?!\w))",
)

GONE: tuple[tuple[Attribute, Pattern], ...] = (
    ("employer", _RETIRED),
    ("job", _RETIRED),
    (
        "employer",
        pattern(
            r"i (?:don't|do not|no longer) (?:work|have a job)(?: anymore| any more)?(?=\W*(?:$|,|and ))",
            r"i (?:quit|resigned)(?: my job)?(?=\W*(?:$|,|and |yesterday|today|last))",
            r"i (?:was|got) (?:fired|laid off)(?=\W*(?:$|,|and |yesterday|today|last))",
            r"i lost my job|(?:i'm|i am) (?:unemployed|out of work|between jobs)",
        ),
    ),
    (
        "studies",
        pattern(r"(?:^|i(?:'ve)? |just )(?:dropped out|left (?:college|university|uni)|changed (?:my )?majors?)"),
    ),
    ("employer", pattern(r"(?:i'm|im|i am|now)(?: now)? (?:freelancing|self-employed|working for myself)")),
    ("pet", pattern(rf"(?:my|our) {ANIMALS}(?: \w+)? (?:died|passed away)|i no longer have an? {ANIMALS}")),
)

FORGET = pattern(r"(?<!don't\x20)(?<!dont\x20)(?<!not\x20)(?<!never\x20)forget that")
