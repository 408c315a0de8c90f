"""Given names and what is never one. People have any name: the list only helps where the words around say little."""

from recuerdo.memories.detectors.patterns import Pattern
from recuerdo.memories.detectors.words import vocabulary

GIVEN = vocabulary("""
aaron abel abigail abril ada adam adan adela adele adolfo adrian adriana adriano agata agustin agustina aiden aida
aitana
aitor alain alan alana alba albert alberto aldo alejandra alejandro alejo alessandra alex alexa alexander alexandra
alexandre
alexis alfonso alfredo alice alicia aline alina alison alma alonso alvaro amalia amanda amaya amber amelia amy ana
anabel
anahi andre andrea andreia andres andrew andy angel angela angelica angelina angelo anita ann anna anne annie anthony
antonella antonia antonio araceli ariadna ariana ariel armando arnaldo arthur artur arturo ashley augusto aurelio aurora
barbara bautista beatriz belen ben benedita benicio benito benjamin bernarda bernardo bianca bill bob brad brandon
brenda
brian bruna bruno caetano caio camila camilla camilo carina carl carla carlos carmen carol carolina caroline cassandra
catalina catarina catherine caua cecilia celeste celia cesar charles charlie charlotte chloe chris christian christina
christine christopher cintia clara clarissa claudia claudio clara cristian cristiano cristina cristobal cynthia dafne
dalia damian dan dani daniel daniela danielle danilo dario david dayana debora deborah denis denise derek diana diego
dolores domingo donna dora douglas duarte dulce dylan edgar edgardo edison eduarda eduardo edward elena eleonor elias
elisa elisabete elizabeth ella ellen elsa elvira emanuel emi emilia emiliano emilio emily emma enrique enzo eric erica
erick
erika ernesto esteban estefania estela ester esther ethan eugenia eugenio eva evelyn ezequiel fabian fabiana fabiano
fabio
fabiola fabricio facundo fatima federica federico felicia felipe felix fernanda fernando fidel filipa filipe fiona
flavia
flavio flor florencia francesca francisca francisco franco frank frida gabriel gabriela gabriele gael gary gaspar
genesis
george georgina geraldo gerardo german gilberto gina gisela gisele giovanna gloria gonzalo graca grace graciela greg
gregorio guadalupe guido guilherme guillermo gustavo hannah harold harry hector heitor helen helena heloisa henrique
henry
hernan horacio hugo ian ignacio igor iker ines inma irene iris irma isaac isabel isabela isabella isabelle isadora
isidro
ismael israel itziar ivan ivana ivo jack jacinto jacob jacqueline jaime jair jake james jamie jane janet jasmine javier
jean jeff jennifer jenny jeremy jessica jesus jill jim jimena jimmy joan joana joao joaquim joaquin joe joel john
johanna
jonas jonatan jonathan jordan jordi jorge jose josefa josefina joseph josh joshua josue juan juana juancho judith julia
julian juliana julie juliet julieta julio justin karen karina karla kate katherine kathy katia kelly ken kevin kim kyle
laia lara larissa laura lauren lautaro leandro leia leila leon leonardo leonel leonor leticia lia lidia lila lilian
liliana
lily linda lisa livia lola lorena lorenzo lourdes luana lucas lucia luciana luciano lucio lucy luis luisa luiz luiza
luna
macarena magali magdalena maira maite malena manoel manu manuel manuela mar mara marc marcela marcelo marcia marcio
marco
marcos margarida margarita maria mariam marian mariana mariano maribel maricarmen mariel marina mario marisa marisol
mark
marlene marta martha martin martina mary mateo mateus matheus mathew matias matilde matthew maura mauricio mauro max
maxi
maximiliano maya mayra megan melanie melina melissa mercedes mia micaela michael michel michelle miguel mike milagros
milena milton miranda mireia miriam moises molly monica montserrat morgan murilo nadia nahuel nancy naomi natalia
natalie
natasha nathan nayara nelson nerea nestor nicholas nick nico nicolas nicole nieves nilda noa noah noelia noemi nora
norma
nuno nuria octavio olga oliver olivia omar orlando oscar osvaldo otavio pablo paco paloma pamela paola patricia patricio
patrick patty paul paula paulina paulo pedro penelope pepe perla peter philip pilar priscila rachel rafa rafael rafaela
raimundo ramiro ramon raquel raul rebeca rebecca regina renan renata renato ricardo richard rick rita rob robert roberta
roberto robin rocio rodolfo rodrigo rogelio roger roman romina ronaldo rosa rosana rosario rose ruben rui ruth ryan
sabrina sally salvador sam samanta samantha samuel sandra santi santiago santino sara sarah saul scott sean sebastian
selena serena sergio sharon sheila silvana silvia silvio simon simone sofia sol soledad sonia sophia sophie stefan
stefano
stella stephanie stephen steve steven sue susan susana sylvia tadeo tamara tania tatiana telma teo teodoro teresa thais
thales thalia thiago dave matt liz beth katie pete rich ed eddie ted tommy joey nate zach luke jess becky meg fran
nacho pepe lalo beto memo tono chema juanma josefa mafe duda bia lu gabi rafa leo nanda thomas tiago tim tina tom
tomas tony trinidad ulises valentin valentina valeria valerie vanesa
vanessa vania vera veronica vicente vicky victor victoria vinicius violeta virginia vitor vitoria viviana vivian walter
wanda wendy wilfredo will william wilson wagner xavier ximena xoana yago yamila yanina yasmin yesenia yolanda zacarias
zoe zulema
""")

AMBIGUOUS = vocabulary("""
sol luna flor mar rosa alma abril linda perla dulce domingo angel israel jordan will mark bill frank grace rose max
salvador
dolores mercedes gloria paloma nieves milagros soledad pilar leon leo libra iris aurora lu memo bia rich ed violeta
celeste rob sue ana_e
""")
"""Names that are words as well: in lower case they need more than a `soy` before them."""

PARTICLES = vocabulary("de del da do das dos di van von der den la las los mc mac san santa")

ABBREVIATED = vocabulary("st sta sto mt ft")

TITLES = vocabulary("sr sra srta dr dra mr mrs ms miss don dona ing lic prof professor")

NEVER = vocabulary("""
yo tu vos el ella usted nosotros ustedes ellos eu voce ele ela nos i you he she we they it me mi my meu minha this that
nada todo algo alguien nadie quien que como igual asi aqui alla ahora hoy siempre nunca jamas casi muy mas menos tan
solo
feliz triste cansado cansada listo lista nuevo nueva viejo vieja joven mayor menor alto alta bajo baja bueno buena
malo mala
team equipo fan fanatico seguidor hijo hija padre madre papa mama hermano hermana esposo esposa soltero soltera casado
casada
divorciado divorciada viudo viuda vegano vegana vegetariano vegetariana alergico alergica celiaco celiaca diabetico
diabetica zurdo zurda catolico catolica ateo atea humano humana persona hombre mujer chico chica adulto adulta
capaz consciente responsable parte uno una otro otra mismo misma el la los las un
sorry not no so very really just still also too here there happy sad tired fine good well okay ok ready sure glad afraid
back home late early busy free new old young done interested excited looking trying going working living thinking
feeling
writing using making getting having doing based happy single married divorced vegan vegetarian allergic pregnant hungry
thirsty sick bored lost confused worried curious aware able unable about all almost already always another anyone
anything away bad better big both certain crazy dead different down due ever everyone fan female male first from full
gay great half hard high human in into kind late later leaving less like lucky man maybe more most mostly much my
never next nobody nothing now obviously off on one only open originally out over part person perfectly planning
pretty proud quite rather right running scared serious sick someone something somewhere soon sort starting strong
stuck stupid such supposed surprised terrible terrified then through thrilled together told tonight trans under up
upset very wondering wrong woman yes your yours an the a at as
bem mal feliz triste cansado cansada pronto pronta novo nova velho velha jovem solteiro solteira casado casada pai mae
filho filha irmao irma fa gente homem mulher pessoa ja ainda tambem muito mais menos so apenas sempre nunca assim
capricornio acuario piscis aries tauro geminis cancer leo virgo libra escorpio sagitario capricorn aquarius pisces
taurus
gemini scorpio sagittarius aquario peixes touro gemeos leao virgem escorpiao
muchas muito gracias obrigado obrigada hola ola oi hi hello saludos mucho gusto encantado encantada prazer placer
every daily often todos todas desde hace mediante cuando donde porque pero aunque si sino ademas entonces
""")


_BELONGING = Pattern(
    r"\w{2,}(?:ish|ese|ian|ean|ican|ing|ed|ist|less|ful|ous|ble|ive|ense|ano|ana|eno|ena|es|esa|ino|ina|ista)$"
)


def is_belonging(word: str) -> bool:
    """Whether a word looks like where one is from or what one is like (Brazilian, tired) and is no name we know."""
    return bool(_BELONGING.match(word))


_DESCRIPTIONS = vocabulary("""
muy tan mas bastante super grande pequena pequeno buena bueno mala malo genial excelente increible linda nueva nuevo
famosa
very so really great good bad small big huge new awesome growing hiring amazing terrible nice too quite pretty doing
going
muito otima otimo boa bom grande pequena legal incrivel nova novo
la el los las un una the a an o os as uma um que quien cual what
""")


def is_description(word: str) -> bool:
    """Whether a word says what something is like rather than what it is called."""
    return word in _DESCRIPTIONS
