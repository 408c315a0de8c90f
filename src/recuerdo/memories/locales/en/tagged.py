"""The words around a value that the tagger found."""

from recuerdo.memories.extraction.language import ValueChecks
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.en.phrases import DEATHS

TAGGED = ValueChecks(
    turns=Pattern(r"\b(?:turn(?:s|ing)?|will be)(?:[^.;!?]{0,30}\balready)?\s+\Z"),
    once=Pattern(r"\b(?:at|when i was)\s+\Z"),
    cancelled=Pattern(r"\b(?:cancel\w*|(?:called|is|it'?s) off\b)"),
    taken_away=Pattern(r"\b(?:(?:took|taken|takes|came|weaned) (?:me )?off(?: the| my)?|stopped (?:the|my))\s+\Z"),
    day_of_another=Pattern(r"\b(?:birthday|bday) of (?!my\b)|(?:'?s|\b(?:his|her|their)) (?:birthday|bday)\b"),
    titled=Pattern(r"\W*(?:mr|mrs|ms|miss)\.? [a-z]+\b"),
    others_call_me=Pattern(r"\s+calls? me\s+\Z"),
    oneself=Pattern(r"\bi\b"),
    no_relative=Pattern(r"(?:dr|doctor|prof|professor|teacher|father|pastor)\b"),
    doctor=Pattern(r"\b(?:dr|doctor)\.?\s+\Z"),
    seeks=Pattern(r"\b(?:looking for|want|appl(?:y|ied|ying))\b"),
    plays=Pattern(r"\b(?:i|we)(?: still| also| used to)? play(?:ed)?\b(?:(?!\b(?:work|job|i'm|im))[^.;!?]){0,60}\Z"),
    lives=Pattern(r"\b(?:resid\w+|living|live|stay|staying|lodging)(?: \w+)?\s+\Z"),
    until_retired=Pattern(r"[^.;!?]{0,40}\b(?:before|until|till|up to)\b[^.;!?]{0,20}\b(?:retir|pension)"),
    averse=Pattern(r"[^,.;:!?]{0,40}?,? (?:i|we) (?:can't|cannot|don't) (?:\w+ )?(?:stand|bear|abide|like)\b"),
    before_name=Pattern(r"and|but|so|also|our|my|a"),
    no_name=Pattern(r"turns|was|its|years"),
    here=Pattern(r"here"),
    clause_start=Pattern(r"\s(?:and|but|because|so)\s+"),
    allergy=Pattern(r"\b(?:allerg|intoler)\w*"),
    also=Pattern(r"\W*(?i:and|n)\s"),
    pronoun=Pattern(r"(?i:(?:(?:and|but|so|oh|well),? )?s?he)(?=['’]?s\s|\s(?!and\b|n\b))"),
    own=Pattern(r"\W*(?i:my|our)\s"),
    goes_on=Pattern(
        r"\bstill (?:got|ha(?:ve|s)|owns?|do(?:es)?|am|there|going|works?|lives?|next|in|at|with|on)\b"
        r"|\b(?:did|have|has)n'?t (?:sell|sold|leave|left|stop(?:ped)?|quit|lose|lost|give|given|end(?:ed)?)\b"
    ),
    still_has_it=Pattern(r"\b(?:still \w+|(?:did|have|has)n'?t \w+) (?:it|them|that|there)\b"),
    settles=Pattern(
        r"\b(?:liv\w+|mov(?:e|ed|ing)|relocat\w+|settl\w+|rent\w*"
        r"|(?<!holiday )(?<!summer )(?<!beach )(?<!second )(?:home|house)"
        r"|hometown|flat|apartment|neighbou?rhood|based"
        r"|stay\w*|resid\w+|city|town|back (?:in|to)|(?:here|now) in|where"
        r"|(?:i'?m|i am|we'?re|we are)(?: \w+)? (?:in|from|near|over|out))\b"
    ),
    ages=Pattern(r"\b(?:(?:i'?m|i am|i'?ll be)|i (?:just )?turn\w*|my age|how old|your age|aged|birthday)\b"),
    birthdays=Pattern(r"\b(?:birth\w*|b-?day|born|turn\w*|years? old)\b"),
    names=Pattern(r"\b(?:names?|i'?m|i am|this is|call\w*|nickname|known as|it'?s)\b"),
    addresses=Pattern(r"\A\W*(?:bro|sis|boys?|girls?|kids?|folks|son|mum|dad|mate)[,!]? (?=(?:i'?m|i|my|we|got)\b)"),
    pairs=Pattern(r"\b(?:dat(?:e|ing)|married|marrying|engaged to|going out with|seeing|fiance\w*|hitched|ma man)\b"),
    couples=Pattern(
        r"\b(?:engaged|married|marry\w*|wedding|divorc\w+|separat\w+|split\w*(?: up)?|broke up|breaking up|dating"
        r"|pregnant|expecting|had (?:a|the|her|their) baby|gave birth)\b"
    ),
    deaths=Pattern(rf"\b(?:{DEATHS})\b"),
    couples_part=Pattern(r"\b(?:split\w*|separat\w+|divorc\w+|br(?:oke|eak|eaking|oken) up|finished|dumped)\b"),
    parts=Pattern(
        r"\b(?:di(?:ed|es)|dead|death|pass(?:ed|es)|gone(?! to )|los[te]|losing|put (?:(?:him|her|it|them) )?down"
        r"|to sleep|split\w*|separat\w+|divorc\w+|br(?:oke|eak|eaking|oken)|left|leav(?:e|es|ing)|ran|run|g[ai]ve\w*"
        r"|sold|rehom\w+|ex|no longer|any ?more|isn'?t|aren'?t|wasn'?t|(?:is|are|am|was) not|buried|funeral|dump\w*"
        r"|ended|over|finished|fell out|taken|stolen|adopted|single|widow\w*|rip|late)\b"
    ),
)
