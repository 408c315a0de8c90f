"""Names of languages, and how well people say they speak them."""

from recuerdo.core.words import word_set

LANGUAGES = word_set("""
espanol castellano ingles frances aleman italiano portugues catalan valenciano gallego euskera vasco quechua guarani
aymara aimara nahuatl maya mapudungun mapuche zapoteco mixteco chino mandarin cantones japones coreano ruso ucraniano
arabe hebreo hindi turco griego polaco rumano sueco noruego danes finlandes holandes neerlandes hungaro checo latin
esperanto mirandes persa farsi vietnamita tailandes indonesio tagalo swahili criollo
espanhol frances alemao italiano portugues galego basco chines mandarim japones coreano russo ucraniano arabe hebraico
turco grego polones romeno sueco noruegues dinamarques finlandes holandes hungaro tcheco checo tupi ioruba quimbundo
umbundo crioulo latim persa vietnamita tailandes indonesio libras
spanish castilian english french german italian portuguese catalan galician basque chinese mandarin cantonese japanese
korean russian ukrainian arabic hebrew hindi urdu bengali punjabi tamil telugu turkish greek polish romanian swedish
norwegian danish finnish dutch hungarian czech latin esperanto persian farsi vietnamese thai indonesian malay tagalog
filipino swahili yoruba igbo hausa zulu afrikaans irish gaelic welsh scottish creole asl
castella catala euskara aranes bable asturiano quiche kiche otomi purepecha tarahumara wayuu guaranies spanglish
portunol francais deutsch mandarin_chinese kannada malayalam marathi gujarati sinhala nepali pashto somali amharic
hmong lao khmer burmese bosnian serbian croatian slovak slovenian bulgarian albanian macedonian lithuanian latvian
estonian armenian georgian azerbaijani kazakh uzbek mongolian tibetan sign_language bsl lsm patois twi fula bambara
lingala shona xhosa punyabi serbio croata bulgaro eslovaco esloveno albanes lituano armenio japonesa hebreu
""")

DEGREES = word_set("""
of tantito poquito poco mas_o_menos mas o menos regular medio intermedio avanzado basico pouquinho mais ou menos
intermediario avancado basico quase decent decently passable so-so pretty kinda bit_of intermediate beginner's and i
also un poco de algo muy bien mal fluido fluidamente perfecto perfectamente nativo solo tambien bastante um pouco
fluente fluentemente bem pouco so tambem o a bit little some fluent fluently basic conversational good bad broken
native both only also
""")
