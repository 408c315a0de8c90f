"""Words for personal traits: ages, marriages, illnesses and diets."""

from recuerdo.core.words import word_set

NUMERALS = word_set("""
once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte veintiuno veintiun veintidos
veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve treinta cuarenta cincuenta sesenta
setenta ochenta noventa cien uno un dos tres cuatro cinco seis siete ocho nueve diez onze doze treze catorze quatorze
dezesseis dezasseis dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta
oitenta cem um dois duas quatro cinco sete oito nove dez eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety one two three four five six seven eight nine
ten
""")
CARDINALS = NUMERALS - {"un", "um"}
"""Those that are no articles."""

SMALL_NUMERALS = word_set("""
uno un dos tres cuatro cinco seis siete ocho nueve diez um dois duas quatro sete oito nove dez one two three four five
six seven eight nine ten
""")
YEARS = word_set("anos anitos years yrs yo y/o")
YEARS_OF_ADULTS = word_set("tacos pirulos")
"""Words for years that nobody counts below ten: `tengo 20 tacos`, where `3 tacos` are food."""

AFTER_AGE = word_set("""
today yesterday now already soon hoy ayer ya recien hoje ontem agora ja btw jaja haha jajaja lol kkk rs de of old
cumplidos recem this last el la na no in on
""")

OF_ONESELF = word_set("""
i i'm im my yo soy vivo trabajo estudio me eu sou moro trabalho estudo looking living working studying tengo tenho mi
""")
MARRIED = word_set("""
casado casada soltero soltera divorciado divorciada viudo viuda separado separada comprometido comprometida
concubinado solteiro solteira viuvo viuva noivo noiva amasiado amasiada amigado amigada desquitado desquitada married
single divorced widowed widow widower engaged separated unmarried case caso divorcie enviude casei divorciei
""")
PAIRED = word_set("""
casado casada comprometido comprometida concubinado amasiado amasiada amigado amigada noivo noiva married engaged case
caso casei
""")
"""Those of people who have a spouse or a partner."""

MARRIED_ALONE = word_set("""
con com with and y e pero mas but desde since for hace ha faz now ahora agora again otra de_nuevo lol jaja jajaja haha
jeje kkk rs in this last este el la en no on at so que porque because mother father mum mom dad parent for btw today
hoy hoje ya ja todavia still ainda feliz felizmente happily tbh asi entonces por sin sem
""")

CONDITIONS = word_set("""
embarazada gravida pregnant
diabetes diabetico diabetica asma asmatico asmatica hipertension hipertenso hipertensa presion hipotension migrana
migranas jaqueca jaquecas anemia artritis artrosis gastritis ulcera colitis colesterol hipotiroidismo hipertiroidismo
tiroides epilepsia epileptico epileptica depresion ansiedad insomnio cancer leucemia lupus fibromialgia psoriasis
dermatitis rinitis sinusitis escoliosis hernia ciatica reflujo taquicardia arritmia marcapasos trigliceridos autismo
autista tdah dislexia dislexico dislexica vertigo tinnitus glaucoma miopia miope astigmatismo endometriosis fibrosis
parkinson alzheimer vih hiv hepatitis asperger bipolar osteoporosis bronquitis acne eccema pressao hipertensao
enxaqueca enxaquecas artrite artrose ulcera refluxo hipotireoidismo hipertireoidismo tireoide epilepsia epileptico
depressao ansiedade insonia rinite sinusite bronquite escoliose hernia ciatica labirintite gastrite dislexia psoriase
fibromialgia leucemia lupus osteoporose dermatite eczema hypertension asthma asthmatic diabetic migraine migraines
anaemia anemia arthritis osteoarthritis ulcer ulcers colitis crohn's cholesterol hypothyroidism hyperthyroidism
thyroid epilepsy epileptic depression anxiety insomnia leukaemia leukemia fibromyalgia psoriasis eczema rhinitis
sinusitis scoliosis sciatica reflux arrhythmia adhd add autism autistic dyslexia dyslexic vertigo glaucoma astigmatism
endometriosis pcos ibs copd ptsd ocd bronchitis tachycardia hiv blood_pressure celiac_disease sleep_apnea sleep_apnoea
gout angina tdah hipoglucemia hipoglicemia hypoglycemia fibrillation fibrilacion fibrilacao
""")
DEGREES_OF_ILLNESS = word_set("""
tipo type 1 2 i ii alto alta altos altas baja bajo baixo baixa cronica cronico chronic severe leve mild grave high low
arterial pressure blood el la o a de del los las una un uma um the an some bad disease enfermedad doenca problemas de
atrial auricular
""")
PLACES_OF_ILLNESS = word_set("en na no nas nos in em")
BODY = word_set("""
manos mano rodilla rodillas espalda cadera pierna piernas pie pies hombro hombros cuello cabeza columna estomago maos
mao joelho joelhos costas quadril perna pernas ombro ombros pescoco cabeca coluna estomago hands hand knee knees back
hip hips leg legs foot feet shoulder shoulders neck head spine stomach lower upper
""")

DIETS = word_set("""
vegetariano vegetariana vegano vegana vegan vegetarian celiaco celiaca coeliac celiac pescetariano pescetariana
pescatarian pescetarian pescatariano omnivoro omnivora flexitariano flexitariana flexitarian crudivegano keto
carnivoro ovolactovegetariano ovolactovegetariana frugivoro macrobiotico gluten-free
""")
DIET_WORDS = word_set("keto cetogenica cetogenico paleo vegana vegetariana mediterranea gluten kosher halal hiposodica")

NO_ALLERGEN = word_set("""
lunes mondays monday segunda madrugar trabajo trabajar work meetings meeting reuniones reunion trabalho trabalhar
mornings morning idea ideia gente people estupidez stupidity drama dramas politica politics bullshit compromiso nada
nothing anything algo something eso that this isso tu voce you
""")

NO_ANSWER = word_set("""
depende adivina secreto secret secreta nada nadie nowhere guess idk ninguno ninguna nunca never paso luego later maybe
quizas quiza talvez skip private privado aqui aca alla lejos here there dunno ns nose sei saber sabes decir dizer tell
say why porque importa matters olvida forget cambiemos otra outro another cualquiera anything something algo nothing
gracias obrigado obrigada thanks
""")
"""Words of replies that answer nothing."""
