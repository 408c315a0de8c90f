"""The words around a value that the tagger found."""

from recuerdo.memories.extraction.language import ValueChecks
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.es.phrases import DEATHS

TAGGED = ValueChecks(
    turns=Pattern(r"(?<!hoy )\bcumpl(?:o|e|ir|ira|ire)(?: los|[^.;!?]{0,30}\bya)?\s+\Z"),
    once=Pattern(r"(?<!cuento )\b(?:con|a los|cuando tenia)\s+\Z"),
    cancelled=Pattern(r"\bcancel\w*"),
    taken_away=Pattern(
        r"\b(?:saco|quito|retiro|suspendio|sacaron|quitaron|suspendieron)(?: (?:el|la|los|las|mi))?\s+\Z"
    ),
    # `cumple dos` is of a child
    day_of_another=Pattern(r"\bcumple(?:anos)? (?:del?|dos) (?!mi\b)"),
    others_call_me=Pattern(r"\s+me (?:dicen?|llaman?)\s+\Z"),
    titled=Pattern(r"\W*(?:don|dona|sr|sra|senora?)\.? [a-z]+\b"),
    oneself=Pattern(r"\b(?:yo|soy)\b"),
    no_relative=Pattern(r"(?:dra?|doctora?|prof|profe|profesora?|padre|pastor)\b"),
    doctor=Pattern(r"\b(?:dra?|doctora?)\.?\s+\Z"),
    moves_away=Pattern(r"\bse (?:fue|mudo|ha ido|ha mudado|regreso|devolvio)\b"),
    seeks=Pattern(r"\b(?:busc(?:o|ando)|quiero|queria|quisiera)\b"),
    plays=Pattern(r"\b(?:jueg[oa]|jug(?:amos|aba\w*|ue))\b(?:(?!\b(?:trabaj|labur|soy))[^.;!?]){0,60}\Z"),
    lives=Pattern(r"\b(?:resid\w+|viv(?:o|iendo))(?: \w+)?\s+\Z"),
    until_retired=Pattern(r"[^.;!?]{0,40}\b(?:hasta|antes de)\b[^.;!?]{0,20}\b(?:retir|jubil|pension)"),
    averse=Pattern(r"[^,.;:!?]{0,40}?\sno (?:\w+ )?(?:aguant|soport|toler|trago|banco)\w*"),
    before_name=Pattern(r"y|e|el|la"),
    here=Pattern(r"aqui"),
    clause_start=Pattern(r"\s(?:y|e|pero|que|porque|entonces)\s+"),
    allergy=Pattern(r"\b(?:alerg|intoler)\w*"),
    also=Pattern(r"\W*(?i:y|e)\s"),
    pronoun=Pattern(r"(?i:(?:(?:y|pero|ah|oye),? )?(?:ella|él))(?=\s(?!y\b|e\b))"),
    own=Pattern(r"\W*(?i:mis?|nuestr[oa]s?)\s"),
    goes_on=Pattern(
        r"\b(?:todavia|aun) (?:l[oa]s? (?:tengo|tenemos|tiene|uso|hago)|(?:estoy|estamos|esta) (?:en|con|ahi|all?a)"
        r"|(?:tengo|tenemos|tiene) (?:el|la|los|las|mi|es[eao])|vivo|trabajo|voy|hago)\b"
        r"|\bsigo (?:con|en|ahi|trabajando|viviendo|yendo)\b|\bno l[oa]s? (?:he )?(?:vend|dej|perd|devolv)\w*"
    ),
    still_has_it=Pattern(r"\b(?:todavia|aun|no) l[oa]s? \w+|\bsigo (?:ahi|yendo)\b"),
    settles=Pattern(
        r"\b(?:viv\w+|mor(?:o|amos)|mud\w+|(?:me|nos) (?:vin|fui|cambi|pas|traslad|instal|mud|regres|volv)\w+"
        r"|trasladad\w+|(?:pasar|quedar|mudar|cambiar|ir)(?:nos|me)|rent\w+|alquil\w+|arriend\w+|casa(?! d[eao])"
        r"|depa\w*|dpto|piso|esto?y|toy|estamos|ando|radic\w+|resid\w+|volvi\w*|regres\w+|(?:aca|aqui|ahora) en"
        r"|ciudad|pueblo|direccion|hogar|soy de|donde)\b"
    ),
    ages=Pattern(r"\b(?:tengo|cumpl\w+|mi edad|(?:cuantos|que) (?:anos|edad))\b"),
    birthdays=Pattern(r"\b(?:cumple\w*|cumplo|cumpli\w*|nac\w+|anos|natalicio)\b"),
    names=Pattern(
        r"\b(?:me llam\w+|llam\w+|mi nombre|nombre|soy|di(?:me|gan\w*)|decime|dice\w*|digame|apod\w+|conocen)\b"
    ),
    addresses=Pattern(
        r"\A\W*(?:ti[oa]|hij[oa]|mij[oa]|prim[oa]|herman[oa]|chic[oa]s?|nen[ea]|viej[oa]|jef[ea]|mami|papi)[,!]? "
        r"(?=(?:yo|me|mi|ya|no|soy|estoy|vivo|curro|trabajo|tengo|hago|ando|voy|quiero|estudio|llevo|necesito)\b)"
    ),
    pairs=Pattern(
        r"\b(?:casad[oa]s?|me case|nos casamos|salgo con|ando con|saliendo con"
        r"|comprometid[oa]|novi\w+|a?juntad[oa])\b"
    ),
    couples=Pattern(
        r"\b(?:se (?:casa\w*|caso|dejaron|dejo|separ\w+|divorci\w+|juntaron|comprometi\w+)|boda|divorci\w+"
        r"|termin(?:o|aron) con|embarazad\w+|dio a luz|fue (?:papa|mama|padre|madre)"
        r"|tuvo (?:el|la|su|un|una) (?:bebe|hij\w+|nen\w+))\b"
    ),
    deaths=Pattern(rf"\b(?:{DEATHS})\b"),
    couples_part=Pattern(r"\b(?:termin\w+|separ\w+|divorci\w+|cort(?:o|e|amos|aron)|rompi\w+|dej(?:o|e|aron))\b"),
    parts=Pattern(
        r"\b(?:m(?:u|o)r\w+|muer\w+|fallec\w+|partio|perd\w+|separ\w+|dej\w+|divorci\w+|termin\w+|cort\w+|regal\w+"
        r"|vend\w+|escap\w+|se (?:me )?(?:fue|perdio|ha ido)|enterr\w+|enterramos|sacrific\w+|dorm\w+|ya no|ex"
        r"|no (?:es|son|era|eran|est\w+|teng\w+|tenemos)"
        r"|viud\w+|solter\w+|rompi\w+|rob\w+|finad\w+|en paz|di en adopcion|acab\w+|alej\w+|pele\w+)\b"
    ),
)
