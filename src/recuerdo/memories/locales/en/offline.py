"""How the offline model reads and answers in this language."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.lexicon.households import RELATIVES
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.en.phrases import DEATHS
from recuerdo.memories.locales.offline_language import NEVER, OfflineLanguage, Phrases, only, starts, within

_WORK = (
    r"(?:do i (?:currently )?work|did i (?:use to |used to )?work|am i (?:working"
    r"|employed)|i work|i am working|i m working)"
)

OFFLINE = OfflineLanguage(
    markers=word_set(
        "the a an and or is are am was were be to of in on at for with what who where when which how why my "
        "your i you me he she it we they this that do does did have has had can could will would hello hi hey "
        "thanks thank good morning name work works live lives like likes love hate prefer job company city "
        "birthday email phone remember know told said say tell about today tomorrow yesterday but very also "
        "yes no not from bye goodbye see later dog cat sister brother conversation please if so there just "
        "don t s m re summarize recap whats wheres whos im ur u gf always answer forget got her now one his "
        "up back out off its our still home day him hes get go us shes by since every put only last much been "
        "down gone again take first give may same want make before after never than them than need named kids "
        "mum dad month week too more new money own moved called wants owe owes thousand sell drive saturday"
    ),
    letters=Pattern(r"\w(?:ck|ght|th|sh|ing)s?\b|\bwh"),
    stop_words=word_set(
        "well oh listen look anyway "
        "long "
        "the a an and or is are am was were be been to of in on at for with what whats who whos whom whose where when "
        "which how why my mine your yours i you me he she it we they this that these those do does did done have has "
        "had can could will would should hello hi hey thanks thank know remember recall tell told said say about now "
        "im ive before also but because please if so there just don t s m re ve ll d not no yes very more less many "
        "much want wants thinking thing things did from by as ever again mention mentioned talk talked ok okay right"
    ),
    spellings={"u": "you", "ur": "your", "r": "are"},
    openers=starts(
        r"and (?:where|when|who|what|how|which)(?!\w)",
        r"and (?:before(?: that| then)?|now)$",
        "what",
        "who",
        "whom",
        "whose",
        "where",
        "which",
        "why",
        "did",
        "can you",
        "could you",
        "have i",
        "(?:(?:pls|please|hey|so|ok) )?(?:tell me|remind me(?! to| that)|know (?:what|who|where|when|how|my|whats))",
        "(?:the )?(?:name|age|job|birthday|address|number) of (?:my|the|our)",
        "may (?:i|we)",
        "(?:is|are) (?!great|good|nice|lovely|amazing|married|single|retired|from|in|at|on|a|an|not|always|still)",
        "(?:was|can|will|should|could|would|has|did|have) (?:my|our|the|her|his) ",
        "summari[sz]e",
        "recap",
        "sum up",
        "and you$",
        "how (?:old|many|much|do|did|is|are|was|can|long|far|am)",
    ),
    wh_words=starts("when", "how"),
    accented=NEVER,
    asks_liking=starts(r"(?:and )?do i (?:really |still )?(?:like|love|enjoy|hate)(?= \w)"),
    requests=starts(
        *("write", "make", "give me", "explain", "translate", "help", "search", "find", "calculate", "create"),
        *("generate", "list", "show", "please", "i need you to", "i want you to", "answer", "ignore", "forget"),
        *("repeat", "describe", "(?:tell|give) (?:me|us) an?(?! bit)"),
    ),
    greetings=only(
        "(?:hi+(?:ya+)?|hello+|hey+(?:a|o)?|heya|hullo|g ?day|gidday|howdy|kia ora|morena|sup|yo)(?: there| recuerdo)?",
        "(?:again|back again|(?:its )?me again|i m back|im back)",
        "(?:mate|pal|bro|love|buddy|friend|folks|all|everyone|dude|man)",
        "(?:good )?(?:morning?|mornin|afternoon|evening|arvo)",
        "(?:how ?ya|howaya|wa?ss? ?up|whats up|[ea]y up|wagwan|(?:what s|whats) the craic|any craic|how ?s things)",
        "good day",
        "how are you(?: doing)?(?: today)?",
        "how (?:is|s) it going",
        "what s up",
        "greetings",
        "howdy",
        "(?:can|could|may) (?:i|we) (?:talk|speak|chat)(?: (?:to|with) you)?",
        "(?:is )?any(?:one|body) (?:there|here|home)",
        "are you there",
        "(?:i (?:trust|hope) (?:you are|youre|you re) (?:well|fine)|once more)",
    ),
    thanks=starts(
        "(?:(?:ok|great|perfect|many|ah|oh|ha(?:ha)+|lol) )*(?:thanks(?! to | god)|thank you|thx|ty|cheers|chur)"
    ),
    farewells=starts(
        *(
            "bye",
            "goodbye",
            "good bye",
            "see (?:you|ya|u)",
            "(?:good )?n(?:ight|ite)",
            "farewell",
            "take care",
            "ka kite",
            "laters?$",
        ),
        *("until tomorrow", "ttyl", "(?:talk|speak|catch you|catch ya) (?:to you |to ya )?(?:soon|later|tomorrow)"),
        "(?:(?:aight|right|ok|anyway|well|i|ive) )*(?:gotta|got to|must|better) (?:go|run|dash)",
    ),
    past=within(
        *("before(?! (?:i|you|we|the|going|that(?! *$)))", "previous(?:ly)?", "former(?:ly)?", "used to"),
        *("(?:my )?(?:old|last) (?:job|employer|company|city|home|address|phone|number|email|boss|team)", "ex"),
        *("in the past", "originally|initially|at first", "last (?:year|month)", "(?:since|until) when"),
        *("how long", "have i (?:lived|worked|studied)"),
        *("when did i (?:move|start|stop|leave|quit|join|change)", "was (?:my|i)(?! born)"),
        "did i (?:live|work|use|like|prefer)",
    ),
    since=within("since when", "how long (?:have|has|am|is)", "since what (?:date|day|year)"),
    asks_assistant=within(
        "(?:did )?you (?:recommend(?:ed)?|suggest(?:ed)?|advised?|proposed?|answer(?:ed)?|replied|reply)",
        "your (?:recommendation|suggestion|advice|answer|proposal)",
        "you (?:told|gave) me",
    ),
    corrections=within(
        *("sorry", "i meant", "correction", "my mistake", "actually", "in the end"),
        "(?:they )?(?:moved|changed|postponed|rescheduled|pushed|delayed|swapped|replaced)(?: (?:it|me|the|my))?",
        *("(?:brought|put) (?:\\w+ ){0,3}(?:forward|off|back)", "instead", "now", "no longer", "not anymore"),
        *("(?:went|gone|goes) (?:up|down)", "raised"),
    ),
    wellbeing=only(
        "how(?: are|re|s)? (?:you|ya|yous|things)(?: doing| doin| feeling| keepin| keeping)?(?: yourself)?"
        "(?: today| tonight| these days)?",
        "how ?(?:is|s) (?:it|life|your day|everything)(?: going| goin| been)?(?: today| with you)?",
        "how do you do",
        "are you ok(?:ay)?",
        "alright(?: mate)?",
    ),
    grief=within(
        rf"{DEATHS}|miscarr(?:ied|iage)|heartbroken|devastated",
        "(?:i am|im|i m|feel|feeling) (?:(?:so|very|really|pretty) )?(?:sad|depressed|lonely|heartbroken|gutted)",
    ),
    cheers=within("(?:support|cheer for|root for|(?:fan|supporter)s?|season ticket)"),
    no_longer=within(
        "no longer",
        "not (?:\\w+ ){0,4}any ?more",
        "left",
        "quit",
        "(?:sold|lost|returned|cancell?ed|finished|stopped|dropped|died)",
        "(?:gave up|given up|got rid of|broke up with|passed away)",
        "(?:\\w+ )?paid(?: \\w+ back)?",
        "(?:is|s|are|was|got|been) (?:over|gone|dead|closed|cancell?ed|sold|stolen)",
        "moved out of",
        "(?:laid|let) me (?:off|go)",
        "got (?:fired|laid off)",
    ),
    others=word_set(
        "mam sister sisters brother brothers son sons daughter daughters grandson granddaughter grandpa grandma "
        "grandfather grandmother mom mum mother dad father uncle aunt cousin nephew niece boyfriend girlfriend gf "
        "bf husband wife partner fiance fiancee friend friends neighbor neighbour boss manager colleague doctor "
        "dentist vet plumber teacher dog cat pet family moms mums dads cats dogs brothers wifes"
    ),
    synonyms=(
        word_set("wife husband spouse married missus"),
        word_set("girlfriend gf girl"),
        word_set("boyfriend bf fella"),
        word_set("mother mom mum mommy mummy moms mums"),
        word_set("father dad daddy dads"),
        word_set("kid son boy lad"),
        word_set("doctor gp physician"),
        word_set("medicine medication meds pills tablets"),
        word_set("car vehicle ride"),
        word_set("job work gig"),
        word_set("wifi internet"),
        word_set("password passcode code pin"),
        word_set("trip holiday vacation"),
        word_set("rent lease"),
        word_set("apartment flat"),
        word_set("teach teaching lecture"),
        word_set("live lives living stay stays staying"),
    ),
    asks_age=within("how old", "what age"),
    relative_pronouns=word_set("who whos whose whom which that where"),
    asks_which=within("who", "whos", "whose", "whom", "which"),
    counts_relatives=only(rf"(?:so |and )?how many (?P<who>{RELATIVES}) (?:do i have|have i(?: got)?|i have|i got)"),
    asks_who_is=only(
        r"(?:(?:so|and|remind me|tell me) )?who(?: ?s| is| was) (?P<name>\w+(?: \w+)??)(?: again| to me)?"
    ),
    asks_name_of=only(
        r"(?:(?:so|and|remind me|tell me|do you (?:know|remember)) )?(?:(?:what|wha)(?: ?s| is| are| re|)"
        r"(?=.* (?:called|named|names?)(?: |$))|who(?: ?s| is| are|)|what do i call"
        r"|(?:(?:what|wha)(?: ?s| is| are|) )?the names? of) (?:my|our|the) "
        rf"(?P<who>{RELATIVES})(?: ?s)?(?: (?:is|are))?(?: (?:called|named|names?))?(?: again| then)?"
    ),
    conjunctions=word_set("and but n"),
    own_verbs=word_set("i my me im ive am mine our"),
    instructions=within(
        "answer", "repl(?:y|ies)", r"respond\w*", "speak", "talk", "write", "(?:call|address|treat) me", "use"
    ),
    named=within("english", "ingles"),
    plus=word_set("plus"),
    minus=word_set("minus"),
    times=word_set("times x multiplied"),
    over=word_set("over divided"),
    weekdays=["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    months=[
        *("January", "February", "March", "April", "May", "June", "July"),
        *("August", "September", "October", "November", "December"),
    ],
    full_date="{month} {day}, {year}",
    topics={
        "diet": within(
            r"what (?:can|should|do|must|cant|dont)(?: ?n?t| not)? i (?:not )?eat",
            r"my diet",
            r"(?:can|may|should) i (?:eat|drink)",
        ),
        "abilities": within(
            "what (?:else )?(?:can|could) you (?:do|help)(?: for me| me)?",
            "what are you (?:able to do|capable of|good at|good for)",
            "how can you help(?: me)?",
            "what do you do$",
            "how do you work",
            "^help$",
        ),
        "joke": within("jokes?", "something funny"),
        "today": within(
            "what (?:day|date) (?:is|s) (?:it|today)(?: today)?",
            "(?:what (?:is|s) )?(?:the date(?: today)?|today s date)$",
            "which day is (?:it|today)",
        ),
        "identity": within(
            "who are you",
            "what are you$",
            "what (?:model|kind of model) are you",
            "your name",
            "and you$",
            "are you (?:a|an) (?:bot|robot|ai|human|model|person|real person)",
        ),
        "everything": within(
            r"(?:what|anything|everything)(?: else)?(?: (?:do|can|could|did|have))? you (?:\w+ )?"
            r"(?:know|remember|recall|have|learned|learnt|saved|stored|remembered)(?: \w+)? (?:about|of|on) me",
            "do you (?:still )?(?:know|remember) me",
            "tell me (?:something )?about (?:me|myself)",
        ),
        "recap": within(
            "what (?:did i|have i|i)(?: just| last)? (?:say|said|tell you|told you|mention|mentioned|write|wrote)",
            "what (?:did|have|were|are) we (?:just )?(?:talk(?:ed|ing)?|discuss(?:ed|ing)?|been talking)(?: about)?",
            "(?:summari[sz]e|recap|sum up|summary of)(?: the| this| our| my)?(?: conversation| chat| thread)?",
            "the last thing i (?:said|told you|wrote)",
        ),
        "remember": within("(?:ask|asked|tell|told) you to (?:remember|keep in mind)", "what should you remember"),
        "name": within(
            r"me name",
            "my (?:full |first |last )?name",
            "who (?:am i|i am)",
            "what am i called",
            "what (?:do|should) (?:people|you) call me",
        ),
        "employer": within(
            r"(?:what|which) (?:hospital|school|shop|factory|bank|hotel|restaurant|university|office) (?:do"
            r"|am) i work(?:ing)?",
            rf"where {_WORK}",
            rf"who {_WORK} for",
            rf"(?:what|which) (?:company|firm|organi[sz]ation|place) {_WORK}",
            "who employs me",
            "my (?:employer|company|workplace|firm)(?: s name)?",
            "(?:company|firm|place) (?:that |where )?i work",
        ),
        "job": within(
            r"(?:my|me) trade",
            "what (?:do i do|i do)(?: for (?:a living|work))?$",
            "my (?:job|profession|occupation|role|position|title|work|job title)",
            "what (?:is my|s my) line of work",
            "what do i work (?:as|on)",
            "what kind of work do i do",
        ),
        "department": within("my department", "(?:which|what) department"),
        "team": within(
            "my team",
            "my (?:football|soccer|rugby|baseball) club",
            "(?:which|what) (?:team|club)(?: do i (?:support|follow|root for|cheer for))?",
        ),
        "city": within(
            r"where(?: about| abouts)? do i stay",
            r"where abouts do i live",
            "where (?:do i|i|did i) (?:currently |use to |used to )?(?:live|lived|reside)",
            "where (?:am i|i am|i m) (?:living|based)",
            "(?:what|which) (?:city|town|country|place) (?:do i live|did i live|am i|i live)",
            "my (?:city|town|home ?town|home|address)",
            "(?:which|what) (?:cities|towns|places|countries) have i lived",
        ),
        "origin": within(
            r"where(?: s|s)? (?:home for me|i m|im|am i) originally",
            r"where (?:am i|i m|im) from originally",
            "where (?:am i|i am|i m) from",
            "where (?:do|did) i come from",
            "where (?:was i|i was) born",
        ),
        "age": within(r"what age (?:am i|i am)", r"me age", "how old (?:am i|i am|i m)", "my age"),
        "health": within(
            r"(?:any|what|which) (?:health|medical) (?:troubles?|problems?|conditions?|issues?)",
            r"(?:do i have|have i got) (?:any )?(?:illness(?:es)?|diseases?|conditions?)",
            r"wrong with (?:me|my health)",
            r"my health",
            "what (?:health|medical) (?:problems?|conditions?|issues?)",
            "what illness(?:es)? do i have",
        ),
        "pet": within(
            "(?:what|which|how many) (?:are my )?(?:pets|animals)(?: do i (?:have|own))?",
            "do i have (?:any |a )?(?:pets?|animals?)",
        ),
        "plan": within("(?:what|which) (?:are my )?plans(?: do i have)?", "my plans"),
        "allergy": within("what (?:am i|i am|i m) allergic to", "my allerg(?:y|ies)"),
        "studies": within("what (?:do|did|am) i (?:study|studying|majoring in)", "my (?:major|studies)"),
        "possession": within(
            "(?:what|which) (?:car|truck|bike|motorbike|vehicle)"
            "(?: (?:do|did|am) i (?:have|own|drive|driving|ride|use))?",
            "what (?:do|did|am) i (?:drive|driving)",
        ),
        "marital_status": within("am i (?:married|single|divorced)", "my marital status"),
        "language": within(
            r"(?:what|which) languages do i know",
            "(?:what|which|how many) languages? (?:do|can) i speak",
            "my languages",
        ),
        "email": within("my (?:e ?mail|mail)(?: address)?"),
        "phone": within("my (?:tele)?(?:phone|cell|mobile|number|cell ?phone|whatsapp)(?: number)?"),
        "birthday": within("my (?:birthday|birth ?date|date of birth|bday)", "when was i born", "when i was born"),
        "dislikes": within(
            "i (?:dislike|hate|not like|can t stand)",
            "(?:don t|do not|didn t) i like",
            "i (?:don t|do not) (?:really )?like",
            "my dislikes",
        ),
        "likes": within(
            "(?<!don t )(?<!do not )(?<!didn t )(?:do i|i)(?: really| also)? (?:like|love|enjoy)",
            "my (?:likes|hobbies|interests|pastimes|tastes)",
        ),
        "preference": within("(?:do i|i|would i) prefer", "my preferences?"),
    },
    first_person=word_set("my me i mine myself our us we am"),
    clauses={
        "name": "your name is {value}",
        "employer": "you work {at} {value}",
        "job": "your job is: {value}",
        "department": "your department is {value}",
        "team": "your team is {value}",
        "city": "you live {at} {value}",
        "email": "your email is {value}",
        "phone": "your phone number is {value}",
        "birthday": "your birthday is {value}",
        "likes": "you like {value}",
        "dislikes": "you don't like {value}",
        "preference": "you prefer {value}",
    },
    plural_clauses={},
    plural=NEVER,
    articles="the|an?",
    prepositions="at|for|in|near",
    at={"employer": "at", "city": "in"},
    wonders={
        "name": "what your name is",
        "employer": "where you work",
        "job": "what you do",
        "department": "which department you are in",
        "team": "which team you are in",
        "city": "where you live",
        "origin": "where you are from",
        "age": "how old you are",
        "health": "what illness you have",
        "allergy": "what you are allergic to",
        "marital_status": "whether you are married",
        "studies": "what you study",
        "possession": "what you have",
        "language": "which languages you speak",
        "email": "what your email is",
        "phone": "what your phone number is",
        "birthday": "when your birthday is",
        "likes": "what you like",
        "dislikes": "what you don't like",
        "preference": "what you prefer",
        "remember": "what I should remember",
        "pet": "what pets you have",
        "plan": "what you plan",
    },
    phrases=Phrases(
        sorry="I'm sorry to hear that.",
        well="I'm fine, thank you. And you? Tell me something, or ask for what you have told me.",
        joke="I only know one joke: an SQL query walks into a bar, sees two tables and asks: «May I join you?»",
        result="{sum} = {result}.",
        today="Today is {weekday}, {date}.",
        today_unknown="I don't know: nobody tells me the date in this conversation.",
        abilities=(
            "I can remember what you tell me and repeat it when you ask, also what you said in other conversations "
            "and what used to be; forget what you ask me to, look into your documents, do sums and tell the date. I am "
            "Recuerdo's offline model: RECUERDO_MODEL connects a real one."
        ),
        you_said_on="You told me on {date}: {quotes}.",
        i_said_on="On {date} I answered: {quotes}.",
        nearest="I don't know for sure, but on {date} you told me: {quotes}.",
        nearest_here="I don't know for sure, but you told me: {quotes}.",
        was="Before, until {until}: {quotes}.",
        holds_since="As far as I know, since {since}: {quotes}.",
        nothing_to_forget=(
            "I found nothing of that in what I remember. Tell me in the words that you used, and I'll forget it."
        ),
        words_forgotten=(
            "Understood: I won't use or mention it any more. The messages in which you said it stay in the history; "
            "archive them if they should not be seen any more."
        ),
        which_to_forget=(
            "I know several things that fit: {quotes}. I did not forget any. Which one do you "
            "mean: the first, another one, or all of them?"
        ),
        is_it_to_forget="Shall I forget {quotes}?",
        sees_no_images="I can't see images: I have read only the text of your message.",
        meet="Nice to meet you, {name}!",
        will_remember_name="I'll remember your name.",
        will_remember="I'll remember that {clauses}.",
        understood="Understood: {clauses}.",
        noted="Noted in this conversation: {quotes}.",
        will_note="Noted, I'll remember: {quotes}.",
        will_wait="This waits for your approval before I use it: {quotes}.",
        heard="Understood.",
        taken_back="Understood: that no longer holds.",
        no_longer_holds="Understood. This no longer holds: {quotes}.",
        forgotten=(
            "Understood: nothing that I remembered of you holds any more. The conversation is kept, and the "
            "memories can be restored."
        ),
        forgotten_here="Understood: I leave out what you have told me. The conversation is kept.",
        you_said="You told me: {quotes}.",
        i_said="I answered before: {quotes}.",
        document_says="I found this: {quotes}.",
        everything="This is what I know about you: {clauses}.",
        nothing_known="I don't know anything about you yet.",
        nothing_said="You haven't told me anything in this conversation yet.",
        not_told="I don't know: you haven't told me {wonder} yet.",
        unknown="I don't know: I can only answer from what you have told me.",
        unable="I can't do that: I only remember what you tell me, and answer from it.",
        identity=(
            "I am Recuerdo's offline model: I remember what you tell me and repeat it when you ask. "
            "RECUERDO_MODEL connects a real one."
        ),
        greet="Hello! Tell me something about you, or ask for what you have told me.",
        greet_by_name="Hello, {name}! How can I help?",
        thanks="You're welcome!",
        farewell="See you!",
        conjunction="and",
        that="that",
    ),
)
