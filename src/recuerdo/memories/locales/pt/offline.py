"""How the offline model reads and answers in this language."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.lexicon.households import RELATIVES
from recuerdo.memories.extraction.patterns import Pattern
from recuerdo.memories.locales.offline_language import NEVER, OfflineLanguage, Phrases, only, starts, within
from recuerdo.memories.locales.pt.phrases import DEATHS

_WORK = (
    r"(?:e que )?(?:eu )?(?:trabalho|trabalhava|trabalhei|estou trabalhando|estou a trabalhar"
    r"|to trabalhando|(?:to )?tramp(?:o|ava|ei|ando)|estou empregad[oa])"
)
_LIVE = r"(?:e que )?(?:eu )?(?:moro|morava|morei|vivo|vivia|resido|estou morando|estou a viver)"
_KNOW = r"(?:sabe|sabes|lembra|lembras|se lembra|te lembras|recorda|recordas|conhece|conheces|tem|tens|guardou)"

OFFLINE = OfflineLanguage(
    markers=word_set(
        "o os as um uma uns umas e que em com por para como onde quando qual quem meu minha meus minhas seu "
        "sua eu voce voces sou es estou esta oi ola obrigado obrigada bom boa dia noite tarde chamo chama "
        "trabalho trabalha moro mora gosto gosta adoro prefiro odeio nome empresa cidade aniversario lembra "
        "lembre lembras sabe sabes sobre hoje amanha ontem mas muito mais tambem sim nao do da no na dos das "
        "nos nas ao pelo pela isso isto porque diga quero tenho tem ha foi disse disseste falei tchau ate "
        "logo cachorro gato irma irmao conversa de me te a se ja lhe tudo bem fica mim voce esqueca esquece "
        "pra pro to ta vc pq ne sempre responda senha quanto quantos quantas deve pode lembrar cntg agora faz "
        "mae ela ele pai vai ainda sem dele dela filho filha faco vou quer sao nem ficou dois duas mulher "
        "numa novo nova mesmo diz vem fala comigo conta mudou voltou outra outro saiu sai tou teve tinha "
        "idade ninguem melhor vezes entao depois quinta sexta num fez veio reais metade devo jogo janeiro fiz "
        "coisa avo aos renda"
    ),
    letters=Pattern(r"[ãõçêôâ]|\b(?:é|você|à)\b|\w\w[ln]h[ao]|\w\w(?:[oe]u|ei)\b"),
    stop_words=word_set(
        "olha olhe bom pois ai oh eita "
        "hora horas "
        "o a os as um uma uns umas de do da dos das em no na nos nas com por para pra pro e ou que se ser sao era foi "
        "este esta isto esse essa isso meu minha meus minhas me mim eu tu te ti voce voces seu sua seus suas teu tua "
        "lhe nao sim ja muito mais menos qual quais quem como onde aonde quando quanto quantos quanta quantas sabe "
        "sabes lembra lembras lembre recorda diga diz disse disseste dito falei sobre acerca respeito ha tenho tem "
        "tens pode podes favor oi ola obrigado obrigada agora antes tambem mas porque coisa coisas sou es estou "
        "contei quero quer faz fazer to entao ao aos pelo pela ok certo"
    ),
    spellings={
        "q": "que",
        "oq": "o que",
        "qm": "quem",
        "ond": "onde",
        "qnd": "quando",
        "pq": "porque",
        "vc": "voce",
        "cntg": "contigo",
    },
    openers=starts(
        r"e (?:onde|quando|quem|qual|como|quantos|de que|em que)(?!\w)",
        r"e (?:antes|agora)(?: (?:disso|onde|que|qual|quando|quem|em que|de que)(?!\w).*)?$",
        r"(?:e )?(?:(?:o |a )?(?:meu|minha)|o|a) \w+ (?:quando|(?:de )?onde|(?:o |de )?que|quant[oa]s(?: anos)?) \w+$",
        "qual",
        "quais",
        "quem",
        "onde",
        "aonde",
        "de onde",
        "para quem",
        "pra quem",
        "com quem",
        "por que",
        "para que",
        "pra que",
        "em que",
        "em qual",
        "de que",
        "com o que",
        "o que",
        "do que",
        "no que",
        "a que",
        "me (?:passa|lembra|da|diz|recorda|repete) (?:o |a )?(?:meu|minha|nome|numero|qual|onde|quando)",
        "(?:e )?(?:eu )?(?:posso|devo|deveria|poderia)",
        "(?:e )?(?:eu )?(?:ainda|continuo) ",
        r"(?:e )?(?:eu )?(?:tenho|sou|ha|tomo|falo|uso) (?:\w+ ){0,4}(?:algo|algum|alguma|alguns)\b",
        "voce (?:sabe|lembra|se lembra|pode)",
        "tu (?:sabes|lembras)",
        "sabes?",
        "lembra(?: d|s| o| a| m| qual| quem| onde)",
        "lembras te",
        "te lembras",
        "se lembra",
        "podes?",
        "poderia",
        "diga",
        "diz me",
        "me (?:diga|diz|fala|fale|conta)",
        "fale",
        "cade",
        "resuma",
        "faca um resumo",
        "faz um resumo",
        "e (?:voce|tu)$",
    ),
    wh_words=starts("que", "como(?! (?:pouc|muit|de tudo))", "quando", "quanto", "quantos", "quanta", "quantas"),
    accented=NEVER,
    asks_liking=starts(r"(?:e )?(?:eu )?(?:ainda )?(?:nao )?gosto (?:de|do|da|dos|das)(?= \w)"),
    requests=starts(
        *("escreva", "escreve", "faca", "faz um", "me de", "da me", "explique", "explica", "traduza", "traduz"),
        *("ajude", "me ajude", "ajuda me", "procure", "calcule", "crie", "gere", "liste", "mostre", "mostra"),
        *("por favor", "preciso que", "quero que", "(?:me )?(?:recomend|suger|suge|indic)[ae](?:-me| me)?"),
        *("(?:bota|poe|manda|cria) (?:um|uma)", "responda", "ignore", "esqueca", "repita"),
        "(?:me )?(?:cont|dig|diz)(?:a|e|)(?: ai| la| me| pra mim| para mim)? uma",
    ),
    greetings=only(
        "(?:oi+e?|ola+|eae|iae|eai|salve|boas|coe|koe|come|fala (?:tu|ai))(?: recuerdo)?",
        "(?:de novo|outra vez|(?:sou|voltei) eu(?: de novo)?|voltei)",
        "(?:mano|cara|gente|amig[oa]|parca|pessoal|bro|pa|rapaz|sumid[oa]|galera|tche|uai)",
        "bom dia+",
        "boas? (?:tarde|noite)s?",
        "e ai",
        "alo",
        "opa",
        "(?:fala (?:ai )?)?(?:beleza|blz|suave)",
        "(?:tudo|td|tas) (?:bem|bom|joia|certo|tranquilo|b[me])(?: (?:ai )?(?:com|c) (?:voce|vc)| contigo| ctg| ai)?",
        "como (?:vai|esta|tas|voce esta|vao as coisas|estas|vai voce)",
        "beleza",
        "saudacoes",
        "(?:da|posso|podemos|podes|pode) (?:para |pra )?(?:falar|conversar)(?: com (?:voce|vc)| contigo)?",
        "(?:tem alguem|voce (?:esta|ta)|estas) (?:ai|aqui)",
    ),
    thanks=starts(
        "(?:(?:ok|ta|ya|fixe|perfeito|ah|ai|k{2,}) )*(?:muito )?(?:obrigad|brigad)(?:[oa]s?|ao|inh[oa])",
        "valeu",
        "agradeco",
    ),
    farewells=starts(
        *("tchau", "xau", "ate (?:logo|mais|amanha|breve|a proxima|ja)", "adeus", "falou$", "me vou$", "fui$"),
        *("bjs?$", "beijos?$", "vou (?:dormir|deitar|nessa)", "a gente se fala", "boa noite (?:viu|ai|ta)"),
    ),
    past=within(
        *("antes(?! de)", "anterior(?:es|mente)?", "antig[oa]s?"),
        *("(?:morava|vivia|trabalhava|estudava|era|tinha|usava|costumava|estava|gostava|preferia)", "ex"),
        *("no passado", "(?:no|ao) (?:comeco|inicio|principio)|originalmente", "(?:no )?(?:ano|mes) passado"),
        *("(?:desde|ate) quando", "ha quanto tempo", "(?:ja )?(?:morei|trabalhei)"),
        "quando (?:eu )?(?:me )?(?:mudei|sai|comecei|terminei|deixei)",
    ),
    since=within("desde quando", "desde que (?:data|dia|ano)", "(?:ha|faz) quanto tempo"),
    asks_assistant=within(
        "(?:voce |tu )?(?:me )?(?:recomend|aconselh|indic)(?:ou|aste)",
        "(?:voce |tu )?(?:me )?(?:suger(?:iu|iste)|propos|respondeu)",
        "(?:voce|tu) me (?:disse|disseste|deu)",
        "(?:a )?(?:sua|tua) (?:recomendacao|sugestao|resposta|indicacao)",
    ),
    corrections=within(
        *("errei", "enganei me", "me enganei", "corrigindo", "desculpa", "mud(?:ei|ou|aram|amos)", "no fim"),
        *("afinal", "na verdade", "ou melhor", "agora", "ja nao", "nao mais", "adi(?:ei|ou|aram|ad[oa])"),
        *("(?:troqu|troc|substitu|antecip|atras)(?:ei|ou|i|iu|aram)", "(?:subi|aument|baix)(?:u|ou|ram|aram)"),
        *("remarc(?:ei|ou|aram)", "passou para"),
    ),
    wellbeing=only(
        "como (?:vai|esta|(?:voce|ce|tu) (?:esta|ta|vai|anda)|estas|vai voce|tem passado|vao as coisas)",
        "(?:tudo|td) (?:bem|bom|joia|certo|tranquilo|b[me])(?: (?:ai )?(?:com|c) (?:voce|vc)| contigo| ctg| ai)?",
        "(?:tudo )?bao",
    ),
    grief=within(
        DEATHS,
        "(?:to|tou|estou|ando|me sinto) (?:(?:muito|tao|bem|super) )?(?:triste|deprimid[oa]|arrasad[oa]|destruid[oa])",
    ),
    cheers=within("(?:torco|torcedora?|sou do|meu time|adept[oa])"),
    no_longer=within(
        "nao (?:\\w+ ){1,4}mais",
        "ja nao",
        "deixei",
        "(?:me )?(?:fui|sai|mudei)(?: embora)? d[aeo]",
        "me (?:mandaram embora|demitiram)",
        "parei (?:com|de)",
        "larguei",
        "(?:vend|perd|devolv)(?:i|eu|emos|eram)|morreu|faleceu",
        "(?:cancel|termin|acab|roub|fech)(?:ei|ou|aram)",
        "ja (?:\\w+ )?(?:pag(?:uei|ou|aram)|devolveu)",
    ),
    others=word_set(
        "irma irmao irmas irmaos filho filha filhos filhas neto neta avo mae pai tio tia primo prima sobrinho "
        "sobrinha namorado namorada esposo esposa marido mulher noivo noiva sogra sogro cunhado cunhada amigo amiga "
        "vizinho vizinha chefe colega doutor doutora medico medica dentista veterinario veterinaria tecnico "
        "professor professora cachorro cachorra gato gata comadre compadre familia"
    ),
    synonyms=(
        word_set("esposa esposo marido mulher casado casada"),
        word_set("namorada mina gata"),
        word_set("namorado mozao"),
        word_set("mae mamae"),
        word_set("pai papai"),
        word_set("filho moleque guri menino"),
        word_set("remedio medicamento comprimido medicacao"),
        word_set("carro automovel"),
        word_set("trabalho trampo emprego"),
        word_set("internet wifi"),
        word_set("senha codigo password"),
        word_set("apartamento ape ap"),
        word_set("celular telemovel telefone"),
        word_set("viagem ferias"),
        word_set("onibus autocarro"),
        word_set("mora vive reside"),
        word_set("moro vivo resido"),
        word_set("trabalha trampa"),
    ),
    counts_relatives=only(rf"(?:e )?quant[oa]s (?P<who>{RELATIVES}) (?:e que )?(?:eu )?tenho"),
    asks_who_is=only(r"(?:(?:e|ei|oi|voce sabe|sabe|lembra) )?quem (?:e|que e) (?:[oa] )?(?P<name>\w+(?: \w+)?)"),
    asks_name_of=only(
        r"(?:(?:e|ei|oi|(?:voce )?(?:lembra|sabe)(?: d[eo])?) )?(?:como (?:e que )?(?:se )?chamam?(?: se)?"
        r"|(?:(?:qual|quais) )?(?:e |sao )?(?:[ao]s? )?nomes? d[aeo]s?|quem (?:e|sao)) "
        rf"(?:[ao]s? )?(?:meus?|minhas?|nossos?|nossas?) (?P<who>{RELATIVES})(?: mesmo)?",
        rf"(?:e )?(?:[ao]s? )?(?:meus?|minhas?|nossos?|nossas?) (?P<subject>{RELATIVES}) (?:se )?chamam? como",
    ),
    asks_age=within("quantos an(?:inh)?os", "que idade"),
    asks_which=within("quem", "qual", "quais"),
    conjunctions=word_set("e mas"),
    relative_pronouns=word_set("que q quem cujo cuja onde"),
    own_verbs=word_set(
        "meu minha meus minhas me mim eu comigo nos nosso nossa sou estou to tenho moro vivo trabalho posso "
        "tomo fumo falo estudo vou nasci devo jogo toco uso faco torco trabalhei atendo"
    ),
    instructions=within(r"respond\w*", r"fal[ae]\w*", r"trat[ae]\w*", r"cham[ae]\w*", "us[ae]", r"escrev\w*"),
    named=within("portugues", "portuguese"),
    plus=word_set("mais"),
    minus=word_set("menos"),
    times=word_set("vezes x"),
    over=word_set("dividido"),
    weekdays=["segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado", "domingo"],
    months=[
        *("janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho"),
        *("agosto", "setembro", "outubro", "novembro", "dezembro"),
    ],
    full_date="{day} de {month} de {year}",
    topics={
        "diet": within(
            r"que (?:e que )?(?:eu )?(?:nao )?(?:posso|devo) comer",
            r"(?:posso|devo) (?:comer|beber)",
            r"minha dieta",
        ),
        "abilities": within(
            "o que (?:mais )?(?:voce |tu )?(?:sabe|sabes|pode|podes|consegue|consegues) fazer",
            "(?:no|em) que (?:voce )?(?:pode|podes|consegue) (?:me )?ajudar(?: me)?",
            "como (?:voce )?(?:pode|podes|consegue) (?:me )?ajudar",
            "para que (?:voce )?(?:serve|serves)",
            "da p(?:a|ra) faze(?:r|res) o que",
            "como (?:voce )?funciona",
            "^ajuda$",
        ),
        "joke": within("piadas?", "anedotas?", "algo engracado"),
        "today": within(
            "que (?:dia|data) e(?: hoje)?$",
            "que dia e hoje",
            "(?:a )?data de hoje",
            "(?:em )?que (?:dia|data) estamos",
            "quantos estamos",
        ),
        "identity": within(
            "quem (?:e|es) (?:voce|tu)",
            "quem (?:voce|tu) (?:e|es)",
            "quem es",
            "(?:seu|teu) nome",
            "como (?:voce se chama|te chamas)$",
            "^(?:e )?como se chama$",
            "o que (?:voce e|e voce|tu es|es)$",
            "e (?:voce|tu)$",
            "(?:voce e|tu es|es) (?:um|uma) (?:bot|robo|ia|humano|humana|modelo|pessoa)",
        ),
        "everything": within(
            rf"o que (?:e que )?(?:voce |tu |vc )?(?:ja |mais )?{_KNOW} (?:guardado )?(?:de|sobre|acerca de) mim",
            "(?:lembra|lembras|lembra se|lembras te|te lembras|se lembra) de mim",
            "me conhece",
            "me conheces",
            "(?:fale|fala|conte|conta|diga|diz)(?: me)? (?:algo )?(?:de|sobre) mim$",
            "tudo o que (?:voce )?sabe de mim",
            "que dados (?:meus )?(?:voce )?(?:tem|guarda)",
            "o que (?:voce )?(?:aprendeu|guardou) (?:de|sobre) mim",
        ),
        "recap": within(
            "o que (?:foi que |e que )?(?:eu )?(?:te |lhe )?(?:ja )?(?:disse|falei|contei|escrevi)(?: a voce)?",
            "o que (?:foi que |e que )?(?:eu )?(?:acabei|acabo) de (?:te |lhe )?(?:dizer|falar|contar|escrever)",
            "(?:sobre|do|de) (?:o )?que (?:e que )?(?:nos )?(?:falamos|conversamos|estavamos falando|estamos falando)",
            "(?:resuma|resume|resumo|resumir)(?: de| da)?(?: a| esta| nossa| a nossa)?(?: conversa)?",
            "a ultima coisa que (?:eu )?(?:te )?(?:disse|falei)",
        ),
        "remember": within(
            "pedi (?:(?:a|para|pra|que|te|lhe|se|voce) )*(?:lembrar|lembrasse|lembrares|recordar)",
            "o que (?:voce )?(?:deve|tem que|devia) lembrar",
        ),
        "name": within(
            "(?:e que )?(?:eu )?me chamo",
            "chamo me",
            r"meu nome(?! de)",
            "quem (?:e que )?(?:eu )?sou(?: eu)?",
            "como (?:e que )?me chamam",
            "meu (?:apelido|sobrenome)",
        ),
        "employer": within(
            rf"(?:onde|(?:para|pra|com) quem|(?:para|pra|em|n[ao]) (?:que|qual) (?:empresa|firma|lugar)) {_WORK}",
            "minha (?:empresa|companhia|firma|empregadora)(?: atual)?",
            "meu (?:empregador|local de trabalho)",
            "quem me emprega",
            "(?:qual|que) (?:e a )?empresa (?:em que |onde |para a qual )?(?:eu )?trabalho",
            "empresa (?:onde|em que|na qual) (?:eu )?trabalho",
        ),
        "job": within(
            rf"(?:em|de|com) (?:o )?que {_WORK}",
            "o que (?:e que )?(?:eu )?faco(?: da vida| no trabalho| profissionalmente)?$",
            "meu (?:trabalho|cargo|oficio|emprego|papel)",
            "minha (?:profissao|ocupacao|funcao|carreira)",
            "a que (?:e que )?(?:eu )?me dedico",
            "(?:que|qual) cargo (?:eu )?(?:tenho|ocupo)",
        ),
        "department": within(
            "meu (?:departamento|setor)",
            "minha (?:area|secao)",
            "(?:em|de|n[ao]) (?:que|qual) (?:departamento|setor|area)",
        ),
        "team": within(
            "(?:meu time|minha equipe|minha equipa)(?! favorit)",
            "(?:em|n[ao]|pr[ao]|para) (?:que|qual) (?:time|equipe|equipa)",
        ),
        "city": within(
            rf"(?:onde|(?:em|n[ao]) (?:que|qual) (?:cidade|lugar|pais)) {_LIVE}",
            "minha (?:cidade|terra)(?! favorit)",
            "que (?:cidades|lugares|paises) (?:eu )?(?:ja )?morei",
            "meu endereco",
            "minha morada",
        ),
        "origin": within("de (?:onde|que cidade|que pais) (?:e que )?(?:eu )?(?:sou|venho)", "onde (?:eu )?nasci"),
        "age": within("(?:quantos anos|que idade) (?:e que )?(?:eu )?tenho", "minha idade"),
        "health": within(
            r"algum(?:a)? (?:doenca|problema de saude)",
            r"(?:que|quais) (?:sao as )?(?:minhas )?doencas(?: (?:eu )?tenho)?",
            r"minha saude",
            "que (?:doencas?|problemas? de saude) (?:eu )?(?:tenho|padeco|sofro)",
        ),
        "allergy": within("a (?:o )?que (?:eu )?(?:sou|tenho) (?:alergi|intoleran)\\w+", "minhas? alergias?"),
        "pet": within(
            "(?:que|quais|quantos) (?:sao )?(?:os )?(?:meus )?(?:animais|bichos|pets)",
            "(?:eu )?tenho (?:algum |alguns )?(?:animal|animais|bichos?|pets?)",
        ),
        "plan": within("(?:que|quais sao os meus|quais sao meus|meus) planos(?: (?:eu )?tenho)?"),
        "studies": within(
            "que (?:e que )?(?:eu )?(?:estudo|estudei|estudava|estou estudando)", "meus estudos", "meu curso"
        ),
        "possession": within(
            r"qual (?:carro|moto|bicicleta) (?:e que )?(?:eu )?tenho",
            "(?:que|qual e (?:o )?meu|qual e (?:a )?minha) (?:carro|moto|bicicleta)"
            "(?: (?:e que )?(?:eu )?(?:tenho|dirijo|conduzo|uso|tinha|dirigia))?",
            "que (?:eu )?(?:dirijo|conduzo|dirigia)",
        ),
        "marital_status": within("(?:sou|estou) (?:casad[oa]|solteir[oa]|divorciad[oa])", "meu estado civil"),
        "language": within(
            "(?:que|quais|quantos|quantas) (?:idiomas|linguas) (?:e que )?(?:eu )?(?:falo|sei)",
            "(?:meus idiomas|minhas linguas)",
        ),
        "email": within("meu (?:e ?mail|correio|mail|endereco de e ?mail)"),
        "phone": within(
            "meu (?:telefone|celular|telemovel|whatsapp|zap|numero(?! favorit)(?: de (?:telefone|celular|telemovel))?)"
        ),
        "birthday": within(
            "meu (?:aniversario|niver|dia de anos)",
            "minha data de nascimento",
            "(?:os )?meus anos",
            "(?:quando|que dia|em que dia) (?:e que )?(?:eu )?(?:faco anos|faco aniversario|nasci)",
        ),
        "dislikes": within("(?:nao|num) (?:gosto|curto|suporto)", "(?:odeio|detesto)", "nao me agrada"),
        "likes": within(
            "(?<!nao )(?:gosto|curto)",
            "(?:adoro|amo)",
            "meus (?:gostos|hobbies|passatempos|interesses)",
        ),
        "preference": within("prefiro", "minhas? preferencias?"),
    },
    first_person=word_set("meu minha meus minhas me mim eu comigo nos nosso nossa sou estou tenho"),
    clauses={
        "name": "você se chama {value}",
        "employer": "você trabalha {at} {value}",
        "job": "seu trabalho é: {value}",
        "department": "seu departamento é {value}",
        "team": "sua equipe é {value}",
        "city": "você mora {at} {value}",
        "email": "seu e-mail é {value}",
        "phone": "seu telefone é {value}",
        "birthday": "seu aniversário é {value}",
        "likes": "você gosta {at} {value}",
        "dislikes": "você não gosta {at} {value}",
        "preference": "você prefere {value}",
    },
    plural_clauses={},
    plural=NEVER,
    articles="",
    prepositions="em uma?|numa?|em|no|na|nos|nas|de|do|da|dos|das|para|pra|pro",
    at={"employer": "em", "city": "em", "likes": "de", "dislikes": "de"},
    wonders={
        "name": "como se chama",
        "employer": "onde trabalha",
        "job": "com o que trabalha",
        "department": "em que departamento está",
        "team": "em que equipe está",
        "city": "onde mora",
        "origin": "de onde é",
        "age": "quantos anos tem",
        "health": "que doença tem",
        "allergy": "a que tem alergia",
        "marital_status": "qual é o seu estado civil",
        "studies": "o que você estuda",
        "possession": "o que você tem",
        "language": "que línguas fala",
        "email": "qual é o seu e-mail",
        "phone": "qual é o seu telefone",
        "birthday": "quando é o seu aniversário",
        "likes": "do que gosta",
        "dislikes": "do que não gosta",
        "preference": "o que prefere",
        "remember": "o que devo lembrar",
        "pet": "que animais você tem",
        "plan": "que planos você tem",
    },
    phrases=Phrases(
        sorry="Sinto muito.",
        well="Tudo bem, obrigado! E com você? Conte-me algo ou pergunte pelo que já me contou.",
        joke="Só sei uma piada: uma consulta SQL entra num bar, vê duas mesas e pergunta: «Posso juntar?»",
        result="{sum} = {result}.",
        today="Hoje é {weekday}, {date}.",
        today_unknown="Não sei: nesta conversa não me dizem a data.",
        abilities=(
            "Posso lembrar o que você me conta e repetir quando pergunta, também o que disse em outras conversas e o "
            "que era antes; esquecer o que pedir, procurar nos seus documentos, fazer contas e dizer a data. Sou o "
            "modelo offline do Recuerdo: com RECUERDO_MODEL você conecta um modelo de verdade."
        ),
        you_said_on="Você me disse em {date}: {quotes}.",
        i_said_on="Em {date} eu respondi: {quotes}.",
        nearest="Não sei com certeza, mas em {date} você me disse: {quotes}.",
        nearest_here="Não sei com certeza, mas você me disse: {quotes}.",
        was="Antes, até {until}: {quotes}.",
        holds_since="Que eu saiba, desde {since}: {quotes}.",
        nothing_to_forget=("Não encontrei nada disso no que eu lembro. Diga com as palavras que usou, e eu esqueço."),
        words_forgotten=(
            "Entendi: não vou mais usar nem mencionar isso. As mensagens em que você disse isso continuam no "
            "histórico; se não quiser mais vê-las, arquive-as."
        ),
        which_to_forget=(
            "Sei várias coisas a que isso pode se referir: {quotes}. Não esqueci nenhuma. Qual delas: "
            "a primeira, outra, ou todas?"
        ),
        is_it_to_forget="Quer que eu esqueça {quotes}?",
        sees_no_images="Não consigo ver imagens: da mensagem li só o texto.",
        meet="Prazer, {name}!",
        will_remember_name="Vou lembrar o seu nome.",
        will_remember="Vou lembrar que {clauses}.",
        understood="Entendi: {clauses}.",
        noted="Anotado nesta conversa: {quotes}.",
        will_note="Anotado, vou lembrar: {quotes}.",
        will_wait="Isto espera a sua aprovação antes que eu o use: {quotes}.",
        heard="Entendi.",
        taken_back="Entendi: isso já não vale.",
        no_longer_holds="Entendi. Já não vale: {quotes}.",
        forgotten=(
            "Entendi: já não vale nada do que eu lembrava de você. A conversa fica guardada, e as memórias podem ser "
            "recuperadas."
        ),
        forgotten_here="Entendi: já não levo em conta o que você me contou. A conversa fica guardada.",
        you_said="Você me disse: {quotes}.",
        i_said="Antes eu respondi: {quotes}.",
        document_says="Encontrei isto: {quotes}.",
        everything="Isto é o que sei sobre você: {clauses}.",
        nothing_known="Ainda não sei nada sobre você.",
        nothing_said="Você ainda não me contou nada nesta conversa.",
        not_told="Não sei: você ainda não me disse {wonder}.",
        unknown="Não sei: só posso responder com o que você me contou.",
        unable="Isso não posso fazer: só lembro o que você me conta e respondo com isso.",
        identity=(
            "Sou o modelo offline do Recuerdo: lembro o que você me conta e repito quando você pergunta. "
            "Com RECUERDO_MODEL você conecta um modelo de verdade."
        ),
        greet="Olá! Conte-me algo sobre você ou pergunte pelo que já me contou.",
        greet_by_name="Olá, {name}! Em que posso ajudar?",
        thanks="De nada!",
        farewell="Até logo!",
        conjunction="e",
        that="que",
    ),
)
