"""Who lives with people: relatives, animals, and how many."""

from recuerdo.memories.detectors.words import vocabulary

RELATIVES = (
    r"(?:hij[oa]s?|hijit[oa]s?|nen[ea]s?|beb[ea]s?|espos[oa]|marido|mujer|novi[oa]|pareja|prometid[oa]|herman[oa]s?"
    r"|hermanit[oa]s?|madre|mama|padre|papa|abuel[oa]s?|niet[oa]s?|sobrin[oa]s?|gemel[oa]s?|melliz[oa]s?|ahijad[oa]s?"
    r"|suegr[oa]|cunad[oa]s?|senora|viej[oa](?= se )|polol[oa]|yerno|nuera|padrastro|madrastra|hijastr[oa]s?"
    r"|ti[oa]s?|prim[oa]s?"
    r"|mulher|filh[oa]s?|filhinh[oa]s?|namorad[oa]|noiv[oa]|companheir[oa]|parceir[oa]|irmaos?|irmas?|mae|pai|avos?|net[oa]s?"
    r"|sobrinh[oa]s?|gemeos?|gemeas?|afilhad[oa]s?|sogr[oa]|esposa|esposo"
    r"|cunhad[oa]s?|enteado|enteada|miud[oa]s?|cacula|genro|nora"
    r"|sons?|daughters?|kids?|child|children|wife|husband|partner|girlfriend|boyfriend|fiancee?|spouse|brothers?|sisters?"
    r"|siblings?|mother|mom|mum|father|dad|grandmother|grandfather|grandma|grandpa|grandsons?|granddaughters?"
    r"|grandchildren|nieces?|nephews?|twins?|toddlers?|bab(?:y|ies)"
    r"|cousins?|uncle|aunt(?:ie)?|step(?:son|daughter|mother|father|mum|mom|dad)|(?:mother|father|brother|sister)-in-law"
    r"|grandad|granny|nan|hubby|missus)"
)

ANIMALS = (
    r"(?:perr[oa]s?|perrit[oa]s?|cachorr[oa]s?|cachorrinh[oa]s?|gat[oa]s?|gatit[oa]s?|gatinh[oa]s?|loros?|canarios?"
    r"|pericos?|tortugas?|conejos?|hamsters?|peces|pez|caballos?|gallinas?|iguanas?|huron(?:es)?|mascotas?|cobayas?|cuyes"
    r"|cao|caes|cadela|cadelas|papagaios?|periquitos?|tartarugas?|coelhos?|peixes?|cavalos?|galinhas?"
    r"|dogs?|pupp(?:y|ies)|cats?|kittens?|parrots?|budgies?|turtles?|tortoises?|rabbits?|fish|horses?|hens?|ferrets?"
    r"|guinea pigs?|snakes?|lizards?|pets?|bunny)"
)

NUMBERS = vocabulary("""
un una dos tres cuatro cinco seis siete ocho
um uma dois duas tres quatro cinco seis sete oito
a an one two three four five six seven eight
2 3 4 5 6 7 8
""")
