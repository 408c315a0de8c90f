"""Words by which questions are told from statements."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.wordlists import QuestionWords

QUESTIONS = QuestionWords(
    divided=r"por",
    address=r"endereco|morada|rua",
    thousand=r"mil",
    idle=word_set("atualmente hoje ainda exatamente trabalho moro anos numero endereco"),
    times=word_set("agora antigamente e isso disso tinha ele ela"),
    and_what_of=r"e quanto a|e",
    then=r"agora|antes|depois",
    before_question_words=r"e|antes|agora|a|d|de|do|da|em|com|por|para|pra|ate|desde|cada|contra|sobre",
    question_words=r"quem|qual|quais|quanto|quanta|quantos|quantas|quando|onde|oq|oque|(?<=\w )que",
    exclaims=(
        r"(?:e )?(?:que|q) (?:tal|pena|risa|frio|calor|mal|bom|boa|legal|saudade|saudades|fome|sono"
        r"|massa|fixe|nojo|raiva|medo|alivio|louco|louca|loucura|forte|maravilha|lindo|linda|ja|nao|sim|seja)\b"
        r"|(?:tenho|tem|temos) que "
    ),
    i_owe=(
        r"devo|devemos|(?:estou|stou|to|tou|fiquei|continuo) (?:ainda )?devendo|(?:me|nos) emprest(?:ou|aram)"
        r"|(?:peguei|pedi) emprestad[oa]"
    ),
    owes_me=(
        r"me (?:\w+ )?(?:deve|devem|devia|deviam|devendo)|emprestei|emprestamos"
        r"|(?:deve|devem|devia|devendo)(?: \w+)? (?:pra|para|a) mim"
    ),
    endings=r"[aeiou]*s?|[aeiou]r|mos|[ai]d[oa]s?|[aei]ndo|[aei]mos|[ai]ste|ou|ei",
    several=r"cidades|lugares|sitios|paises",
    since=word_set("desde"),
    goals=word_set("para pra pro"),
    whats=r"",
)
