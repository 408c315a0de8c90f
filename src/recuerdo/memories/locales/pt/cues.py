"""Words that announce a value."""

from recuerdo.memories.extraction import readers as read
from recuerdo.memories.extraction.language import Cue, cue
from recuerdo.memories.extraction.lexicon.dates import WHEN
from recuerdo.memories.extraction.lexicon.households import (
    ANIMALS,
    BESIDES,
    COUNTED_ANIMALS,
    COUNTED_RELATIVES,
    NAMED,
    RELATIVES,
)
from recuerdo.memories.extraction.lexicon.months import MONTH
from recuerdo.memories.locales.pt.phrases import (
    BARE,
    BETWEEN,
    BUSINESS,
    DOING,
    FROM_NOW,
    HAVE,
    IN,
    INFIX,
    LIVE,
    MUCH,
    MY,
    PLANNED,
    REACH,
    STARTED,
    UP_TO_ADDRESS,
    WORK,
)

CUES: tuple[Cue, ...] = (
    cue(
        read.known_name,
        r"(?:me chamo|chamo-me)",
        rf"{MY} (?:nome(?: completo)?|apelido)(?: e|:)",
        r"(?:pode|podes|podem) (?:me chamar|chamar-me|me tratar|tratar-me)(?: so| apenas"
        r"| simplesmente)?(?: de| por)?",
        r"(?:me chame|me chama|chama-me|chame-me)(?: de)?",
        r"(?:todo mundo|todos|o pessoal|a galera|meus amigos|a familia|minha familia|no trabalho"
        r"|em casa) (?:so )?(?:me chamam?|me conhecem?)"
        r"(?: de| como| por)?",
        r"(?:me conhecem|sou conhecid[oa]|conhecem-me|tratam-me|me tratam) (?:como|por)",
        r"quem (?:fala|escreve)(?: aqui)? e(?: o| a)?",
    ),
    cue(read.nickname, r"sou (?:o|a)"),
    cue(read.introduced, r"aqui (?:e|fala|quem fala e) (?:o|a)"),
    cue(
        read.likely_name,
        r"sou",
        r"(?:aqui )(?:e|fala)(?: o| a)?",
        r"fala (?:o|a)",
        rf"{BARE}e (?:o|a)(?= \w+(?: \w+)? (?:aqui|falando|que (?:fala|ta falando)))",
        rf"{BARE}(?=\w+ (?:\w+ )?(?:aqui|falando|por aqui)(?:,|$|\W))",
        r"quem fala e(?: o| a)?",
        r"me chamam(?: de)?",
        r"chamam-me",
    ),
    cue(
        read.plainly(read.employer),
        rf"{STARTED} {IN}",
    ),
    cue(
        read.employer,
        rf"{WORK} {IN}",
        r"fui contratad[oa] (?:pela|pelo)",
        r"sou (?:funcionari[oa]|empregad[oa]|contratad[oa]) (?:da|do|de|na|no)",
    ),
    cue(
        read.workplace,
        rf"(?:presto servicos?|dou aulas?(?: de \w+(?: \w+)?)?|ensino(?: \w+)?|leciono|atendo"
        rf"|{DOING}(?: \w+){{0,3}}?){INFIX} {IN}",
        r"(?:faco|to fazendo|estou a fazer) (?:estagio|residencia|freela|bico) (?:na|no|em|pra|para)",
        r"(?:estagio) (?:na|no)",
        r"(?:sou|faco) parte d[ao](?! (?:equip|time|area|setor|departamento|grupo|familia|comunidade))",
        rf"(?:tenho|abri|montei|fundei|temos|abrimos) (?:uma?|minha|meu|o meu"
        rf"|a minha) (?:\w+ )?{BUSINESS} (?:\w+ ){{0,4}}?(?:chamad[oa]|que se chama)",
    ),
    cue(read.plainly(read.employer), rf"{DOING}(?: \w+){{0,4}}? (?:aqui |ca |la )?{IN}"),
    cue(
        read.plainly(read.workplace),
        r"(?:agora|hoje|atualmente) (?:ja )?(?:estou|ando) (?:na|no|em)",
        r"(?:estou|ando|tenho) (?:ja )?(?:ha |faz |tem )(?:uns |quase |mais de )*\w+ (?:anos?|meses"
        r"|semanas) (?:na|no)",
        r"(?:tenho|vou fazer|completo) \w+ (?:anos?|meses) de (?:casa |empresa )?(?:na|no)?",
        r"(?:estou|atuo|ando|continuo) (?:na|no)(?= [^,;]{2,30} (?:como|desde|ha|faz) )",
    ),
    cue(read.field, r"(?:sou|estou|trabalho|trampo|ando) (?:do|da|no|na|de|em|com)(?: area (?:de|do|da))?"),
    cue(read.plainly(read.employer), rf"{WORK}{BETWEEN} {IN}"),
    cue(
        read.own_company,
        rf"{MY} (?:empresa|companhia|empregador|firma)(?: atual)? (?:e|se chama|chama-se)(?: a| o)?",
        r"a (?:empresa|companhia|firma) (?:onde|em que|na qual|para a qual) (?:eu )?trabalho (?:e|se chama"
        r"|chama-se)(?: a| o)?",
    ),
    cue(
        read.role,
        rf"{WORK} como",
        r"(?:eu )?(?:atuo|me viro|ganho a vida) como",
        r"(?:entrei|comecei|fui contratad[oa]) (?:de|como)",
        r"exerco (?:a profissao )?(?:como|de)",
        rf"{MY} (?:profissao|cargo|ocupacao|funcao|posto)(?: atual)? e(?: o| a)?(?: de)?",
    ),
    cue(read.occupation, rf"{WORK} de"),
    cue(read.occupation, rf"{WORK}{BETWEEN} (?:de|como)"),
    cue(
        read.occupation,
        r"sou(?: o| a| um| uma)?",
        rf"{MY} (?:trabalho|trampo|emprego) e(?: de| como| ser)?",
        r"(?:estou|ando)(?: agora)? (?:de|como)",
        r"(?:tenho|sao) \w+ anos (?:de|como)",
        r"trabalho com",
        r"me formei em",
    ),
    cue(
        read.unit("department"),
        rf"{MY} (?:departamento|area|setor|sector|gerencia)(?: na empresa| de trabalho)? (?:e|se chama"
        rf"|chama-se)(?: o| a)?",
        rf"(?:{WORK}|estou|sou|faco parte|fui|passei|mudei) (?:no|na|do|da|em|de|pro|pra) (?:departamento"
        rf"|area|setor|sector)",
        r"trabalho com(?= (?:vendas|marketing|logistica|financas|recursos humanos|rh|ti)(?!\w))",
    ),
    cue(
        read.unit("team"),
        rf"{MY} (?:equipe|equipa|time|squad)(?: de trabalho)? (?:e|se chama|chama-se)(?: o| a)?",
        rf"(?:{WORK}|estou|sou|faco parte|fui|entrei) (?:no|na|do|da|em|de|pro|pra|para o|para a) (?:equipe"
        rf"|equipa|time|squad)",
        r"(?:lidero|coordeno|gerencio|sou (?:lider|chefe|coordenador|coordenadora|gestor"
        r"|gestora) d[aoe]) (?:o |a )?(?:equipe|equipa|time|squad)",
    ),
    cue(read.sure_city, r"embora (?:hoje |agora )?(?:viva|more|resida) (?:em|no|na)"),
    cue(read.sure_city, rf"(?:moro|vivo|resido|moramos|vivemos){BETWEEN} (?:em|no|na)"),
    cue(
        read.sure_city,
        rf"(?:tenho|abri|montei) (?:um|uma|meu|minha|o meu|a minha) {BUSINESS}(?: de \w+)? (?:em|no|na)",
        rf"{MY} (?:casa|ape|apartamento) (?:fica|e) (?:em|no|na)",
        r"(?:moro|vivo|moramos) (?:perto d[eoa]|pertinho d[eoa]|ao lado d[eoa]|na (?:zona|regiao) \w+ d[eoa]"
        r"|no centro d[eoa]|no bairro \w+(?: \w+)?,? (?:em|no))",
        r"(?:vim|fui|cheguei pra|voltei(?: a)?|passei a) (?:morar|viver|pra|para)(?: em| no| na)?",
        r"me (?:instalei|fixei) (?:em|no|na)",
    ),
    cue(read.sure_city, rf"{MY} cidade e"),
    cue(read.city, LIVE, r"(?:moro|vivo) e (?:trabalho|estudo) (?:em|no|na)"),
    cue(
        read.email,
        rf"(?:{MY}|(?:se (?:quiser |precisar |for )?)?me {REACH}\w*|{REACH}\w*-m[eo]|{REACH}\w* (?:pra"
        rf"|para) mim|comigo|{BARE}(?:e-?mail|mail)(?: e)?|(?:(?:pode|podem|podes) )?(?:manda|mande|mandar"
        rf"|envia|enviar|envie|escreve|escrever|melhor) (?:no|pro|pra|para o|pelo) (?:meu )?(?:e-?mail"
        rf"|mail)){UP_TO_ADDRESS}",
    ),
    cue(
        read.phone,
        rf"{MY} (?:\w+ )?(?:numero|nr|telefone|fone|celular|telemovel|cel|tel|whatsapp|whats|wpp|zap"
        rf"|contato|contacto)"
        rf"(?: de (?:telefone|celular|telemovel|whatsapp|contato))?(?: [a-z]+(?![\w@.+-]))?(?: e)?(?: o)?",
        r"(?:me ligue|me liga|liga-me|ligue-me|me chama|chama|me manda (?:msg|mensagem|zap|um zap)"
        r"|chama-me)(?: no (?:zap|whats|whatsapp|wpp))?"
        r" (?:no|para o|para|pelo|pra)(?: numero)?",
        rf"(?=[+(]?\d[\d ().-]{{6,18}}\d,? e {MY} (?:numero|celular|telefone|telemovel|zap|whats|whatsapp))",
        rf"{BARE}(?:cel|celular|tel|telefone|telemovel|zap|whats|whatsapp|numero):?(?: e)?(?= ?[+(]?\d)",
        r"(?:anota|guarda|salva)(?: ai)? (?:o )?(?:meu )?(?:numero|celular|zap|telefone"
        r"|contato)?(?= ?:? ?[+(]?\d)",
    ),
    cue(
        read.birthday,
        rf"{MY} (?:aniversario|anos|data de nascimento|nascimento) (?:e|sao|cai)",
        rf"(?=(?:o |no )?(?:dia )?\d{{1,2}}(?: de)? {MONTH} e {MY} (?:aniversario|anos))",
        r"(?:faco (?:anos|aniversario|\d+(?: anos)?)|nasci|sou de(?= \d))",
    ),
    cue(
        read.spoken_language,
        r"(?:eu )?(?:falo|sei falar|consigo falar|domino|me viro (?:bem )?(?:em|no)|falamos|cresci falando"
        r"|em casa falamos|la em casa se fala)",
        r"sou (?:bilingue|fluente|nativ[oa])(?: em| de)?",
        rf"{MY} (?:idioma|lingua)(?: (?:nativ[oa]|matern[oa]|principal))? e(?: o)?",
    ),
    cue(
        read.named("family"),
        r"(?:bebe|menin[oa]|filh[oa])\W+(?:\w+\W+){0,4}?(?:(?:colocou|colocamos|demos|deu|deram|botamos"
        r"|botou) (?:nela |nele )?o nome d[eo]|(?:vai|se) chama(?:r)?)",
        rf"(?:{MY}|noss[oa]s?) {RELATIVES}(?: (?:mais |do |da )?\w+)? (?:se chamam?|chamam?-se|chamam?)",
        rf"o nome d[ao]s? (?:meus?|minhas?) {RELATIVES} e",
        rf"{HAVE} (?:uma?|\w+) {RELATIVES}(?: (?:mas |muy |mais |bem |de )?(?!se |que )\w+){{0,2}}{NAMED}",
    ),
    cue(read.written("family"), r"(?:estou|ando) (?:namorando|saindo|ficando|noiv[oa])(?: com)?(?: [oa])?"),
    cue(read.called("family"), rf"(?:{MY}|noss[oa]s?) {RELATIVES} (?:e|sao) (?:o|a)"),
    cue(
        read.written("pet"),
        rf"(?:(?:com|pra|para) )?(?:{MY}|(?:[oa] )?noss[oa]s?) {ANIMALS},?(?: [oa])?(?!,? (?:[oa] )?\w+ (?:ja )?"
        r"(?:morreu|faleceu|fugiu|sumiu|partiu))",
    ),
    cue(
        read.given("pet"),
        rf"(?:{MY}|noss[oa]s?) {ANIMALS}(?: \w+)? e(?: o| a)?",
        rf"moro (?:\w+ ){{0,5}}com {MY} {ANIMALS}",
    ),
    cue(
        read.given("family"),
        rf"{MY} {RELATIVES}(?: \w+)? (?:e|sao)(?: o| a)?",
        rf"moro (?:\w+ ){{0,5}}com {MY} {RELATIVES}",
    ),
    cue(read.counted("family"), rf"{HAVE} {BESIDES}e {COUNTED_RELATIVES}"),
    cue(read.counted("pet"), rf"{HAVE} {BESIDES}e {COUNTED_ANIMALS}"),
    cue(read.counted("family"), rf"(?:{HAVE}|sou (?:mae|pai) de) {COUNTED_RELATIVES}"),
    cue(
        read.named("pet"),
        rf"(?:{MY}|noss[oa]s?) {ANIMALS}(?: (?:mais |do |da )?\w+)? (?:se chamam?|chamam?-se|chamam?)",
        rf"o nome d[ao]s? (?:meus?|minhas?) {ANIMALS} e",
        rf"{HAVE} (?:uma?|\w+) {ANIMALS}(?: (?:mas |muy |mais |bem |de )?(?!se |que )\w+){{0,2}}{NAMED}",
    ),
    cue(read.counted("pet"), rf"{HAVE} {COUNTED_ANIMALS}"),
    cue(read.undated, rf"(?:o |a |no |na |em )?(?:dia )?{WHEN},? (?:estou|to|estarei|estamos|estaremos) (?=em \w)"),
    cue(
        read.dated,
        r"(?:estou|to|estarei|estamos|estaremos) (?=em (?:[\w'-]+ ){1,3}(?:(?:[oa] )?\w+ que vem|[oa] proxim[oa]"
        r"|amanha|ate|n[ao] (?:segunda|terca|quarta|quinta|sexta|sabado|domingo)"
        r"|nest[ea] (?:semana|mes|fim de semana))(?!\w))",
    ),
    cue(
        read.undated,
        rf"(?:o |a |no |na |em |este |esta |para )?(?:dia )?{WHEN},? (?:eu |ja )?(?:vou|vamos|pretendo|planejo"
        rf"|planeio|quero"
        r"|a gente vai|pretendemos|tenho de|penso em) (?=\w+r(?!\w)|me \w+r(?!\w)|\w+r-me|nos \w+r(?!\w))",
        rf"(?:o |a |no |na |em )?(?:dia )?{WHEN},? (?:eu |ja |a gente )?(?={PLANNED}|viaja |vai )",
        rf"(?:o |a |no |na |em )?(?:dia )?{WHEN},? tenho (?:uma? )?(?=(?:entrevista|exame|prova|voo|casamento|viagem"
        r"|consulta|cirurgia|corrida|maratona|festa|almoco|jantar|churrasco|jogo|show|reuniao|aula)(?!\w))",
    ),
    cue(
        read.dated,
        r"(?:eu )?(?:vou|vamos|a gente vai|pretendo|planejo|planeio|penso em|estou planejando"
        r"|estou a planear|tenho planos de"
        r"|pretendemos|planejamos|o meu plano e|meu plano e) (?=\w+r(?!\w)|me \w+r(?!\w)|\w+r-me)",
        rf"(?={PLANNED})",
        r"^(?=(?:dentista|consulta|reuniao|prova|entrevista|exame|voo) )",
        r"(?:estou|to|estamos) (?=(?:treinando|me preparando|a treinar) (?:pra|pro|para|pr[ao]) )",
        rf"(?:o|a|meu|minha) (?=(?:festa|casamento|consulta|prova|exame|entrevista|jogo|show|almoco|jantar|churrasco"
        rf"|reuniao|cirurgia|viagem|formatura) (?:e|vai ser|sera) (?:n?[oa] |em )?(?:dia )?(?:{WHEN}|\d))",
        rf"(?=(?:n?[oa] )?{WHEN} tem (?:uma? |o |a )?(?:festa|casamento|almoco|jantar|churrasco|jogo|show"
        r"|prova)(?!\w))",
        r"tenho (?=(?:uma? )?(?:reuniao|dentista|audiencia|jogo|compromisso|encontro|entrevista|exame|prova|corrida"
        r"|maratona|festa|almoco|jantar|churrasco|aula|apresentacao|formatura|batizado"
        r"|voo|casamento|viagem|consulta|cirurgia|mudanca"
        r"|show)(?!\w))",
    ),
    cue(
        read.phrase("likes"),
        rf"(?:eu )?gosto{MUCH}(?: mesmo)? (?:de|do|da|dos|das|d')",
        r"(?:nao vivo sem|nao consigo viver sem|nao dispenso|o que (?:eu )?mais gosto (?:e|de)"
        r"|tenho um fraco por|piro em|me acabo em"
        r")",
        r"(?:sou|to|estou) (?:super|bem|mt|muito)? ?(?:fan|fanatic[oa]) (?:de|do|da|por)",
        rf"(?:adoro|amo|curto|venero|me amarro em|me amarro num){MUCH}",
        r"(?:sou|to|estou) (?:muito |super |completamente |meio )*(?:apaixonad[oa]|viciad[oa]|chegad[oa]"
        r"|louc[oa]|vidrad[oa]"
        r"|doid[oa]|viciadin[oa]) (?:por|pelo|pela|em|num|numa|no|na)",
        r"tor[cs]o (?:muito )?(?:pro|pra|pelo|pela|para o|para a)",
        r"sou(?= \w+ roxo(?!\w))",
        r"(?:o )?meu time (?:do coracao|de futebol) e(?: o)?",
        r"sou (?:muito |mt |super |grande |mega )?(?:fa|amante|adepto|adepta|torcedor|torcedora) (?:de|do|da"
        r"|dos|das)",
        r"(?:meu hobby|o meu hobby|minha paixao|meus hobbies) (?:e|sao)",
        rf"{MY} \w+(?: \w+)? (?:favorit[oa]s?|preferid[oa]s?|predilet[oa]) (?:e|sao)",
    ),
    cue(
        read.phrase("dislikes"),
        r"(?:ja )?(?:nao|n) gosto(?: mais| nada| muito| mt| la muito| mesmo| nem um pouco"
        r"| la grande coisa)* (?:de|do|da|dos|das)",
        rf"(?:odeio|detesto|abomino|nao curto|nao curto muito|tenho (?:horror|pavor|nojo|odio) (?:a|de|do|da"
        rf"|dos|das)){MUCH}",
        r"nao (?:suporto|aguento|tolero|gramo|engulo|vou com a cara d[aeo])(?: mais)?",
        r"(?:tenho (?:ranco|preguica|bode|birra) d[eoa]s?|morro de (?:preguica|medo|raiva) d[eoa]s?"
        r"|passo longe d[eoa]s?|fujo d[eoa]s?"
        r"|acho um saco|dispenso|nao (?:me dou bem|simpatizo) com|nao me agrada)",
        r"me (?:estressa|incomoda|enche o saco|da (?:nojo|raiva|agonia|preguica|sono))[m]?(?= (?:o|a|os|as"
        r"|que|\w+r) )",
        r"me irrita[m]?(?= (?:o|a|os|as|\w+r) )",
        r"nao sou (?:muito |la )?(?:fa|chegad[oa]|adept[oa]) (?:de|do|da|dos|das|em|a)",
    ),
    cue(
        read.preference,
        r"(?:eu )?prefiro",
        rf"{MY} preferencia e",
    ),
    cue(
        read.instruction,
        rf"{FROM_NOW},? (?:por favor,? |pfv,? )?(?=(?:me )?(?:respond|fal|escrev|us|d[aeê]|chame|trat|nao"
        rf"|quero|mand|sej)\w*)",
        r"(?<!me\x20)(?<!que\x20)(?<!q\x20)(?<!vc\x20)(?<!voce\x20)(?=(?:me )?(?:responda|responde|fala|fale"
        r"|escreva|escreve)(?:-me| comigo)? (?:so "
        r"|sempre |apenas )?em (?:portugues|ingles|espanhol|frances|pt))",
        r"(?<!que\x20)(?<!q\x20)(?=(?:me (?:trata|trate|chama|chame)|trata-me|trate-me) (?:por|de) (?:tu"
        r"|voce|senhora?)(?!\w))",
        r"(?=nao (?:use|usa|uses|usem|coloque|coloca|ponha|ponhas|mande|mandes) (?:tantos |mais )?(?:emojis?"
        r"|emoticon\w*|listas?"
        r"|girias?|anglicismos?|topicos|maiusculas|jargao|palavroes)(?!\w))",
        r"(?=(?:mantem|mantenha|me da|me de|quero|preciso de|faz|faca) (?:sempre )?(?:as |suas "
        r"|umas )?respostas (?:mais |bem |muito )?\w+)",
        r"sempre (?=(?:responda|responde|fale|fala|me responda|me trate|me chame|escreva|trate-me"
        r"|trata-me)(?!\w))",
        r"(?=(?:responda|responde|fale|fala|responda-me|responde-me|me responda|escreva)(?: comigo)? sempre)",
    ),
    cue(
        read.everything,
        r"(?:lembre|lembra|lembre-se|lembra-te|lembrem-se|recorde|recorda|recorde-se|recorda-te|nao (?:se "
        r"|te )?(?:esqueca|esquecas)|nao esqueca"
        r"|tenha em (?:mente|conta)|tem em (?:mente|conta)|leve em conta|tome nota|toma nota|anote|anota|guarde"
        r"|guarda|memorize|memoriza"
        r"|registre|regista|fique sabendo|fica sabendo|saiba|quero que (?:saiba|saibas|lembre|se lembre"
        r"|te lembres)|vale lembrar|so (?:pra|para) (?:voce|tu|te) (?:saber|saberes)|importante|nao (?:se "
        r"|te )?(?:esquece|esquecer|esquecas)|grava"
        r"|pra voce saber|leva em conta|atencao|^(?:lembrar|anotar))"
        r"(?: sempre| bem| ai| por favor)?(?: de)? que",
        r"(?:lembre-se|lembre|lembra-te|lembra|anote|anota|tome nota|memorize)(?: disso| disto| isso| ai"
        r"| por favor)?(?=:)",
        r"nao (?:se |te )?(?:esqueca|esquecas) (?:de |do |da )?(?=(?:meu|minha|o meu|a minha) )",
        r"(?:me lembr(?:a|e|ar)|lembr[ae]-me)(?: de)? (?=[a-z]{2,12}[aei]r\b)",
    ),
)
