"""Words of texts that give the assistant orders."""

from recuerdo.memories.extraction.wordlists import OrderWords

ORDERS = OrderWords(
    ignores=r"ignor\w+|olvid\w+|descart\w+",
    rules=r"instruc\w+|reglas?|politicas?",
    modes="",
    roles=r"modo|rol|papel|acceso|permisos?|privilegios?",
    of="de",
    masters=r"sistema|admin\w*|desarrollador|superusuario",
    becomes=r"eres|sos|actua como|de ahora en adelante|a partir de ahora",
    powers=r"admin(?:istra\w+)?|superusuario|sin restricciones|sistema",
    obeys=r"debes obedecer|obede\w+|sin filtros",
    before_powers="el|la|un|tu",
    owners=r"desarrollador de este|creador de este",
    reveals=r"revel\w*|m(?:ue|o)str\w*|imprim\w+|envia\w*|manda\w*|dime|diga",
    secrets=r"secretos?|contrasen\w+|credenciales|otros usuarios",
    skips=r"no compruebes|sin comprobar",
    accounts=r"cuenta|rol",
    raised=r"ascendid\w+|promovid\w+",
    my="mi",
    ranks="rol|papel",
    copulas="es",
    sends=r"envi\w+|mand\w+|reenvi\w+",
    everything=r"cada|tod[ao]s?",
    conversations=r"conversacion\w*|mensajes",
    without="sin",
    any_more=r"mas|ninguna?",
    checks=r"verif\w+|confirm\w+|autoriza\w+|aproba\w+|preguntar|comprob\w+",
)
