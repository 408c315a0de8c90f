"""Words of texts that give the assistant orders."""

from recuerdo.memories.extraction.wordlists import OrderWords

ORDERS = OrderWords(
    ignores=r"ignor\w+|disregard\w*|forget|override|bypass",
    rules=r"instruc\w+|prompts?|rules?|guidelines?|safety|policies",
    modes=r"(?:system|developer|admin|root|jailbreak|dan|god|debug|sudo) (?:prompt|mode|rights|access)",
    roles="role",
    of="of",
    masters=r"system|admin\w*|developer|root",
    becomes=r"you are|you're|act as|pretend to be|from now on",
    powers=r"admin(?:istra\w+)?|root|superuser|unrestricted|jailbr\w+|dan|system",
    obeys=r"you must|always obey|obede\w+",
    before_powers="the|an?|your",
    owners=r"owner of this|developer of this|creator",
    reveals=r"reveal|print|show|leak|exfiltrat\w*|send|tell",
    secrets=r"prompt|secrets?|passwords?|api keys?|tokens?|credentials?|memories of|other users?|all users",
    skips=r"skip|bypass",
    accounts=r"account|role",
    raised=r"upgraded|promoted|elevated",
    my="my",
    ranks="role",
    copulas="is",
    sends=r"send|forward",
    everything=r"every|all",
    conversations=r"conversations?|messages",
    without="without",
    any_more="any|more",
    checks=r"verif\w+|checking|confirm\w+|authori[sz]\w+|approv\w+|asking",
)
