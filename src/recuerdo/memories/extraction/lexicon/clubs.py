"""Football clubs whose names are no towns, and words for their supporters."""

from recuerdo.core.words import word_set

CLUBS = word_set("""
river boca racing independiente huracan banfield talleres belgrano newells penarol nacional colocolo universitario
cerro olimpia chivas pumas tigres rayados necaxa junior millonarios emelec
corinthians flamengo palmeiras fluminense vasco botafogo gremio inter internacional cruzeiro coritiba
benfica sporting betis atleti celtic rangers everton arsenal
""")

SUPPORTERS = word_set("""
bostero bostera millonario gallina xeneize cuervo quemero merengue colchonero colchonera culer
corinthiano corinthiana corintiano corintiana flamenguista palmeirense santista vascaino vascaina gremista
colorado colorada tricolor atleticano atleticana cruzeirense botafoguense benfiquista portista sportinguista gunner
aguilucho aguilucha liceista escogidista tigrero tigrera magallanero magallanera caraquista leonino
""")

CLUBS_OR_SUPPORTERS = CLUBS | SUPPORTERS
