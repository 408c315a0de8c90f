"""Words that set what a user states apart from all else in a message."""

from recuerdo.memories.extraction.wordlists import StatementWords

_ONE = r"(?:i|he|she|it|they|my|his|her|their)"

STATEMENTS = StatementWords(
    name_links=r"of|and",
    tells=r"said|says?|told|wrote|respond\w+",
    before_tasks=r"please|(?:can|could) you|help me(?: to)?|you to|and|now|then|let's",
    tasks=(
        r"translat\w+|correct|fix|rewrite|rephrase|proofread|paraphrase|summari[sz]e|analy[sz]e|explain|classif\w+"
        r"|conjug\w+|write(?! (?:to )?me\b)|draft|compose|repeat"
        r"|tell (?:my \w+|him|her|them)(?: that)?|how (?:do (?:you|i)|to) say|what does|say|act as|imagin\w+"
        r"|pretend(?:s|ing)?|role-?play|suppose|let's say|say that|for example|example"
    ),
    replies=r"respond\w*|reply|answer",
    to=r"to",
    this=r"this|that|the",
    texts=r"mails?|e-?mails?|message|letter|text|whats\w*|dm",
    on_behalf=r"for me|please",
    forwards=r"fwd?|fw|forward(?:ed|ing)?",
    headers=r"from|to|subject|sent|date|cc",
    originals=r"original|forwarded",
    wrote=r"wrote",
    own_labels=(r"sorry|oops|note|ps|p\.s|important|fyi|update|correc\w+|hi|hello|remember|info|me|my|about|answer"),
    letters=r"dear (?:sir|madam|mr|mrs|ms|dr|all|team|[a-z]+,)",
    jokes=r"just kidding|jk",
    laughs_first=r"yeah|oh|lol|haha|yes|ok|ah",
    agrees=r"sure|right|of course|totally|yeah",
    agrees_again=r"sure|right|yeah",
    laughs=r"obviously|obvs|lol|lmao|haha\w*|totally|right",
    abbreviations=r"mr|mrs|ms|dr|st|mt|ft|inc|ltd|prof",
    tags="",
    courtesies=r"ok|okay|please|will you|would you",
    fillers=(
        r"no|eh|(?:do )?you know|y know|ya know|u know|you see|innit|yeah|can you (?:believe|imagine)(?: it| that)?"
    ),
    disbeliefs=r"can you (?:believe|imagine)(?: it| that)?|you know|y'?know",
    from_your=r"(?:from|off|out of) (?:your|ur|the)",
    keepers=(r"memory|memories|records?|notes|files?|database|system|archives?"),
    leads=r"and|so|but|hi|hey|ok|please",
    asks=(
        r"(?:and|what about) you(?:rs)?|what(?:'s)?|where|when|who|which|why|how|can|could|would|will|do|does|did|is"
        r"|are|should|may|any|have you|got"
    ),
    joins_question=r"and|so|but",
    not_joined=(),
    asks_inside=r"\s(?:can|could|would) you\b|\bwhat about you\b",
    mine=r"i|i'?m|i'?ve|my|we|our",
    requests=(
        r"(?:can|could|would) (?:you|u) (?:please |pls |also )?"
        r"(?=(?:forget|delete|erase|wipe|remove|(?:remember|note) that {mine}|remind me (?:to|that|at|on|in))\b)"
    ),
    unmarked=(
        r"(?:or |btw |wait |pls )?(?:am i|is (?:my|our|it|he|she|there)|are (?:we|you|they|my|our|u)"
        r"|was (?:i|he|she|my)|were (?:we|they|you)|do (?:i|we|you|they|u)|does"
        r"|did (?:i|we|you|he|she|they|my|our)(?!(?: ever)? (?:tell|mention))"
        r"|(?:have|had) (?:i|we|they|you)(?!(?: ever)? (?:told|mentioned))|has (?:my|our|he|she|it)"
        r"|(?:can|could|would|will|should) (?:i|we|he|she|my|our)"
        r"|(?:what|where|when|who|how|which)(?:'?s| s| (?:is|are|am|was|were|do|does|did|has|have|should|shall))"
        r"|how (?:old|many|much|long))"
    ),
    or_not=r"or not|or (?:am|do|is|are) \w+|or what",
    unmarked_parts=(rf"(?:and |so )?(?:what|where|when|who|how)(?:'?s| is| are| does| do| did) {_ONE}"),
)
