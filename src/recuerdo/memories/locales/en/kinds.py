"""How each kind of thing is told, asked for, answered and named."""

from collections.abc import Mapping

from recuerdo.core.memories import Attribute
from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Kind, cue
from recuerdo.memories.extraction.lexicon.households import ANIMALS, RELATIVES

_AM = r"(?:i'm|i am|im)(?: now| still| also| happily| recently| a| an| actually| currently| officially| newly)*"
_IS = r"(?:'s| is| was)"
_YOU = r"(?:you|u|ya)"
_YOUR = r"(?:your|ur|yr)"
_WHATS = r"(?:what'?s|what is|whats|whts)"

KINDS: Mapping[Attribute, Kind] = {
    "age": Kind(
        says=(
            r"(?:i'm|im|i am|my name's|my name is) [a-z]{2,20},(?= \d\d(?:,| and|$))",
            rf"{_AM}(?: only| just| about)*",
            r"(?:i(?:'ve)? (?:just )?turned|(?:^|(?<=[,;]\x20))(?:just |finally )?turned"
            r"|i just turned)",
            r"at (?:the|my)(?: ripe| tender| old| grand)* age of",
            r"my age(?:'s| is)",
        ),
        tells=(rf"(?:{_IS}|turned| turned| just turned)(?: only| about| already)?",),
        asked=(rf"how old (?:are|r) {_YOU}", rf"(?:{_WHATS} )?{_YOUR} age"),
        stems=("i'm",),
        named=(r"my age", r"how old i(?:'m| am)"),
        asked_of=(r"how old(?:'s| is| are)",),
        told_stems=("is",),
        also=(cue(read.introduced_age, r"^(?=\d\d, )"),),
    ),
    "origin": Kind(
        says=(
            rf"{_AM}(?: originally)? (?:from|a native of)",
            r"i (?:was (?:actually |originally |really )?born(?: and (?:raised|bred))?|grew up) in",
            r"i (?:originally )?(?:come|came|hail) from",
            r"(?:^|(?<=[,;]\x20))(?:born(?: and (?:raised|bred))?|raised) in",
        ),
        tells=(r"(?:'s| is| was| comes| come)(?: originally)? (?:from|born in)",),
        asked=(rf"where (?:are|r|do) {_YOU} (?:originally )?(?:come )?from", rf"where were {_YOU} born"),
        stems=("i'm", "i'm from"),
        named=(r"where i(?:'m| am| come) from", r"where i was born"),
        asked_of=(r"where(?:'?s| is| are| was| does) .{2,40} (?:from|born)",),
    ),
    "marital_status": Kind(
        says=(_AM, r"i (?:recently |just |finally )?got", r"(?:i )?find myself", r"my marital status is"),
        tells=(r"(?:'s| is|'s not| got)",),
        asked=(r"marital status", rf"(?:are|r) {_YOU} (?:married|single)"),
        stems=("i'm",),
        named=(r"my marital status",),
    ),
    "studies": Kind(
        says=(
            r"(?:i study|(?:i'm |im |i am )(?:currently )?(?:studying|reading|majoring in)|i studied|i majored in"
            r"|my major is|i did my degree in|i'm doing a degree in)",
            r"(?:^|(?<=[,;]\x20))studying",
            r"i (?:graduated|have a (?:degree|bachelor'?s|master'?s|phd|doctorate)|hold a (?:degree|phd)) in",
            r"i(?:'ve got| got) a (?:degree|bachelor'?s|master'?s|phd|doctorate) in",
        ),
        tells=(r"(?:studies|'s studying| is studying|studied|'s doing a degree in| graduated in)",),
        asked=(rf"what (?:do|did|are|r) {_YOU} (?:study|studying|major)\w*", rf"{_YOUR} major"),
        stems=("i study",),
        named=(r"my studies", r"my degree", r"what i (?:study|studied)"),
        asked_of=(r"what (?:does|is) .{2,40} study",),
        told_stems=("studies",),
    ),
    "health": Kind(
        says=(
            r"(?:i have|i've(?: got)?|ive(?: got)?|i suffer from|i get|i live with|i've been living with|i got"
            r"|i'm on [\w-]+(?: [\w-]+)? for|i take [\w-]+(?: [\w-]+)? for)(?: my)?",
            _AM,
        ),
        tells=(r"(?: has|'s got| suffers from| is|'s| gets| lives with)",),
        asked=(r"(?:any|what) (?:health|medical) (?:conditions?|issues?|problems?)", r"any (?:illness|condition)\w*"),
        stems=("i have", "i'm"),
        named=(r"my health", r"my (?:illness|condition)s?"),
        also=(
            cue(
                read.diagnosis,
                r"(?:i was |i got |i've been |got |been |was )diagnosed with",
                r"(?:my |the )?(?:doctors? |they )(?:recently |just )?(?:found|say|says) (?:that )?(?:i have"
                r"|i've got|i've|ive got)",
            ),
            cue(read.medicine, r"(?:(?:i'?m|i am)(?: now)? on|i take|(?:i'?m|i am) taking|(?:put|switched) me on)"),
        ),
    ),
    "allergy": Kind(
        says=(
            r"(?:(?:i'm|i am|im) |^|(?<=[,;]\x20))(?:\w+ly |very |super |also )?allergic to",
            r"i (?:have|'ve got|ve got) an? (?:\w+ )?(?:allergy|intolerance) to",
            r"my (?:body|stomach|gut|system) (?:can't handle|won't take|can't take|doesn't tolerate|can't process)",
        ),
        tells=(r"(?:'s| is| are) (?:\w+ly )?allergic to", r" has an allergy to"),
        asked=(r"allerg(?:ic|y|ies)", r"intoleran\w+"),
        stems=("i'm allergic", "i'm allergic to"),
        named=(r"my allerg(?:y|ies)", r"what i(?:'m| am) allergic to"),
        asked_of=(r"what(?:'?s| is| are) .{2,40} allergic to",),
        also=(cue(read.intolerance, r"(?:i'm|im|i am) (?=(?:[\w-]+ ){1,2}intolerant)"),),
    ),
    "diet": Kind(
        says=(rf"(?:{_AM}|i(?:'ve)? (?:became|become|gone|went|turned))(?: almost| mostly)?",),
        tells=(r"(?:'s| is| became| went| turned)(?: an?)?",),
        asked=(rf"(?:are|r) {_YOU} (?:vegan|vegetarian|coeliac|celiac)", r"dietary", rf"{_YOUR} diet"),
        stems=("i'm",),
        named=(r"my diet", r"what i (?:don't )?eat"),
        also=(
            cue(
                read.abstinence,
                r"i (?=(?:don't|dont|do not|can't|cant|cannot|never|no longer) (?:eat|drink (?:alcohol|milk"
                r"|caffeine|soda|dairy)))",
                r"(?=(?:can't|cant|cannot|don't|dont) eat )",
            ),
            cue(read.diet_followed, r"i(?:'m| am)? (?:on|follow|following)(?: an?| the)?(?= [\w-]+(?: [\w-]+)? diet)"),
        ),
    ),
    "city": Kind(
        tells=(
            r"(?: (?:now |still |currently )?(?:lives|live)|'s living| is living|'s based| is based)"
            r"(?: now| alone| over| up| down| out)? (?:in|near)",
            r"(?: (?:has |have |just |recently |finally )*|'s (?:just |recently |finally |now )*)"
            r"(?:(?:moved|relocated)(?: back| down| up| over| out)? to|(?:gone|went) to live in)",
        ),
        asked=(
            rf"where (?:do |are |r )?{_YOU} (?:live|living|based|at)",
            rf"(?:which|what) (?:city|town|country)(?: do| are| r)? {_YOU}(?: live| living)?",
            rf"(?:{_WHATS} )?{_YOUR} (?:city|town)",
        ),
        stems=("i live", "i live in"),
        asked_of=(
            r"where (?:does|do) .{2,40} live",
            r"where(?:'s| is) .{2,40} living",
        ),
        told_stems=(
            "lives",
            "lives in",
        ),
    ),
    "employer": Kind(
        tells=(r"(?: (?:now |still )?works?|'s working| is working) (?:at|for)",),
        asked=(
            rf"(?:where|who|which company|what company) (?:do |are |r )?{_YOU} work(?:ing)?(?: for| at)?",
            rf"{_YOUR} (?:employer|company)",
        ),
        stems=("i work", "i work at"),
        asked_of=(
            r"where (?:does|do) .{2,40} work",
            r"who does .{2,40} work for",
        ),
        told_stems=(
            "works",
            "works at",
        ),
    ),
    "job": Kind(
        tells=(r"(?:'s(?: an?| the)| (?:is|works as)(?: an?| the)?)",),
        asked=(
            rf"what (?:do|are|r) {_YOU} do(?:ing)?(?: for (?:a living|work))?",
            rf"{_YOUR} (?:job|profession|occupation|job title|line of work)",
        ),
        stems=("i'm", "i'm a"),
        asked_of=(r"what (?:does|do) .{2,40} do",),
        told_stems=(
            "is",
            "works as",
        ),
    ),
    "name": Kind(
        asked=(
            rf"(?:{_WHATS} )?{_YOUR} (?:first |full )?name",
            rf"who (?:are|r) {_YOU}",
            rf"what (?:should|can|shall) i call {_YOU}",
        ),
        stems=("my name is",),
    ),
    "birthday": Kind(
        tells=(r"(?: birthday is|'s birthday is| was born| has (?:his|her|their) birthday)(?: on)?(?= )",),
        asked=(
            rf"when(?:'s| is)? {_YOUR} (?:birthday|bday|birth date)",
            rf"when were {_YOU} born",
            r"date of birth",
            rf"{_YOUR} (?:birthday|bday)",
        ),
        stems=("my birthday is",),
    ),
    "email": Kind(asked=(rf"{_YOUR} (?:\w+ )?e-?mail",), stems=("my email is",)),
    "phone": Kind(asked=(rf"{_YOUR} (?:\w+ )?(?:phone|number|mobile|cell)",), stems=("my number is",)),
    "possession": Kind(
        says=(
            r"(?:i|we) (?:also )?(?:have|own|'ve got|got|bought|just bought|just got) (?=(?:an?|my|two|\d+) )",
            r"(?:i|we)(?:'ve| have)? (?:just |finally |recently )*(?:bought|got|purchased)",
            r"(?:^|(?<=and\x20)|(?<=,\x20))(?:just |finally )*(?:bought|got|own) (?=an? )",
            r"traded (?:in )?[\w -]{1,40}? for",
        ),
        asked=(rf"what (?:car|truck|bike) (?:do|have|are) {_YOU}",),
        stems=("i have",),
        named=(r"my (?:car|truck|bike|motorbike|flat|apartment|house|cottage|boat)",),
        also=(
            cue(read.driven, r"(?:i|we) (?:now )?(?:drive|ride)", r"(?:i'm|im|i am|^) ?driving(?= an? )"),
            cue(read.driven, r"my (?:new )?(?:car|truck|bike|motorbike) is(?= an? )"),
        ),
    ),
    "pet": Kind(
        asked=(
            rf"(?:have|got|own)(?: {_YOU})?(?: got)?(?: any)? {ANIMALS}",
            rf"(?:{_WHATS}|what are) {_YOUR} {ANIMALS}(?:'?s)?(?: name| called)?",
        ),
        stems=("i have", "my dog is called"),
    ),
    "family": Kind(
        asked=(
            rf"(?:{_WHATS}|what are) {_YOUR} {RELATIVES}(?:'?s)? (?:name|called)",
            rf"(?:have|got)(?: {_YOU})?(?: got)?(?: any)? {RELATIVES}",
        ),
        stems=("i have", "my son is called"),
    ),
    "language": Kind(asked=(rf"(?:what|which) languages? (?:do |can )?{_YOU} speak",), stems=("i speak",)),
    "likes": Kind(
        tells=(r" (?:really )?(?:loves?|likes?|enjoys?|adores?)", r"(?:'s| is) (?:into|fond of|crazy about)"),
        asked=(rf"what (?:do|are) {_YOU} (?:like|love|enjoy|into)", rf"{_YOUR} favou?rite"),
        stems=("i like",),
    ),
    "dislikes": Kind(tells=(r" (?:hates?|can't stand|dislikes?|loathes?)",)),
}
