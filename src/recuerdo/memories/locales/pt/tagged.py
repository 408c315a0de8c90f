"""The words around a value that the tagger found."""

from recuerdo.memories.extraction.language import ValueChecks
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.pt.phrases import DEATHS

TAGGED = ValueChecks(
    turns=Pattern(r"(?<!hoje )\b(?:completa|faz|faco|fazer|fara)(?: os|[^.;!?]{0,30}\bja)?\s+\Z"),
    once=Pattern(r"(?<!estou )(?<!to )(?<!tou )\b(?:com|aos|quando tinha)\s+\Z"),
    cancelled=Pattern(r"\b(?:cancel\w*|nao vai (?:mais )?rolar\b)"),
    taken_away=Pattern(r"\b(?:tirou|cortou|suspendeu|tiraram|suspenderam)(?: (?:o|a|os|as|meu|minha))?\s+\Z"),
    # `aniversario de mi boda` is Spanish
    day_of_another=Pattern(r"\b(?:niver|aniversario) d(?:(?:[oae]s?) (?!meu|minha|mi\b)|el[ae]s?\b)"),
    others_call_me=Pattern(r"\s+me chamam?(?: de| so de)?\s+\Z"),
    titled=Pattern(r"\W*(?:seu|dona?|sra?|senhora?)\.? [a-z]+\b"),
    oneself=Pattern(r"\b(?:eu|sou)\b"),
    no_relative=Pattern(r"(?:dra?|doutora?|prof|profe|professora?|padre|pastor)\b"),
    doctor=Pattern(r"\b(?:dra?|doutora?)\.?\s+\Z"),
    moves_away=Pattern(r"\b(?:se mudou|foi embora)\b"),
    seeks=Pattern(r"\b(?:busc(?:o|ando)|procur(?:o|ando)|quer(?:o|ia))\b"),
    plays=Pattern(r"\bjog(?:o|amos|ava\w*|uei)\b(?:(?!\b(?:trabalh|tramp|sou))[^.;!?]){0,60}\Z"),
    lives=Pattern(r"\b(?:resid\w+|mor(?:o|ando)|viv(?:o|endo))(?: \w+)?\s+\Z"),
    until_retired=Pattern(r"[^.;!?]{0,40}\b(?:ate|antes d[aeo])\b[^.;!?]{0,20}\b(?:aposent|reform|jubil)"),
    averse=Pattern(r"[^,.;:!?]{0,40}?\s(?:eu )?(?:nao|n) (?:\w+ )?(?:aguent|suport|gost|curt|toler)\w*"),
    before_name=Pattern(r"e|o|a"),
    clause_start=Pattern(r"\s(?:e|mas|que|porque|entao)\s+"),
    allergy=Pattern(r"\b(?:alerg|intoler)\w*"),
    also=Pattern(r"\W*(?i:e)\s"),
    pronoun=Pattern(r"(?i:(?:(?:e|mas|ah|olha),? )?(?:ela|ele))(?=\s(?!e\b))"),
    own=Pattern(r"\W*(?i:(?:[oa] )?(?:meus?|minhas?))\s"),
    goes_on=Pattern(
        r"\bainda (?:tenho(?! (?:saudade|pena|raiva|medo|que)\w*)|temos|moro|trabalho|vou|faco|uso"
        r"|(?:estou|to|esta|ta) (?:com|n[oa]s?|em|la|ai))\b"
        r"|\bcontinuo (?:com|n[oa]|em|indo|trabalhando)\b|\bnao (?:vendi|larguei|deixei|sai|parei|perdi|terminei)\b"
    ),
    still_has_it=Pattern(r"\b(?:ainda|continuo|nao) \w+(?=\s*(?:[,.;!]|$))"),
    settles=Pattern(
        r"\b(?:mor(?:o|a|ar|ei|amos|ando|avamos)|mud\w+|viv\w+|vi(?:m|emos)|fui|fomos|alug\w+|arrend\w+|casa(?! d[eao])"
        r"|ape|apartamento|quitinete|kitnet|estou|estamos|to|tou|ta(?:mos)?|resid\w+|volt\w+"
        r"|(?:aqui|ca|agora) em|cidade|endereco|radicad\w+|sou d[eoa]|onde)\b"
    ),
    ages=Pattern(r"\b(?:tenho|fiz|faco|complet\w+|minha idade|que idade|quantos anos)\b"),
    birthdays=Pattern(r"\b(?:niver\w*|aniversari\w*|nasc\w+|faco|fiz|anos)\b"),
    names=Pattern(r"\b(?:cham\w+|nome|sou|apelid\w+|conhec\w+)\b"),
    addresses=Pattern(
        r"\A\W*(?:ti[oa]|filh[oa]|prim[oa]|irma[o]?|mano|menin[oa]|guri|moleque)[,!]? "
        r"(?=(?:eu|me|meu|minha|ja|nao|sou|to|tou|estou|moro|vivo|trabalho|tenho|faco|ando|vou|quero|estudo)\b)"
    ),
    pairs=Pattern(r"\b(?:namor\w+|casad[oa]s?|casei|nos casamos|noiv\w+|fic(?:o|ando) com|saindo com|amigad[oa])\b"),
    couples=Pattern(
        r"\b(?:(?:se )?separ(?:ou|aram|ando)(?: se)?|divorci\w+|terminou com|larg(?:ou|aram)(?:-se)?|noiv\w+|namor\w+"
        r"|cas(?:ou|aram|ar|am|amento)|gravid\w+|deu a luz|teve (?:o|a|um|uma) (?:bebe|filh\w+|nenem)"
        r"|virou (?:pai|mae))\b"
    ),
    deaths=Pattern(rf"\b(?:{DEATHS})\b"),
    couples_part=Pattern(r"\b(?:termin\w+|separ\w+|divorci\w+|romp\w+|larg(?:ou|uei|aram)|deixou)\b"),
    parts=Pattern(
        r"\b(?:morr\w+|mort[eo]|falec\w+|partiu|perd\w+|separ\w+|divorci\w+|termin\w+|acab\w+|larg\w+|deix\w+|dei|deu"
        r"|vend\w+|fugi\w+|sumi\w+|enterr\w+|sacrific\w+|ja nao"
        r"|nao (?:e|sao|era|est\w+|ta|tenho|temos|tem)|mais nao|ex|viuv\w+|solteir\w+|romp\w+|roub\w+"
        r"|foi embora|descans\w+|brig\w+|afast\w+|doou|doei|doado|finad\w+|desfiz\w+)\b"
    ),
)
