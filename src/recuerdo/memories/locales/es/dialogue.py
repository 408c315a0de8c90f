"""Patterns that depend on earlier statements: answers, corrections, returns, endings and relatives."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.language import Dialogue, not_so, opening, pattern, swap
from recuerdo.memories.extraction.lexicon.dates import TIME
from recuerdo.memories.extraction.lexicon.households import ANIMALS, RELATIVES

_THING = r"(?:(?:el|la|los|las|mi|mis|un|una|al|a) )?(?P<value>[^,.;:!?|]{2,60})"
_SOMEBODY = r"(?P<value>(?:(?! (?:y|pero|porque|entonces|asi|hace|cuando|desde|en) )[^,.;:!?|]){2,40})"
_OWNED = (
    r"(?:(?:el|la|mi|nuestr[oa]) )?(?P<value>[^,.;:!?|]{2,40}?)"
    r"(?=\s+(?:y|e|por|para|pa|pero|el|la|no|en|hace|ayer|tambien)(?!\w)"
    r"|[,.;:!?|]|$)"
)

_DIED = (
    r"(?:la (?:ha )?(?:palmo|palmado|espicho|espichado|dino|dinado)|(?:estiro|ha estirado) la pata"
    r"|colgo los (?:tenis|guantes)|paso a mejor vida|cruzo el (?:puente del )?arco ?iris"
    r"|ya no esta (?:con|entre) nosotr[oa]s|esta en el cielo|(?:amanecio|aparecio) muert[oa]"
    r"|se (?:me |nos )?fue al cielo)"
)
_AT_LAST = (
    r"(?=\W*(?:$|[,.;:!?|])| (?:ayer|anoche|hoy|hace|el (?:lunes|martes|miercoles|jueves|viernes|sabado|domingo|dia|mes"
    r"|ano)|la (?:semana|noche|madrugada)|est[ea]|ya|y|tras|al cielo|para siempre|de (?:repente|viej[oa]|pronto"
    r"|un|una))(?!\w))"
)
"""Words or an end that may follow the name of the dead, and not `se nos fue Ana a Madrid`."""
_DEAD = r"(?P<value>[^,.;:!?|\s]{2,20}(?: (?!(?:al?|con|de|en|por|para) )[^,.;:!?|\s]{2,20}){0,2})"

_MOVED = (
    r"(?:(?:me |nos |se )?(?:lo|la) (?:pasaron|pase|pasamos|cambiaron|cambie|movieron|movi|aplazaron"
    r"|adelantaron|postergaron|corrieron)|(?:se )?(?:ha|han|fue|me han|nos han) (?:sido )?(?:aplazad"
    r"|pospuest|cambiad|movid|adelantad|pasad|reprogramad|trasladad)[oa]|se (?:paso|cambio|movio|aplazo"
    r"|adelanto|corrio|pospuso)|quedo|pospusieron|reprogramaron)"
)
_UNTIL_REASON = (
    r"(?P<value>[^,.;!?|]{2,40}?)(?=\s+(?:porque|xq|por|ya que|debido|pero|asi que|entonces)(?!\w)|\s*(?:[,.;!?|]|$))"
)

DIALOGUE = Dialogue(
    lead=opening(r"(?:\W*(?:si+p?|pues|bueno|claro|dale|eh|mm+|ah|ok|yo|ahora|actualmente|obvio|jaja)(?!\w)[\s,.!]*)+"),
    refusals=opening(r"\W*(?:no|nop|nunca|ningun[oa]?|nada|nadie|tampoco|para que|por que|prefiero no)(?!\w)"),
    corrects=opening(
        r"\W*(?:(?:ay |uy |ah |no |huy )?,?\s*(?:perdon|digo|mejor dicho|corrijo|correccion"
        r"|me equivoque|me confundi|me corrijo|perdon[ea](?:me)?|disculp[ea](?:me)?|rectifico"
        r"|(?:lo )?(?:escribi|puse|dije) mal"
        r"|quise decir|quiero decir|error|ups|fe de erratas|mentira)(?!\w)[\s,:.]*(?:que )?(?:(?:en realidad|en verdad"
        r"|mejor) )?(?:es|era|quise decir)?"
        r"|(?:no,? )?mejor(?= (?:el|la|al|a las?|dia) )"
        r"|(?:(?:ay|uy|ah|ups|uf),? )?no(?:,? (?:espera|para|mejor|vale))?,(?: (?:es|era|en realidad es|perdon))?"
        r"|(?:y )?al final (?:es|son|sera|va a ser|va|queda|quedo)"
        r"|(?:en realidad|en verdad),?(?= (?:el|la|mi) )|en realidad (?:es|era)|(?:es|era) (?:en realidad"
        r"|mas bien))(?!\w)\s*"
    ),
    restates=opening(
        r"(?:(?:que )?(?:dije|puse|te dije) (?P<old1>[^,.;:!?|]{2,30}?),? (?:pero|y|cuando)(?: en verdad"
        r"| en realidad| la verdad)? (?:es|era)|(?:el|la|mi) (?P<old2>[^,.;:!?|]{2,30}?) (?:es"
        r"|era)) (?:(?:el|la|los|las) )?(?P<value>[^,.;:!?|]{2,40})"
    ),
    moves=pattern(
        rf"{_MOVED}(?: [\w ]{{2,30}}?)?? (?:para|al?|hasta) (?:el |la )?(?={TIME}){_UNTIL_REASON}",
        rf"{_MOVED}(?: [\w ]{{2,30}}?)? (?:para|al?|hasta) (?:el |la )?(?P<value>[^,.;!?|]{{2,40}})",
    ),
    moves_house=opening(r"(?:mud|mov)\w"),
    dated=pattern(
        r"(?:lo de(?:l| la| el)? |(?:el|la|los|las|mi|nuestr[oa]) )(?P<what>[^,.;:!?|]{2,40}?)"
        r"(?:,? (?:ya|que|pero|me lo|lo|la|se|ha|han) ?(?:cambi|mov|pas|aplaz|adelant)\w+(?: \w+){0,2})?,?"
        r" (?:(?:ahora|al final|ya|pero|que) )?(?:es|son|sera|va a ser|cae|queda|quedo)"
        r"(?: (?:en realidad|ahora|mejor))? (?P<value>(?:(?:el|la|para|dia) ){0,3}[^\s,.;:!?|]{1,12}(?: de \w{3,12})?)"
        r"(?=\W*(?:$|[,.;:!?|])| (?:ahora|en realidad|y no|no)(?!\w))"
    ),
    updates=pattern(
        r"(?:ahora|desde (?:hoy|ayer|ahora)) (?:es|son|soy)(?: el| la)? (?P<value>[^,;!?|]{2,60})",
        r"(?:mi )?(?:nuev[oa] \w+|cambie de \w+|cambio de \w+)(?:,| es|:| a| y| ya)+ (?:ahora (?:es"
        r"|tengo) )?(?:el |la )?(?P<value>[^,;!?|]{2,60})",
    ),
    returns=pattern(
        r"(?:volvi|regrese|volvimos|regresamos|he vuelto|hemos vuelto|retorne|estoy de (?:vuelta|regreso)"
        r"|estamos de (?:vuelta|regreso)|otra vez (?:estoy|vivo|trabajo)|de nuevo (?:estoy|vivo|trabajo))"
        r"(?: (?:a (?:vivir|trabajar)|de nuevo|otra vez|hoy|ayer|por fin))* (?:a|al|en)(?: la| el)? "
        r"(?P<value>[^,.;:!?|]{2,40})"
    ),
    ends=(
        (
            ("employer", "studies"),
            pattern(
                rf"(?:deje|abandone|me sali del?|largue|dejamos|colgue|me fui del?|renuncie al?"
                rf"|(?:presente|entregue|di) mi renuncia (?:en|al?)) (?!de (?!la|el))"
                rf"(?:de )?(?:estudiar |trabajar en )?{_THING}"
            ),
        ),
        (
            ("employer",),
            pattern(
                r"me (?:han |acaban de )?(?:despid\w+|despedi\w+|ech\w+|corri\w+|bota\w+|rajaron|cesa\w+"
                r"|liquid\w+) del? "
                rf"{_THING}"
            ),
        ),
        (
            ("family",),
            pattern(
                r"(?:(?:termine|cort[eo]|rompi|terminamos|acabe|lo deje|lo dejamos) con|me (?:separe"
                r"|divorcie|deje) de"
                rf"|me (?:dejo|boto|corto)|enviude de|mande a(?=.{{2,30}} a (?:la porra|volar|freir))) {_SOMEBODY}",
                r"(?P<value>[^,.;:!?|\s]{2,30}) me (?:dejo|boto|corto)(?= por |\W*$)",
                r"(?P<value>[^,.;:!?|\s]{2,30}) y yo (?:terminamos|cortamos|rompimos|nos (?:separamos|dejamos"
                r"|divorciamos))",
            ),
        ),
        (
            ("pet", "family"),
            pattern(
                rf"(?:(?:se )?(?:me )?(?:murio|fallecio)|perdimos a|perdi a|sacrificamos a) {_SOMEBODY}",
                rf"(?:se (?:me|nos) (?:fue|ha ido|ha muerto)|nos (?:dejo|ha dejado)|ha (?:muerto|fallecido)|{_DIED}"
                rf"|(?:tuvimos|tuve|hubo) que (?:dormir|sacrificar) a) {_DEAD}{_AT_LAST}",
                rf"(?:(?:la|el|mi) )?(?:{ANIMALS} )?(?P<value>[^,.;:!?|\s]{{2,30}})(?: (?:ya|se|me|nos))* "
                rf"(?:murio|fallecio|ha (?:muerto|fallecido)|{_DIED})",
                r"(?P<value>[^,.;:!?|\s]{2,30}),? l[oa] (?:tuvimos|tuve|hubo) que (?:dormir|sacrificar)",
                rf"(?P<value>[^,.;:!?|\s]{{2,30}}) (?:se nos (?:fue|ha ido)|nos (?:dejo|ha dejado)){_AT_LAST}",
            ),
        ),
        (
            ("pet",),
            pattern(
                r"(?:(?:el|la|los|un|una|unos) )?(?:zorros?|comadreja|perros?|gavilan|aguila|culebra|vibora|auto|coche"
                r"|carro|camion) (?:se |me |nos )*"
                r"(?:comio|comieron|mato|mataron)(?: (?:al?|la|el))* (?P<value>[^,.;:!?|\s]{2,30})",
            ),
        ),
        (
            ("possession",),
            pattern(
                rf"(?:vendi|vendimos|he vendido|me robaron|nos robaron|regale|choque|me deshice de|cambie"
                rf"|(?:me|nos) (?:afanaron|chorearon|hurtaron)|ya no (?:tengo|tenemos|manejo|conduzco)) {_OWNED}",
                r"(?:(?:el|la|mi|nuestr[oa]) )?(?P<value>[^,.;:!?"
                r"|\s]{2,30}(?: \S{1,20})?) (?:ya )?(?:l[ao] (?:vendi|vendimos|regale|cambie)"
                r"|me l[ao] robaron)",
            ),
        ),
        (
            ("likes",),
            pattern(
                rf"me (?:canse|aburri|harte|he cansado|he aburrido|empalague) del? {_THING}",
                rf"(?:ya )?no me (?:interesa|llama|atrae|emociona|va)n? (?:mas )?{_THING}",
                rf"(?:le |les )?(?:perdi|agarre)(?: el gusto| bronca| tirria)? al? {_THING}",
                r"ya no (?P<value>[a-z]{3,12}o)(?!\w)",
                r"deje de (?P<value>[a-z]{3,12}[aei]r)(?!\w)",
            ),
        ),
        (
            ("diet", "allergy", "health", "studies", "plan", "marital_status", "preference", "pet"),
            pattern(rf"(?:ya no|deje de|dejamos de|no .{{3,40}} mas) {_THING}"),
        ),
        (
            ("plan",),
            pattern(
                r"(?:cancele|cancelamos|se cancelo|suspendi|suspendimos|se suspendio|no voy a ir a|al final no"
                rf"|pospuse|ya no voy a) {_THING}",
                r"(?:lo de(?: la| ir a)?|el viaje(?: al?)?|la) (?P<value>[^,.;:!?|]{2,40}?)"
                r" (?:se (?:nos |me )?(?:cayo|cancelo|suspendio|frustro|pincho|aguo)"
                r"|no va(?= mas|\W*$|,)|qued[oa] (?:cancelad|suspendid|en la nad)[oa])",
            ),
        ),
    ),
    now_at=opening(
        r"[\s,;]*(?:(?:y|pero|que) )?(?:(?:ahora|ya|hoy) )?(?:estoy|toy|ando|sigo|empece|entre|trabajo|laburo|curro"
        r"|me fui|me pase|me cambie)(?: (?:ahora|ya|a|trabajando|trabajar|laburando|laburar|currando))*"
        r" (?:en|a|con|pa|para)(?= )"
    ),
    denied=not_so(
        r"\bno (?:es|era|son|se llama)(?: (?:el|la|l[ao]s|una?))*\s+",
        r"(?:es|son|se llama)(?: en realidad)?",
        "el|la|l[ao]s|una?",
    ),
    swapped=swap(
        "cambi(?:o|e|aron|amos|ado)|troc(?:o|aron)|troque|reemplaz(?:o|aron)|reemplace|sustituy(?:o|eron)|sustitui",
        "me|le|de|del|el|la|los|las|mis?|sus?|una?|al?",
        "por|a",
        links="y|e|pero",
    ),
    begins_no_value=word_set("""
        mi mis su sus de del en que mentira verdad asi solo no para por con otra otro algo muy mas menos todo nada aqui
        ahi hoy apenas
    """),
    earns=opening(
        r"(?:trabajo|trabajamos|laburo|curro|chambeo|atiendo|enseno|vendo"
        r"|(?:doy|dicto|imparto) (?:clases?|cursos|talleres)|(?:tengo|tenemos|abri|abrimos|monte|montamos|puse)"
        r"(?! (?:(?:mi|una|la) )?(?:casa|depa|depto|piso|hogar)))(?!\w)"
    ),
    inquires=opening(
        r"(?:y |pero |che |oye )?(?:me pregunto|(?:quisiera|quiero|queria|querria|me gustaria) saber"
        r"|no (?:me acuerdo|recuerdo) (?:si|que|cual|cuando|donde|como|quien))(?!\w)"
    ),
    about=opening(
        r"\W*(?:(?:todo )?(?:lo|eso|aquello) (?:que )?(?:(?:(?:te|le) )?(?:dije|conte|hable|mencione|he dicho"
        r"|sabes|sepas|comente|habia dicho) )?(?:de|del|sobre|acerca de)|todo sobre|toda mencion (?:de|a))(?!\w)\s*"
    ),
    mine=pattern(
        rf"(?:a )?(?<!de\x20)(?:mis?|nuestr[oa]s?) (?:querid[oa] |adorad[oa] )?(?P<who>{RELATIVES})"
        r"(?: (?:mayor|menor|chic[oa]|pequen[oa]|grande|mas (?:grande|chic[oa])|del medio|gemel[oa]))?"
    ),
    relative=pattern(rf"(?P<who>{RELATIVES})"),
    having=word_set("tengo tenemos casado casada con tuvimos"),
    my="mi",
    yours=pattern(rf"(?:tus?|sus?|vuestr[oa]s?) (?P<who>{RELATIVES})"),
    called=opening(
        r"(?:\s*,\s*(?:(?:el|la|don|dona)\s+)?|\s+(?:se llama|es(?: el| la)?|le decimos|llamad[oa])\s+"
        r"|\s+(?:(?:el|la|don|dona)\s+)?)"
    ),
    who=opening(
        r"(?:\s*,)?\s*(?:(?:el |la )?(?:que|quien)(?:,)?\s+)?(?:(?:tambien|ahora|hoy|aun|todavia|siempre"
        r"|ya)(?= (?!no))\s+)?"
    ),
    denies=opening(r"(?:ya )?(?:no|nunca|tampoco) (?=\w)"),
)
