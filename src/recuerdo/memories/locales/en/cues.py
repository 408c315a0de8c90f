"""Words that announce a value."""

from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Cue, cue
from recuerdo.memories.extraction.lexicon.dates import WHEN
from recuerdo.memories.extraction.lexicon.households import (
    ANIMALS,
    BESIDES,
    COUNTED_ANIMALS,
    COUNTED_RELATIVES,
    NAMED,
    RELATIVES,
)
from recuerdo.memories.extraction.lexicon.months import MONTH
from recuerdo.memories.locales.en.phrases import (
    AM,
    BARE,
    BETWEEN,
    CALLED,
    DOING,
    FIXED,
    HAVE,
    LIVE,
    LOTS,
    MOVED,
    STILL,
    TRADE,
    UNOWNED,
    UP_TO_ADDRESS,
    WORK,
)

CUES: tuple[Cue, ...] = (
    cue(
        read.known_name,
        r"my (?:full |first |real |given |last )?name(?:'s| is|:)(?: actually| really| just)?",
        r"(?:everyone|everybody|my (?:friends|family|mates|mum|mom|wife|husband"
        r"|coworkers)) (?:just )?calls? me|i'm known as|they call me|(?:people|friends|folks) (?:just "
        r"|all )?call me|known as",
        r"(?<![a-z]\x20)(?:the )?name's",
        r"(?:you can|you may|people|friends|everyone|everybody|my friends|please|just) call me",
        r"i (?:usually |mostly |generally |also |just )?go by",
        r"(?:i'd rather|i prefer|i'd like|i want) you (?:to )?call me",
        rf"{AM} (?:called|named)",
    ),
    cue(
        read.likely_name,
        AM,
        r"call me",
        r"(?:hi|hiya|hello|hey|yo|sup|alright(?: mate)?|morning|evening|good morning|afternoon)(?: there| all"
        r"| guys)?,? (?:this is|it's)",
        rf"{BARE}(?=(?:\w+ ){{1,2}}here(?=\W*(?:$|[,.!;-]|and |from )))",
        r"(?:^|(?<=\s))this is(?=\W+\w+(?: here\b| from\b|,))",
        r"(?:hi|hiya|hello|hey(?: there)?|good (?:morning|evening)),? (?=(?:\w+ ){1,2}here(?=\W*(?:$|[,.!;-]"
        r"|and |from )))",
    ),
    cue(
        read.english_unit("department", "department", "dept", "division"),
        rf"(?:{WORK}|{AM}{STILL}|i belong) (?:in|at|for|to|with|from) (?:the|our)",
    ),
    cue(
        read.english_unit("team", "team", "squad", "crew"),
        rf"(?:{WORK}|{AM}{STILL}(?: part)?|i belong|i(?:'ve)? (?:just )?joined) (?:(?:on|in|of|to|for"
        rf"|with|from) )?(?:the|our)",
    ),
    cue(
        read.employer,
        rf"{WORK} (?:at|for|in|over at)",
        r"i do (?:(?:night|day|late|early|evening|weekend) )?"
        r"(?:nights|days|shifts|evenings|weekends|mornings|lates|earlies) (?:at|for)",
        r"my (?:current |day |new )?job(?:'s| is) (?:at|with)",
        r"i (?:intern|volunteer|freelance|consult|contract|temp|nurse|bartend|waitress|lecture|clerk) (?:at"
        r"|for|with)",
        rf"{AM}{STILL} (?:employed|hired) (?:at|by)",
        rf"i(?:'ve| have)?{STILL}(?: recently)? (?:joined|(?:started|begun|began)(?: working| work| a job"
        rf"| a new job| my new job)? (?:at|for))",
        rf"(?:i |{BARE})(?:just )?(?:got|landed|found) (?:a|the|my) (?:new )?(?:job|gig|position|offer) (?:at|with)",
        rf"{BARE}new (?:job|gig|position) (?:at|with)",
        r"i(?:'m| am)? (?:a )?(?:new hire|contract(?:ing|or)|temping|interning|freelancing) (?:at|for|with)",
    ),
    cue(
        read.workplace,
        r"(?:i|we) (?:run|own|founded|co-?founded|started|opened) (?:an?|my|our|my own) (?!band|club"
        r"|group)(?:[\w-]+ ){1,6}?(?:called|named)",
        r"i teach [\w ]{1,30}? (?:at|in)",
        r"i \w+(?: \w+){0,3}? at an? (?:[\w-]+ ){1,3}?(?:called|named)",
    ),
    cue(
        read.plainly(read.workplace),
        r"(?:now|currently|these days|presently)(?: i'm)? (?:at|with)",
        r"i'm (?:now|currently|presently) (?:at|with)",
        r"i(?:'ve| have) (?:just )?been (?:at|with)(?= [^,;]{2,40} (?:for|since|as) )",
        rf"(?:{BARE}|i )(?:just |recently )*(?:started|joined|began)(?: working| work| a (?:new )?(?:job"
        rf"|gig))?(?: at| with| for)?",
        r"i'm (?:at|with)(?= [^,;]{2,30} as an? )",
        r"i (?:code|develop|design|nurse|cook|drive|clean|manage|sell|tutor|write|research|engineer|build"
        r"|test|teach|train|deliver|wait tables|serve|stock shelves|tend bar)(?: \w+){0,4}?"
        r" (?:at|for)",
        r"(?:hired|employed|contracted) (?:at|by)",
    ),
    cue(read.field, rf"(?:{WORK}|{AM}{STILL}) in"),
    cue(read.known_company, rf"{AM} with"),
    cue(
        read.sure_city,
        r"i (?:run|own) (?:an?|my|our) (?!(?:[\w-]+ )?(?:cottage|cabin|boat|car|farm"
        r"|field)s?(?!\w))(?:[\w-]+ ){1,4}?in",
    ),
    cue(read.plainly(read.employer), rf"{WORK}{BETWEEN} (?:at|for)", rf"i{STILL} {TRADE} (?:at|for)"),
    cue(
        read.own_company,
        r"my (?:current )?(?:company|employer|workplace)(?:'s| is)(?: called| named)?",
        r"the company (?:that )?i work (?:for|at) is(?: called)?",
    ),
    cue(
        read.role,
        rf"{WORK} as",
        rf"{AM}(?: now)? freelancing as",
        r"(?:i )?(?:earn|make) (?:my|a) living as",
        r"(?:i )?(?:got hired|started(?: out)?) as",
        r"my (?:current )?(?:profession|job title|title|role|occupation|position)(?:'s| is)(?: that of)?",
        rf"{AM}{STILL} employed as",
    ),
    cue(read.occupation, rf"{WORK}(?: \w+){{1,4}}? as"),
    cue(
        read.occupation,
        r"(?:currently|been) (?:working as )?an?",
        r"(?:working|work|employed) as an?",
        r"by (?:trade|profession|day),? i'm an?",
        r"i've been an?",
    ),
    cue(read.occupation, rf"{AM}{STILL}(?: (?:an?|the))?", r"my (?:current )?job(?:'s| is)", r"by profession i am"),
    cue(
        read.unit("department"),
        r"my (?:department|area|division)(?:'s| is)(?: called)?",
        rf"(?:{WORK}|{AM}{STILL}) in (?:the )?(?:department|area|field) of",
    ),
    cue(read.unit("team"), r"my team(?:'s| is)(?: called| named)?"),
    cue(
        read.english_unit("team", "team", "squad", "crew"),
        r"i (?:lead|run|manage|head(?: up)?|supervise|coordinate) (?:the|our|a)",
    ),
    cue(
        read.sure_city,
        r"my (?:home ?town|home|city) is(?: in)?",
        r"(?:live|living|based)(?: \w+){0,4},? in an? (?:\w+ )?(?:village|town|city|hamlet|suburb) (?:called|named)",
        rf"(?:i|we) live{BETWEEN} in",
        r"(?:i|we) (?:settled|ended up|stay|rent|bought a (?:house|place|flat)|own a (?:house|place|flat)"
        r"|have a (?:house|place|flat))(?: down)? in",
        r"(?:home is|home for me is|my (?:house|flat|apartment|place)(?:'s| is)) in",
        r"(?:i|we) live (?:just )?(?:outside|near|close to|north of|south of|east of|west of|around)",
    ),
    cue(
        read.city,
        rf"{LIVE}(?: over| up| down| out)? (?:in|near)",
        rf"{AM}{STILL} based out of",
        MOVED,
        r"i live and (?:work|study) in",
    ),
    cue(
        read.email,
        rf"(?:my|(?:(?:if you [\w ]{{1,20}}|it's (?:best|easiest|better) to|you can|can you|could you"
        rf"|you could|you may|please|just|pls) )?(?:reach|contact|e-?mail|write to|write|ping|hit|drop"
        rf"|send(?: it| stuff| that)?(?: to)?|message|find|invite|add) me|hmu)"
        rf"{UP_TO_ADDRESS}",
        rf"{BARE}(?:(?:work|personal|my|best|home|new) )*e-?mail(?: address)?(?: is|'s)?{UP_TO_ADDRESS}",
        rf"(?:e-?mail|mail)(?:'s| is) (?:best|easiest|better)(?: for me)?{UP_TO_ADDRESS}",
    ),
    cue(
        read.phone,
        r"my (?:\w+ )?(?:number|phone|phone number|mobile|mob|cell|cellphone|tel|telephone|whatsapp"
        r"|digits)(?: number| no)?(?: is"
        r"|'s)?",
        r"(?:you can |just |pls |please )?(?:call|text|ring|phone|reach|whatsapp|hit"
        r"|message) me(?: up)? (?:at|on)",
        rf"{BARE}(?:phone|cell|mobile|tel|mob|number|whatsapp)(?: number| no| is|'s)*:?(?= ?[+(]?\d)",
        r"(?=[+(]?\d[\d ().-]{6,18}\d,?(?:'s| is) my (?:number|cell|phone|mobile|digits))",
    ),
    cue(
        read.birthday,
        r"my (?:birthday|bday|b-day|birth ?date|date of birth|dob)(?: is|'s)?(?: on| in)?",
        r"(?:i was born|^born|^(?:bday|birthday|b-day)(?: is|'s)?|i'm a [a-z]+ baby, born|i turn \d+"
        r"|i'm turning \d+|i'll be \d+|(?:(?<=[,.;:]\s)|(?<=and\s))(?:b-?day|birthday):?)(?: on(?: the)?)?",
        rf"(?=(?:on )?(?:the )?(?:{MONTH} \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd"
        rf"|th)?(?: of)? {MONTH})(?:'s| is) my (?:birthday|bday))",
    ),
    cue(
        read.spoken_language,
        rf"(?:i|we){STILL}(?: can| only)? speak",
        r"(?:i'm )?(?:bilingual|trilingual)(?: in)?:?",
        r"i grew up speaking",
        rf"{AM} (?:a )?native(?= \w+ speaker)",
        rf"{AM} (?:fluent|a native speaker of|native) (?:in |of )?",
        r"my (?:native|first|mother|main) (?:language|tongue)(?:'s| is)",
    ),
    cue(
        read.named("family"),
        r"(?:baby|boy|girl|son|daughter)\W+(?:\w+\W+){0,3}?(?:named|called) (?:him|her)",
        rf"(?:my|our) (?:\w+ ){{0,2}}{RELATIVES}(?:'?s'?)? names?(?: is| are|'s)?",
        rf"(?:my|our) (?:\w+ )?{RELATIVES}{CALLED}",
        rf"(?:{HAVE}|(?:i|we)(?: just)? (?:adopted|welcomed|had|bought)|(?:my|our) \w+ and i have) (?:an?"
        rf"|\w+) (?:\w+ ){{0,2}}{RELATIVES}{NAMED}",
    ),
    cue(
        read.written("pet"),
        rf"(?:(?:with|for|of) )?(?:my|our) (?:\w+ )?{ANIMALS},?"
        r"(?!,? \w+ (?:just |sadly |has )*(?:died|passed|ran))",
    ),
    cue(
        read.given("pet"),
        rf"(?:my|our) (?:\w+ )?{ANIMALS}(?:'s| is)",
        rf"i live (?:\w+ ){{0,5}}(?:with|w/) my {ANIMALS}",
    ),
    cue(read.written("family"), rf"{AM}{STILL} (?:dating|engaged to|going out with)"),
    cue(
        read.given("family"),
        rf"(?:(?:my|our) |(?:^|(?<=[,;]\s))(?={UNOWNED})){RELATIVES}(?:'s| is)",
        rf"i live (?:\w+ ){{0,5}}(?:with|w/) my {RELATIVES}",
    ),
    cue(read.counted("family"), rf"{HAVE} {BESIDES}(?:and|plus|with) {COUNTED_RELATIVES}"),
    cue(read.counted("pet"), rf"{HAVE} {BESIDES}(?:and|plus|with) {COUNTED_ANIMALS}"),
    cue(read.counted("family"), rf"{HAVE} {COUNTED_RELATIVES}"),
    cue(
        read.named("pet"),
        rf"(?:my|our) (?:\w+ ){{0,2}}{ANIMALS}(?:'?s'?)? names?(?: is| are|'s)?",
        rf"(?:my|our) (?:\w+ )?{ANIMALS}{CALLED}",
        rf"(?:{HAVE}|(?:i|we)(?: just)? (?:adopted|welcomed|had|bought)|(?:my|our) \w+ and i have) (?:an?"
        rf"|\w+) (?:\w+ ){{0,2}}{ANIMALS}{NAMED}",
    ),
    cue(read.counted("pet"), rf"(?:{HAVE}|(?:i|we)(?: just)? (?:adopted|bought)) {COUNTED_ANIMALS}"),
    cue(
        read.undated,
        rf"(?:on |in )?{WHEN},? (?:i'm going to|i am going to|i'm gonna|i plan to|we're going to|we're gonna"
        rf"|i intend to|i'll|we'll) ",
        rf"(?:on |in )?{WHEN},? (?:i'm|we're|i am) (?={DOING}(?!\w))",
        rf"(?:on |in )?{WHEN},? (?:i|we)(?:'ve)?(?: have| got| got to|'ve got)? (?:an? |my )?(?={FIXED}(?!\w))",
    ),
    cue(read.undated, rf"(?:on |in )?{WHEN},? (?:{AM}|i'll be|we're|we'll be) (?=in \w)"),
    cue(
        read.dated,
        rf"(?:{AM}|i'll be|we're|we'll be) (?=in (?:[\w'-]+ ){{1,3}}(?:next|tomorrow|until|till|on \w+day"
        r"|this (?:week|weekend|month))(?!\w))",
    ),
    cue(
        read.dated,
        rf"(?:(?:{AM}|we're|we are)(?: both| all)? (?:going|planning|hoping|looking) (?:to|on)|(?:{AM}"
        rf"|we're) gonna|(?:i|we) (?:plan|intend"
        r"|hope) (?:on|to)|(?:my|our) plan is to|(?:i'll|we'll) be)",
        rf"(?:^|(?:{AM}|we're|we are)(?: all| both| finally)? )(?={DOING}(?!\w))",
        rf"(?:(?:i|we)(?: have|'ve got|'ve| got)|{BARE}(?:got|have))(?: a| an| my| our)? (?={FIXED}(?!\w))",
        rf"(?:{AM}|we're|we are) (?=(?:training|preparing|studying) for )",
        rf"(?:my|our) (?={FIXED}(?: is|'?s) )",
        rf"the (?={FIXED}(?: is|'?s) (?:on )?(?:the \d|{WHEN}))",
    ),
    cue(
        read.dated,
        r"(?:i|we) (?:finally )?(?=(?:start|begin|leave for|fly (?:to|out|back)|graduate|retire|move (?:to|into"
        r"|in|back)|get married"
        r"|travel to|close on|defend|begin|return to|go back to|sit my|take my)(?!\w))",
    ),
    cue(
        read.sure_city,
        r"i (?:do|clean|code|design|cook|drive|manage|sell|tutor|teach|bartend|build|fix|install|paint|nurse"
        r"|landscape)(?: (?!not(?!\w))\w+){0,3}? in",
    ),
    cue(read.plainly(read.employer), rf"{WORK} in the \w+(?: \w+)? (?:at|of|for)"),
    cue(
        read.fan,
        rf"{AM}(?: an?)?(?: (?:die-?hard|huge|big|massive|lifelong|proud))+",
        rf"{BARE}(?:an? )?(?:(?:die-?hard|huge|big|massive|lifelong|proud)(?!\w) ?)+",
    ),
    cue(
        read.phrase("likes"),
        rf"(?:i|we){LOTS} (?:like|love(?: love)*|enjoy|adore|fancy|dig|luv|looo*ve)",
        rf"(?:{BARE}|and |but )(?:honestly |absolutely |really |also |just )*(?:love|adore|enjoy|fancy)",
        rf"{AM}(?: also| really| totally| very| so| quite| super| pretty| mad| kinda| proper| well| dead| lowkey"
        rf"| highkey| hella)*"
        r" (?:(?:a |such a )?(?:big|huge|massive|great|die-?hard|lifelong)?\s?fan of|into|fond of"
        r"|obsessed with|crazy about"
        r"|keen on|passionate about|addicted to|hooked on|mad about|a sucker for|partial to|nuts about)",
        r"my (?:all-?time |absolute )?favou?rite(?: [\w-]+){1,3}?(?: is| are|'s)",
        r"(?:big|huge|massive) fan of",
        r"(?:i |we |^)(?:support|root for)(?= (?!(?:the|my|a|an|your|our|them|her|him|it) ))",
        r"(?:i |we )root for the",
        r"my (?:football|soccer|baseball|basketball|hockey) team is",
        r"i(?:'ve| have)? (?:always|long|grew up) (?:loved|liked|enjoyed|adored)|what i (?:love|enjoy"
        r"|like)(?: the)? most is",
        r"i'm big on|(?:i )?(?:can't|couldn't) (?:live without|get enough of)|nothing beats",
        r"my (?:guilty pleasure|hobby|hobbies|passion|thing|jam|comfort food|go-to \w+|weakness)(?:'s| is| are)",
        r"i(?:'ve| have)(?: got)? a (?:soft spot|weakness|thing|passion) for",
    ),
    cue(
        read.phrase("dislikes"),
        rf"(?:i|{BARE}) ?(?:really |just )?(?:don't|dont|do not|never)(?: really| particularly| even)? (?:like"
        rf"|enjoy)(?: any)?",
        rf"i{LOTS} (?:hate|dislike|detest|despise|loathe)",
        rf"i{LOTS} (?:can't|cant|cannot|can not) (?:stand|stick|bear|abide)",
        rf"(?:{AM} |{BARE}|and |honestly )not (?:really |very |super |that |much |too )*(?:(?:a "
        rf"|much of a )?(?:big |huge |massive )?fan of"
        r"|into|fond of|keen on|crazy about)",
        rf"(?:{BARE}|and |but )(?:honestly |absolutely |really |also |just )*(?:hate|despise|loathe"
        rf"|(?:can't|cant|cannot) (?:stand|stick|bear|abide))",
        rf"i (?:could|can) do without|i(?:'m| am) no fan of|i (?:don't care for|can't deal with"
        rf"|have no time for|dread)|(?:i(?:'ve)? |{BARE})never (?:really )?liked",
        rf"{AM} (?:sick of|so sick of|allergic to the idea of)",
        r"i no longer (?:like|enjoy)",
    ),
    cue(
        read.preference,
        rf"i(?:'d)?{LOTS} prefer",
        r"i would (?:much )?prefer(?: that(?= you ))?",
        r"(?:i'd|i would)(?: much)? rather(?! you (?:to )?call)",
        r"my preference is(?: for)?",
    ),
    cue(
        read.instruction,
        r"(?:from now on|going forward|in (?:the )?future|from here on(?: out)?),? (?:please,? "
        r"|pls,? )?(?=(?:answer|reply|respond|speak|write|talk|use|keep"
        r"|call|be|give|don't|no|stop|skip)(?!\w))",
        r"(?=(?:answer|reply|respond|speak|write|talk)(?: to me)?(?: only)? in (?:english|spanish|portuguese"
        r"|french|german)(?: (?:only|always|from now on|please))?\W*$)",
        r"(?:please )?always (?=(?:answer|reply|respond|speak|write|talk|address|call|use|give|include|start|end"
        r"|send|keep|format|show|explain|put|cite|add)(?!\w))",
        r"(?=(?:keep|make) (?:all )?(?:your|the|ur|those) (?:answers|replies|responses|messages"
        r"|explanations)(?!\w))",
        r"(?=(?:no|don't use|do not use|never use|stop using|avoid)(?: any| the| so many)? (?:emojis?"
        r"|emoticons|bullet points|jargon|slang|tables)(?=\W*(?:$|[,;]|please|pls|in )))",
    ),
    cue(
        read.everything,
        r"(?:remember|(?:don't|dont|do not|never) forget|keep in mind|bear in mind|note|make a note|take note"
        r"|take into account|be aware"
        r"|i want you to (?:remember|know))(?: also| please)?(?: of the fact)? that",
        r"(?:please )?(?:remember|note|keep in mind|don't forget|make a note)(?: this| the following)?(?=:)",
        r"(?:remember|don't forget|keep in mind) (?=(?:my|i|i'm|i've|we|our) )",
        r"(?:fyi|for the record|just so you know|jsyk|heads up|for future reference|psa|worth knowing"
        r"|you should know|quick note),?:?(?: that)?"
        r" (?=(?:i|i'm|my|we|our)(?!\w))",
        r"(?:please |pls )?(?:note|remember|keep in mind|bear in mind) (?=(?:i|i'm|i've|my|we|our)(?!\w))",
        r"(?:save|store) (?:this|the fact that)(?=:| )",
        r"remind me (?:to|that|(?=(?:at|on|in|next|tomorrow|tonight|every) .{1,40} to ))",
    ),
)
