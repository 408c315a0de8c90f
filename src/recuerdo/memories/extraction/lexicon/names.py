"""Given names and what is never one. People have any name: the list only helps where the words around say little."""

from recuerdo.core.words import word_set
from recuerdo.memories.extraction.patterns import Pattern

GIVEN = word_set("""
liam eilidh sean fintan aoife niamh ciara declan padraig chidera ngozi emeka njeri otieno kofi ama yaw priya arjun rohan
dre gaz richi nahu kaio keke zeus ximenita bri jd aj tj cj dj mj aaron abel abigail abril ada adam adan adela adele
adolfo adrian adriana adriano agata agustin agustina aiden aida aitana aitor alain alan alana alba albert alberto aldo
alejandra alejandro alejo alessandra alex alexa alexander alexandra alexandre alexis alfonso alfredo alice alicia
aline alina alison alma alonso alvaro amalia amanda amaya amber amelia amy ana anabel anahi andre andrea andreia
andres andrew andy angel angela angelica angelina angelo anita ann anna anne annie anthony antonella antonia antonio
araceli ariadna ariana ariel armando arnaldo arthur artur arturo ashley augusto aurelio aurora barbara bautista
beatriz belen ben benedita benicio benito benjamin bernarda bernardo bianca bill bob brad brandon brenda brian bruna
bruno caetano caio camila camilla camilo carina carl carla carlos carmen carol carolina caroline cassandra catalina
catarina catherine caua cecilia celeste celia cesar charles charlie charlotte chloe chris christian christina
christine christopher cintia clara clarissa claudia claudio clara cristian cristiano cristina cristobal cynthia dafne
dalia damian dan dani daniel daniela danielle danilo dario david dayana debora deborah denis denise derek diana diego
dolores domingo donna dora douglas duarte dulce dylan edgar edgardo edison eduarda eduardo edward elena eleonor elias
elisa elisabete elizabeth ella ellen elsa elvira emanuel emi emilia emiliano emilio emily emma enrique enzo eric erica
erick erika ernesto esteban estefania estela ester esther ethan eugenia eugenio eva evelyn ezequiel fabian fabiana
fabiano fabio fabiola fabricio facundo fatima federica federico felicia felipe felix fernanda fernando fidel filipa
filipe fiona flavia flavio flor florencia francesca francisca francisco franco frank frida gabriel gabriela gabriele
gael gary gaspar genesis george georgina geraldo gerardo german gilberto gina gisela gisele giovanna gloria gonzalo
graca grace graciela greg gregorio guadalupe guido guilherme guillermo gustavo hannah harold harry hector heitor helen
helena heloisa henrique henry hernan horacio hugo ian ignacio igor iker ines inma irene iris irma isaac isabel isabela
isabella isabelle isadora isidro ismael israel itziar ivan ivana ivo jack jacinto jacob jacqueline jaime jair jake
james jamie jane janet jasmine javier jean jeff jennifer jenny jeremy jessica jesus jill jim jimena jimmy joan joana
joao joaquim joaquin joe joel john johanna jonas jonatan jonathan jordan jordi jorge jose josefa josefina joseph josh
joshua josue juan juana juancho judith julia julian juliana julie juliet julieta julio justin karen karina karla kate
katherine kathy katia kelly ken kevin kim kyle laia lara larissa laura lauren lautaro leandro leia leila leon leonardo
leonel leonor leticia lia lidia lila lilian liliana lily linda lisa livia lola lorena lorenzo lourdes luana lucas
lucia luciana luciano lucio lucy luis luisa luiz luiza luna macarena magali magdalena maira maite malena manoel manu
manuel manuela mar mara marc marcela marcelo marcia marcio marco marcos margarida margarita maria mariam marian
mariana mariano maribel maricarmen mariel marina mario marisa marisol mark marlene marta martha martin martina mary
mateo mateus matheus mathew matias matilde matthew maura mauricio mauro max maxi maximiliano maya mayra megan melanie
melina melissa mercedes mia micaela michael michel michelle miguel mike milagros milena milton miranda mireia miriam
moises molly monica montserrat morgan murilo nadia nahuel nancy naomi natalia natalie natasha nathan nayara nelson
nerea nestor nicholas nick nico nicolas nicole nieves nilda noa noah noelia noemi nora norma nuno nuria octavio olga
oliver olivia omar orlando oscar osvaldo otavio pablo paco paloma pamela paola patricia patricio patrick patty paul
paula paulina paulo pedro penelope pepe perla peter philip pilar priscila rachel rafa rafael rafaela raimundo ramiro
ramon raquel raul rebeca rebecca regina renan renata renato ricardo richard rick rita rob robert roberta roberto robin
rocio rodolfo rodrigo rogelio roger roman romina ronaldo rosa rosana rosario rose ruben rui ruth ryan sabrina sally
salvador sam samanta samantha samuel sandra santi santiago santino sara sarah saul scott sean sebastian selena serena
sergio sharon sheila silvana silvia silvio simon simone sofia sol soledad sonia sophia sophie stefan stefano stella
stephanie stephen steve steven sue susan susana sylvia tadeo tamara tania tatiana telma teo teodoro teresa thais
thales thalia thiago dave matt liz beth katie pete rich ed eddie ted tommy joey nate zach luke jess becky meg fran
nacho pepe lalo beto memo tono chema juanma josefa mafe duda bia lu gabi rafa leo nanda thomas tiago tim tina tom
tomas tony trinidad ulises valentin valentina valeria valerie vanesa vanessa vania vera veronica vicente vicky victor
victoria vinicius violeta virginia vitor vitoria viviana vivian walter wanda wendy wilfredo will william wilson wagner
xavier ximena xoana yago yamila yanina yasmin yesenia yolanda zacarias zoe zulema yeison jeison brayan bryan stiven
estiven maicol wilmer yuliana yurani leidy leydi marleny luz_dary deisy daysi jhon jhonatan edwin freddy fredy
hernando heriberto humberto eusebio evaristo faustino filiberto gilda griselda gregoria hilda hortensia imelda isaura
jacobo jazmin yazmin josefo lazaro leopoldo lisandro lisandra lucrecia ludmila lupe lupita maru marisela maritza
mauricia mirta mirtha nelida nelly norberto ofelia oswaldo paulino petra ramona rigoberto rolando romulo rosalba
rosalia rufino salma saturnino selene silvestre socorro susi teodora ubaldo uriel valerio vilma wilfrido xochitl
citlali itzel yadira yanet yaneth yolotzin zaida zulma chava charly pancho pancha chuy chucho lencho kike quique lolo
mayte neto tere tito toti vero yola beta cata cami caro juli nano nati pao pau pipe pili rami rodri romi sami sebas
seba sofi tomi vale vane xavi xime gonza guille guada javi javiera jero joaco juampi luchi lauti maca maga mati mechi
meli micha mili moni nahu naty pato pauli pedrito belu agus ale benja catita coni constanza cote dominga ema fer gabo
gaston ignacia isidora maximo monserrat pia pipa raimunda trini vicenta ainhoa ainara amaia andoni ane ander aritz
asier begona biel carles carme eneko eider eneritz estibaliz eulalia feliu ferran garazi gerard gorka guillem haizea
iago inaki inigo irati iria itxaso izaskun jaume josu jon jordina julen koldo lander leire llorenc lluis maialen
marcal meritxell miren mikel montse naiara neus oihana oriol pep quim roser sabela txema unai uxia uxue xabi xabier
xoel xurxo yeray zurine chus chiqui curro fito merche nando nuri rafi rosi jefferson jeferson wesley wellington
welington weslei uesley washington wanderley wanderson vanderlei valdir valdemar valdirene vagner thayna taina tainara
tamires tamiris talita tais suelen suellen sueli solange sidnei silas rosangela roseli romario robson rivaldo reinaldo
regiane rayssa rayane raissa raiane priscilla poliana osmar olavo odair nivaldo nilton nilson nicolly neusa neide
nathalia moacir mayara maycon maiara maicon luciene lucimar lucineide lorrane leidiane leandra lais laisa kleber karol
kaua kauan kaique jussara juscelino josiane jonatas joelma jociane jandira jamile jacira ivone isaias iracema ingrid
iara iolanda hudson guto gleice gislaine gilson gilmar geovana genilson franciele francielle fernandinho evandro
eunice erivaldo elton eliane eliana elaine edvaldo edson edna ednaldo edivaldo dudu diogo dayane davi darlene daiane
cristiane cleusa cleide cleiton cleber cida cicero caue camile caique breno benedito ayrton aparecida anderson amauri
altair alzira alessandro adriele adriel adilson ademir adao zeca ze tonho tuca tati ro rafinha pri mari malu lari lets
ju jo gui gio fe cadu goncalo afonso martim vasco simao tome lourenco dinis mafalda madalena constanca carlota noemia
filomena conceicao ceu lurdes odete ilda idalina zulmira zita anabela jayden jaden brayden braden caden cameron carter
casey chad chase chelsea chelsey cheryl christie cindy clay clint cody cole colin connor conor corey cory courtney
craig crystal curtis dakota dale darren darryl dawn dean debbie debra dennis derrick devin devon diane donald donnie
doris dustin dwayne earl eileen eleanor eli elijah ellie elliot elliott eloise emmett erin evan faith fergus finn
freddie freya gail gareth gavin gemma gerald gillian glen glenn gordon graham grant gwen haley hailey harriet harrison
harvey hayden hayley hazel heather heidi henrietta hillary holly howard hugh hunter imogen isla jackie jackson jade
jaclyn jamal janice janine jared jasmin jason jay jayne jenna jenni jermaine jerome jerry jesse jillian joanna joanne
jodie joelle johnny jordyn josie joy joyce judy justine kaitlyn kara karl katelyn katrina kayla keira keith kelsey
kendra kenneth keisha kerry kieran kimberly kirsty kristen kristin kristina kurt kyla kylie lance latoya laurie
lawrence leah lee leigh lena leroy leslie lewis lindsay lindsey logan lois loretta lorraine louis louise lucinda lydia
lynn mackenzie maddie madison maggie malcolm mandy marcus margaret marie marilyn marion marissa marjorie marsha marvin
mason maureen mavis maxine melinda mercy meredith mick mikey millie mindy mitch mitchell moira mona monique morris
muhammad mohammed mohamed nadine neil nigel nina nolan norman olive opal owen paige parker pat patsy pauline peggy
penny percy perry phil phillip phoebe phyllis pippa poppy priya rajesh ravi ralph randy raymond reggie renee rhys
ricky riley robbie robyn rod rodney roland ronald ronnie rory rosemary ross rowan roxanne roy russell ruby rusty sadie
sammy sandy sasha shane shannon shaun shawn shelby shelly sheryl shirley sian sienna skye spencer stacey stacy stan
stanley stuart sylvester tabitha tamika tanya tasha tessa theo theresa tiffany timothy tobias toby todd tonya tracey
tracy travis trevor trey tristan troy tyler tyrone ursula vernon vince vivienne wade warren wayne whitney wyatt yvette
yvonne zack zoey amir ahmed aisha ali hassan ibrahim khadija layla noor yusuf zara anil arjun deepa divya kavita kiran
lakshmi meera neha nikhil nisha pooja rahul raj rohan sanjay shreya sunita vikram vijay chen wei ling mei jun yuki
kenji hiroshi sakura aiko olu chidi ngozi amara emeka tunde kwame kofi ama bex becca abby addie allie andie barb
barney bert betsy billie bobbie cass cat charlee chrissy deb dom edie em fred gabe gerry gus hank hattie izzy jen jojo
kat kathryn kit kris lexi libby lottie mads mel mo nan nat ollie rach reese sim steph stevie suzie tash tori val vi
viv winnie cris nath lulu guto chela licha chayo nayeli chofi marla ash jo kez kezia ste daz shaz baz bev trish naz
tariq geoffrey beatrice edmilson lourdes
""")

AMBIGUOUS = word_set("""
sol luna flor mar rosa alma abril linda perla dulce domingo angel israel jordan will mark bill frank grace rose max
salvador
dolores mercedes gloria paloma nieves milagros soledad pilar leon leo libra iris aurora lu memo bia rich ed violeta
celeste rob sue ana_e vale dale pipe socorro consuelo faith hope joy dawn grant hunter mason chase ruby penny olive
opal rusty randy sandy poppy jade cat kit lance del val vi ali may pat lee dean holly heather hazel ama sim nan crystal
mercy tono ju ze wei ling mei mo em sasha chelsea madison jackson logan taylor troy warren wade lincoln ram tim chad
pia ana_maria curro maca mona sierra ivy ray clay
""")
"""Names that are words as well: in lower case they need more than a `soy` before them."""

PARTICLES = word_set("de del da do das dos di van von der den la las los mc mac san santa")

ABBREVIATED = word_set("st sta sto mt ft")

TITLES = word_set(
    "profe sr sra srta dr dra mr mrs ms miss don dona ing lic prof professor doctor doctora doutor doutora"
)

NEVER = word_set("""
called named llamado llamada chamado chamada siri alexa chatgpt gpt claude google cortana gemini copilot bot asistente
assistente assistant same nothing weird common monday tuesday wednesday thursday friday saturday sunday lunes martes
miercoles jueves viernes sabado domingo largo larga corto corta raro rara comun comprido comprida curto curta estranho
misspelled long short wrong irrelevant mud batman superman spiderman shakespeare napoleon god dios satanas hulk thanos
yoda gandalf secret secreto segredo dificil difficult hard easy facil bonito bonita feo feia feio lindo linda horrible
horrivel yo tu vos el ella usted nosotros ustedes ellos eu voce ele ela nos i you he she we they it me mi my meu minha
this that nada todo algo alguien nadie quien que como igual asi aqui alla ahora hoy siempre nunca jamas casi muy mas
menos tan solo feliz triste cansado cansada listo lista nuevo nueva viejo vieja joven mayor menor alto alta bajo baja
bueno buena malo mala team equipo fan fanatico seguidor hijo hija padre madre papa mama hermano hermana esposo esposa
soltero soltera casado casada divorciado divorciada viudo viuda vegano vegana vegetariano vegetariana alergico
alergica celiaco celiaca diabetico diabetica zurdo zurda catolico catolica ateo atea humano humana persona hombre
mujer chico chica adulto adulta capaz consciente responsable parte uno una otro otra mismo misma el la los las un
sorry not no so very really just still also too here there happy sad tired fine good well okay ok ready sure glad
afraid back home late early busy free new old young done interested excited looking trying going working living
thinking feeling writing using making getting having doing based happy single married divorced vegan vegetarian
allergic pregnant hungry thirsty sick bored lost confused worried curious aware able unable about all almost already
always another anyone anything away bad better big both certain crazy dead different down due ever everyone fan female
male first from full gay great half hard high human in into kind late later leaving less like lucky man maybe more
most mostly much my never next nobody nothing now obviously off on one only open originally out over part person
perfectly planning pretty proud quite rather right running scared serious sick someone something somewhere soon sort
starting strong stuck stupid such supposed surprised terrible terrified then through thrilled together told tonight
trans under up upset very wondering wrong woman yes your yours an the a at as bem mal feliz triste cansado cansada
pronto pronta novo nova velho velha jovem solteiro solteira casado casada pai mae filho filha irmao irma fa gente
homem mulher pessoa ja ainda tambem muito mais menos so apenas sempre nunca assim capricornio acuario piscis aries
tauro geminis cancer leo virgo libra escorpio sagitario capricorn aquarius pisces taurus gemini scorpio sagittarius
aquario peixes touro gemeos leao virgem escorpiao muchas muito gracias obrigado obrigada hola ola oi hi hello saludos
mucho gusto encantado encantada prazer placer every daily often todos todas desde hace mediante cuando donde porque
pero aunque si sino ademas entonces nomas
lutheran catholic muslim hindu sikh jewish igbo yoruba hausa fulani zulu xhosa maori cherokee navajo aymara mapuche
catolico catolica evangelico evangelica judio judia
""")


_BELONGING = Pattern(
    r"\w{2,}(?:ish|ese|ian|ean|ican|ing|ed|ist|less|ful|ous|ble|ive|ense|ano|ana|eno|ena|es|esa|ino|ina|ista)$"
)


def is_belonging(word: str) -> bool:
    """Whether a word looks like where one is from or what one is like (Brazilian, tired) and is not a name we know."""
    return bool(_BELONGING.match(word))


_DESCRIPTIONS = word_set("""
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
