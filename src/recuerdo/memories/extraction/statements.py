"""From a message to the statements in it: without code, addresses, quotations, questions and other people's texts.

All patterns here are linear: a character is looked at a bounded number of times, whatever the text is.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.extraction.words import fold

_LONGEST_SIDE = 4_000
"""People write their own words before or after what they paste: only the two ends of a long message are read."""

_LONGEST_STATEMENT = 600
_WORD = re.compile(r"\w")

_NOT_PROSE = Pattern(
    r"```.*?(?:```|\Z)"  # code
    r"|`[^`\n]{1,400}`"
    r"|^[ \t]*>[^\n]*"  # a quoted reply
    r"|^(?: {4}|\t)[^\n]*[{}();=][^\n]*"
    r"|(?:https?://|www\.)\S+"
    r"|<[^<>\n]{1,200}>"
    r"|\{[^{}]{0,2000}\}",  # JSON
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_QUOTED = Pattern(r'"([^"\n]{1,600})"|“([^”\n]{1,600})”|«([^»\n]{1,600})»|(?<!\w)[\'‘]([^\'’\n]{1,600})[\'’](?!\w)')
_NAME_IN_QUOTES = Pattern(
    r"(?:[^\W\d_][\w.&'-]*|[A-Z0-9][\w.&'-]*(?:\s(?:de|del|da|do|of|y|e|&|and|[A-Z0-9][\w.&'-]*)){0,5})"
)
_TELLING = Pattern(
    r"\b(?:dij\w+|dice\w*|decia\w*|diss\w+|diz\w*|said|says?|told|escribi\w*|wrote|pregunt\w+|respond\w+)\W*$"
    r"|[:=]\s*$"
)

# Text after such a request is another person's, or is to be written in another person's name.
_TASK = Pattern(
    r"(?:^\W*|[,:(]\s*|\b(?:por favor|please|puedes|podes|podrias?|puede|pode|poderia|(?:can|could) you|ayud\w+ a"
    r"|ajud\w+ a"
    r"|help me(?: to)?|que|you to|quiero|quero|necesito|preciso|y|e|and|ahora|now|agora|then|luego|let's"
    r"|vamos a)\s+(?:me\s+)?)"
    r"(?:traduc\w+|tradu[cz]\w*|translat\w+|corrig(?!indo|iendo)\w+|corrij(?!o\b)\w+|correct|fix|reescrib\w+|reescrev\w+|rewrite"
    r"|rephrase|proofread"
    r"|parafrase\w*|paraphrase|resum(?:e|i|a|ir|ime|eme|ela|elo)|summari[sz]e|anali[sz]\w+|analy[sz]e|explica\w*"
    r"|explique|explain"
    r"|clasifi\w+|classif\w+|conjug\w+|escrib(?:e|i|eme|ime|a|ir)(?! a\b)|escrev[ae]r?|redact\w+|redig\w+"
    r"|write(?! (?:to )?me\b)"
    r"|draft|compose|repite|repita|repeat"
    r"|(?:respond\w*|contest\w*|reply|answer)(?: (?:a|to|al|ao))?(?: (?:este|esta|ese|esa|esse|essa|this|that"
    r"|the|el|la|o))?"
    r"(?: (?:mails?|e-?mails?|correos?|mensajes?|mensagem|message|cartas?|letter|texto|text|whats\w*|dm))?"
    r"(?: (?:por mi|for me|em meu nome|en mi nombre|a eso|please|por favor))?(?=\s?:)"
    r"|tell (?:my \w+|him|her|them)(?: that)?|dile (?:a \w+(?: \w+)?)?(?: que)?|como se (?:dice|diz)"
    r"|how (?:do (?:you|i)|to) say|o? ?que significa|what does|say|di|diga"
    r"|act(?:ua|ue)? (?:como|as)|hazte pasar|ha[zg]a? de cuenta|imagin\w+|fin[gj]\w+|pretend(?:s|ing)?|role-?play"
    r"|fa[zc]a? de conta"
    r"|pon(?:gamos|le)? que|digamos que|ha[zc]\w* (?:a )?la idea|haz como (?:que|si)|supon\w*|suppose|let's say"
    r"|say that|por ejemplo"
    r"|por exemplo|for example|ejemplo|exemplo|example)\b"
)
_HEADER = Pattern(
    r"^(?:fwd?|fw|rv|enc|reenvi\w+|te reenvio|me reenvi\w+|forward(?:ed|ing)?|encaminh\w+)(?: \w+){0,3}\s?:"
    r"|^(?:de|from|para|to|asunto|assunto|subject|enviado|sent|fecha|date|cc)\s?:\s|^-{2,}\s?(?:original"
    r"|forwarded"
    r"|mensaje)"
    r"|\b(?:wrote|escribio|escreveu)\s?:\s*$"
)
_SPEAKER = Pattern(r"^\s{0,4}(?:\[?\d[\d:/., apm-]{2,20}\]?\s*-?\s*)?([A-ZÀ-Ý][\w.-]*(?:\s[A-ZÀ-Ý][\w.-]*){0,2})\s?:\s")
_OWN_LABELS = Pattern(
    r"\b(?:rectific\w+|retific\w+|corri[gj]\w+|perd[oa]\w+|d[ie]sculp\w+|sorry|oops|ups|nota|note|ps|pd|p\.s|importante|important|fyi|update|correc\w+|actualiza\w+|atualiza\w+|hola|hi|hello"
    r"|ola|oi"
    r"|recuerd\w+|recorda\w*|remember|lembr\w+|ojo|dato|info|yo|eu|me|mi|my|meu|minha|sobre|about|respuesta"
    r"|resposta|answer)\b"
)
_LETTER = Pattern(
    r"^\W*(?:dear (?:sir|madam|mr|mrs|ms|dr|all|team|[a-z]+,)|(?:estimad[oa]s?|prezad[oa]s?|querid[oa]s?"
    r"|car[oa]s?|ex\.?m[oa]"
    r"|distinguid[oa]s?) (?!soy|sou|me|ia|chat|asistente|assistente)[a-z]+)[^\n]*[,:.]"
)
"""A pasted letter to another person."""

_JOKE = Pattern(
    r"[🎵🎶♪♫]|\b(?:es broma|era broma|just kidding|jk|brincadeira|to brincando|estou a brincar|es mentira)\b"
)

_SARCASM = Pattern(
    r"\W*(?:(?:yeah|oh|lol|haha|ja+|jaja\w*|kkk+|ah|si|yes|ok)\W+)*(?:sure|right|seguro|claro|claro que si"
    r"|aham|ta|ah ta"
    r"|por supuesto|of course|totally|com certeza|yeah|aja|obvio)\b(?:\W+(?:claro|sure|right|seguro|que si"
    r"|yeah))?[,.!\s].{0,200}"
    r"\b(?:obvio|obviamente|obviously|obvs|lol|lmao|haha\w*|(?:ja){2,}j?|k{3,}|rsrs\w*|com certeza|claro|totally|right"
    r"|como no|cree\w*)\b"
)
"""`yeah sure, I work at NASA, obviously lol`: so much agreement, and a laugh."""

_END = Pattern(
    r"(?P<question>\?+[!?]*)|(?P<opening>¿)"
    r"|(?<![.!…])[.!…]++(?=[\s\"'”»)|]|$)|[\n;|¡•]+|\s[-–—*]+\s"
    r"|[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d]+"
)
_ABBREVIATION = Pattern(r"(?:^|\W)(?:sr|sra|srta|dr|dra|ing|lic|mr|mrs|ms|st|av|inc|ltd|prof|[a-z])$")
_TAG = Pattern(r"\s*(?:verdad|cierto|o no|no es (?:cierto|verdad|asi))\s*\?")
COURTESIES = (
    r"ok|okay|vale|dale|ta|ta bom|ta bem|please|por favor|porfa|will you|would you|pode ser|se faz favor|faz favor"
)
"""Words after an order, with which it sounds like a question: `Forget my number, ok?`."""

KEPT_IN = (
    r"(?:(?:from|off|out of) (?:your|ur|the)|(?:de|en) (?:tus?|sus?)"
    r"|(?:da|do|de|das|dos|na|no|nas|nos) (?:tuas?|teus?|suas?|seus?))"
    r" (?:memory|memories|records?|notes|files?|database|system|memorias?|registros?|notas|apuntes|archivos?"
    r"|arquivos?|anotaciones|anotacoes|base de datos|banco de dados|historial|historico|sistema)"
)
"""Where an order to forget says that a thing is kept: `delete my number` `from your records`."""

_FILLERS = (
    r"no|ne|eh|hein|viste|viu|vio|ves|sabes?|sabias?|sabia|(?:me )?enten(?:des|diste|deu|de)|(?:me )?entiendes|percebes"
    r"|te conte|(?:lo )?pued[eo]s creer(?:lo)?|podes creer(?:lo)?|acredita(?:s)?|da pra acreditar|que te parece|que tal"
    r"|(?:do )?you know|y know|ya know|u know|you see|innit|yeah|can you (?:believe|imagine)(?: it| that)?"
)
"""Tags with which people want no answer: `..., viste?`; `..., right?` wants one."""

_NOD = Pattern(rf"(?:,\s*|\s)(?:{COURTESIES})\s*\Z|,\s*(?:{_FILLERS})\s*\Z")

FILLER = Pattern(rf"(?:{COURTESIES}|{_FILLERS})\Z")
"""A folded tag that wants no answer."""

_ASKS = (
    r"(?:y (?:tu|vos|usted|ustedes|el tuyo)|que|q|oq|o q|como|cual(?:es)?|donde|cuando|cuant[oa]s?|quien(?:es)?|por que"
    r"|puedes?|podes"
    r"|podrias?|me (?:puedes?|podes|podrias?|ayudas?|recomiendas|recomendas|das|dices|decis|ajuda|indica|recomenda"
    r"|diz|pode)"
    r"|sabes?|sabe|hay|tienes|tenes|conoces|crees|deberia|e (?:voce|vc|tu|o senhor|a senhora)|qual|quais|onde"
    r"|quando|quant[oa]s?"
    r"|quem|o que|tudo (?:bem|bom|certo)|todo bien|que tal|pode|poderia|podias|consegues?|voce|tem|devo|existe"
    r"|(?:and|what about) you(?:rs)?|what(?:'s)?|where|when|who|which|why|how|can|could|would|will|do|does|did|is"
    r"|are|should|may"
    r"|any|have you|got)\b"
)
_ASKING_PART = Pattern(
    r"(?:[,:]\s*(?:(?:y|e|and|so|entonces|entao|pero|but|mas) )?"
    r"|(?<!quando)(?<!onde)(?<!quem)(?<!como)(?<!qual)(?<!quanto)\s(?:y|e|and|so|but|pero|mas) )"  # not `quando é que`
    rf"{_ASKS}"
    r"|\s(?:can|could|would) you\b|\s(?:me )?(?:puedes|podes|podrias)\b|\svoce pode\b|\spode me\b|\bwhat about you\b"
)
_MINE = (
    r"(?:i|i'?m|i'?ve|my|we|our|mis?|soy|vivo|trabajo|tengo(?! que)|prefiero|nuestr[oa]s?|(?:no )?me|eu|meus?|minhas?)"
)
_REQUEST = Pattern(
    r"\W*(?:(?:y|e|and|hola|oi|hi|hey|ola|ok|please|por favor)\W+)*(?:"
    r"(?:can|could|would) (?:you|u) (?:please |pls |also )?"
    rf"(?=(?:forget|delete|erase|wipe|remove|(?:remember|note) that {_MINE})\b)"
    r"|(?:me )?(?:puedes?|podes|podrias?)(?: por favor)? "
    rf"(?=(?:olvidar|borrar|eliminar|(?:recordar|anotar) que {_MINE})\b|olvidar(?:lo|te)\b)"
    r"|(?:voce |vc |tu )?(?:pode|poderia|podes|podias)(?: por favor)? "
    rf"(?=(?:esquecer|apagar|deletar|excluir|eliminar|(?:lembrar|anotar)(?: de)? que {_MINE})\b))".replace(" ", r"\s+")
)
"""The beginning of a question that asks to remember or to forget something."""

_ASKING_START = Pattern(rf"\W*(?:(?:y|e|and|so|but|pero|mas|hola|oi|hi|hey|ola)\W+)*{_ASKS}")

_UNMARKED = Pattern(
    r"\W*(?:(?:y|e|and|so|but|or|pero|mas|hola|oi|hi|hey|ola|ok|btw|wait|pls|please)\W+){0,3}(?:"
    r"am i|is (?:my|our|it|he|she|there)|are (?:we|you|they|my|our|u)|was (?:i|he|she|my)|were (?:we|they|you)"
    r"|do (?:i|we|you|they|u)|does|did (?:i|we|you|he|she|they|my|our)(?!(?: ever)? (?:tell|mention))"
    r"|(?:have|had) (?:i|we|they|you)(?!(?: ever)? (?:told|mentioned))|has (?:my|our|he|she|it)"
    r"|(?:can|could|would|will|should) (?:i|we|he|she|my|our)"
    r"|(?:what|where|when|who|how|which)(?:'?s| s| (?:is|are|am|was|were|do|does|did|has|have))"
    r"|how (?:old|many|much|long)"
    r"|(?:o )?(?:que|q|oq) (?:(?:eu|yo|me|no|nao|n|mas|mais|gusta|encanta|de|\w+o) ){1,5}\w+[aei]r(?=\W*$)"
    r"|(?:adonde|aonde|(?:a|de|con|com|para|pra|hasta|ate|desde) (?:donde|onde|quien(?:es)?|quem|cual(?:es)?|qual)) \w+"
    r"|(?:(?:en|em|de|com?|no) )?(?:q|que|qual|cual|quais|cuales) (?:e o )?(?:curso|serie|semestre|faculdade|facultad"
    r"|carrera|turno|bairro|barrio|cargo)"
    r"|(?:ha|hace|desde ha) (?:quanto|cuanto) (?:tempo|tiempo)"
    r")\b"
)
"""`am i allergic to nuts`: words in an order that only questions have, which need no mark then."""

_OR_NOT = Pattern(
    r"\b(?:or not|o no|ou nao|or (?:am|do|is|are) \w+|or what|o (?:q|k|que|ke|como)|ou (?:o )?(?:q|que))"
    r"(?:\W+(?:(?:ja|ha|je|he|rs)+|k{2,}|lol|xd+)(?!\w))?\W*$"
)
"""`soy celiaca o no`, `soy vegano o q`."""

_UNMARKED_PART = Pattern(
    r",\s(?:and |so )?(?:what|where|when|who|how)(?:'?s| is| are| does| do| did) (?:i|he|she|it|they|my|his|her"
    r"|their)\b"
)
"""`and our liam, whats he studying`."""


class Statement(NamedTuple):
    """A sentence that the user states, and the same folded."""

    text: str
    folded: str


def statements(message: str) -> Iterator[Statement]:
    """Yield the user's statements in the message, in order."""
    text = _prose(message)
    if _JOKE.search(fold(text)) or is_letter(text):
        return
    for line in _own_lines(text):
        for sentence in _sentences(" ".join(line.split())):  # many patterns may begin at each space of a gap
            if _SARCASM.match(sentence.folded):
                continue
            task = _TASK.search(sentence.folded)
            yield from _pieces(sentence if task is None else _before(sentence, task.start()))
            if task and ":" in sentence.folded[task.end() :]:
                return


def told_in(message: str) -> str:
    """Return what the user tells in the message: no questions, nothing that another person wrote or that is a joke."""
    return " ".join(each.text.strip() for each in statements(ends(message)))


def is_letter(message: str) -> bool:
    """Whether it is a pasted letter to another person."""
    return _LETTER.search(fold(message)) is not None


def asks_without_mark(folded: str) -> bool:
    """Whether the folded sentence asks by the order of its words."""
    return _UNMARKED.match(folded) is not None or _OR_NOT.search(folded) is not None


def asks_for_memory(question: str) -> bool:
    """Whether it asks politely to remember or to forget something."""
    return _REQUEST.match(fold(question)) is not None


def ends(message: str) -> str:
    """The two ends of a long message, the whole of any other."""
    if len(message) <= 2 * _LONGEST_SIDE:
        return message
    return f"{message[:_LONGEST_SIDE]}\n{message[-_LONGEST_SIDE:]}"


def _prose(text: str) -> str:
    """Code, addresses and quotations replaced by bars, which end every value."""
    text = text.replace("\r", "\n").replace("|", "/")
    text = _NOT_PROSE.sub(lambda match: "|" * len(match.group()), text)
    return _QUOTED.sub(lambda match: _unquote(match, text), text)


def _unquote(match: re.Match[str], text: str) -> str:
    inside = next(group for group in match.groups() if group is not None)
    told = _TELLING.search(fold(text[max(0, match.start() - 40) : match.start()]))
    if not told and _NAME_IN_QUOTES.fullmatch(inside):
        return f" {inside} "
    return "|" * len(match.group())


def _own_lines(text: str) -> Iterator[str]:
    """Yield the user's own lines: nothing from a mail's header on, no lines of a transcript."""
    for line in text.split("\n"):
        if _HEADER.search(fold(line[:120]).strip()):
            return
        speaker = _SPEAKER.match(line)
        if speaker is None or _OWN_LABELS.search(fold(speaker.group(1))):
            yield line


def _sentences(line: str) -> Iterator[Statement]:
    """The sentences of a line that are not questions, or ask to remember or to forget."""
    folded = fold(line)
    start, asking = 0, False
    for end in _END.finditer(folded):
        if end.group().startswith(".") and _ABBREVIATION.search(folded, max(0, end.start() - 6), end.start()):
            continue
        yield _stated(Statement(line[start : end.start()], folded[start : end.start()]), end, asking=asking)
        start, asking = end.end(), bool(end["opening"])
    yield _stated(Statement(line[start:], folded[start:]), None, asking=asking)


def _stated(sentence: Statement, end: re.Match[str] | None, *, asking: bool) -> Statement:
    """Return the stated part; of `can you forget my name` the request. `asking`: it begins as a question."""
    if request := _REQUEST.match(sentence.folded):
        return Statement(sentence.text[request.end() :], sentence.folded[request.end() :])
    if asking or (end and end["opening"] and _TAG.match(end.string, end.end())):
        return _before(sentence, 0)
    return _before_question(sentence) if end and end["question"] else _without_question(sentence)


def _before_question(sentence: Statement) -> Statement:
    """Return the part before the question that ends the sentence; nothing when the whole is a question."""
    if _ASKING_START.match(sentence.folded):
        return _before(sentence, 0)
    asking = _NOD.search(sentence.folded) or _ASKING_PART.search(sentence.folded)
    return _before(sentence, asking.start() if asking else 0)


def _without_question(sentence: Statement) -> Statement:
    """Return the sentence without a question that has no mark; after its comma people tell something again."""
    if asks_without_mark(sentence.folded):
        comma = sentence.folded.find(",")
        start = comma + 1 if comma >= 0 else len(sentence.folded)
        return Statement(sentence.text[start:], sentence.folded[start:])
    asking = _UNMARKED_PART.search(sentence.folded)
    return _before(sentence, asking.start()) if asking else sentence


def _before(sentence: Statement, end: int) -> Statement:
    return Statement(sentence.text[:end], sentence.folded[:end])


def _pieces(sentence: Statement) -> Iterator[Statement]:
    for start in range(0, len(sentence.text), _LONGEST_STATEMENT):
        end = start + _LONGEST_STATEMENT
        if _WORD.search(sentence.text, start, end):  # `!!!` says nothing to hundreds of patterns
            yield Statement(sentence.text[start:end], sentence.folded[start:end])
