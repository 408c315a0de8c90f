"""Words by which questions are told from statements."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import QuestionWords

QUESTIONS = QuestionWords(
    divided=r"por",
    idle=word_set("atualmente hoje ainda exatamente trabalho moro anos numero endereco"),
    times=word_set("agora antigamente e isso disso tinha ele ela"),
    and_what_of=r"e quanto a|e",
    then=r"agora|antes|depois",
    before_question_words=r"e|antes|agora|a|d|de|do|da|em|com|por|para|pra|ate|desde|cada|contra|sobre",
    question_words=r"quem|qual|quais|quanto|quanta|quantos|quantas|quando|onde|oq|oque|(?<=\w )que",
    counts=r"oq|oque|quant[oa]s?",
    begins_with_what=(
        r"(?:e )?(?:q\b|que \w+ (?:o|a|eu|ele|ela|meu|minha)\b|o ?q(?:ue)?\b(?!.* (?:é|eh|e) )|(?:(?:o"
        r"|a) )?(?:nome|idade) (?:d|de|do|da|dos|das)\b)"
    ),
    exclaims=(
        r"(?:e )?(?:que|q) (?:tal|pena|risa|frio|calor|mal|bom|boa|legal|saudade|saudades|fome|sono"
        r"|massa|fixe|nojo|raiva|medo|alivio|louco|louca|loucura|forte|maravilha|lindo|linda|me|te|se"
        r"|nos|os|eu|ja|nao|sim|seja)\b|(?:tenho|tem|temos) que "
    ),
    embeds_question=(),
    asks_on_the_way=r"\b(?:em|com) (?:q|que) \w+\Z|\b(?:tem|fala|joga|faz) (?:que|q) (?!\w+[aei]r\b)\w+\Z",
    ends_asking=r"(?:a|de|em|com) (?:que|quem|onde|qual|oq)",
    endings=r"[aeiou]*s?|[aeiou]r|mos|[ai]d[oa]s?|[aei]ndo|[aei]mos|[ai]ste|ou|ei",
    several=r"cidades|lugares|sitios|paises",
    since=word_set("desde"),
    goals=word_set("para pra pro"),
    whats=r"",
)
