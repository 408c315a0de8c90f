"""Words of texts that give the assistant orders."""

from recuerdo.memories.extraction.wordlists import OrderWords

ORDERS = OrderWords(
    ignores=r"ignor\w+|esquec\w+|descart\w+",
    rules=r"instruc\w+|regras?|politicas?",
    modes="",
    roles=r"modo|papel|acesso|permisos?|privilegios?",
    of="de",
    masters=r"sistema|admin\w*|desenvolvedor|superusuario",
    becomes=r"voce e|tu es|atue como|aja como|de agora em diante|a partir de agora",
    powers=r"admin(?:istra\w+)?|superusuario|sem restricoes|sistema",
    obeys=r"deve obedecer|obede\w+|sem filtros",
    before_powers="o|a",
    owners=r"criador deste",
    reveals=r"revel\w*|mostr\w*|imprim\w+|envia\w*|manda\w*|vaza\w*|diga",
    secrets=r"segredos?|senhas?|credenciais|outros usuarios",
    skips=r"nao verifi\w+|sem verificar",
    accounts=r"conta|papel",
    raised=r"promovid\w+",
    my="meu",
    ranks="papel",
    copulas="e",
    sends=r"envi\w+|mand\w+",
    everything=r"cada|tod[ao]s?",
    conversations=r"conversas?|mensagens",
    without="sem",
    any_more=r"mais|nenhuma?",
    checks=r"verif\w+|confirm\w+|autoriza\w+|aprova\w+|perguntar",
)
