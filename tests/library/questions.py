"""A small shop's documents in three languages, and sixty questions, each with the document that answers it.

`None` stands for a question that no document answers: small talk, or something about the user.
"""

PUBLIC = {
    "devoluciones.md": "# Devoluciones\n\nPuede devolver cualquier producto sin usar durante 30 días. El reembolso "
    "llega a su tarjeta en 5 días hábiles.\n\n## Cambios\n\nCambiar la talla o el color es gratis.\n",
    "envios.md": "# Envíos\n\nEnviamos a toda España en 48 horas. El envío urgente cuesta 9 euros y llega al día "
    "siguiente. A partir de 60 euros el envío es gratuito.\n",
    "horario.md": "# Horario y tiendas\n\nLas tiendas abren de lunes a sábado de 10 a 21 horas. La tienda de Madrid "
    "está en la calle Mayor 12 y tiene aparcamiento.\n",
    "warranty.md": "# Warranty\n\nEvery pair of boots has a warranty of two years against broken soles and seams. "
    "Keep the receipt. Damage by water is not covered.\n",
    "sizes.md": "# Size guide\n\nMeasure your foot in centimetres. 25 centimetres are size 40. If you are between "
    "two sizes, take the larger one.\n",
    "pagamento.md": "# Pagamento\n\nAceitamos cartão de crédito, Pix e boleto. Pode parcelar a compra em até seis "
    "vezes sem juros. O boleto vence em três dias.\n",
    "cuidados.md": "# Cuidados com o couro\n\nLimpe o couro com um pano úmido e passe creme uma vez por mês. Nunca "
    "seque as botas perto do fogo.\n",
}

PRIVATE = {
    "margenes.md": "# Márgenes internos\n\nEl margen de las botas es del 40 por ciento y el de las sandalias del 25 "
    "por ciento. Ningún descuento de empleado supera el 20 por ciento.\n",
    "suppliers.md": "# Suppliers\n\nOur leather comes from the tannery Rossi in Florence. Rubber soles are delivered "
    "by Kautex every second Tuesday.\n",
    "ferias.md": "# Férias dos funcionários\n\nCada funcionário tem 22 dias de férias. O pedido deve ser feito ao "
    "gerente com um mês de antecedência.\n",
}

QUESTIONS: list[tuple[str, str | None]] = [
    ("¿Cuántos días tengo para devolver un producto?", "devoluciones.md"),
    ("¿Cuándo llega mi reembolso a la tarjeta?", "devoluciones.md"),
    ("¿Cambiar la talla cuesta algo?", "devoluciones.md"),
    ("Quiero devolver unos zapatos sin usar, ¿puedo?", "devoluciones.md"),
    ("¿Cuánto cuesta el envío urgente?", "envios.md"),
    ("¿En cuántas horas enviáis a España?", "envios.md"),
    ("¿A partir de cuántos euros es gratuito el envío?", "envios.md"),
    ("¿A qué hora abren las tiendas el sábado?", "horario.md"),
    ("¿Dónde está la tienda de Madrid?", "horario.md"),
    ("¿La tienda tiene aparcamiento?", "horario.md"),
    ("¿Cuál es el margen de las botas?", "margenes.md"),
    ("¿Qué margen tienen las sandalias?", "margenes.md"),
    ("¿Cuál es el descuento máximo de un empleado?", "margenes.md"),
    ("¿Cuál es el horario de la tienda?", "horario.md"),
    ("¿El reembolso tarda muchos días hábiles?", "devoluciones.md"),
    ("Hola, buenos días", None),
    ("¿Cómo me llamo?", None),
    ("Muchas gracias", None),
    ("¿Cuál es mi comida favorita?", None),
    ("¿Quién eres?", None),
    ("How long is the warranty on boots?", "warranty.md"),
    ("Does the warranty cover broken seams?", "warranty.md"),
    ("Is damage by water covered?", "warranty.md"),
    ("Do I need to keep the receipt?", "warranty.md"),
    ("Which size is 25 centimetres?", "sizes.md"),
    ("I am between two sizes, which one should I take?", "sizes.md"),
    ("How do I measure my foot?", "sizes.md"),
    ("Where is the size guide?", "sizes.md"),
    ("Which size do I need?", "sizes.md"),
    ("Are broken soles under warranty?", "warranty.md"),
    ("Where does our leather come from?", "suppliers.md"),
    ("Who delivers the rubber soles?", "suppliers.md"),
    ("Which tannery do we buy from?", "suppliers.md"),
    ("On which Tuesday does Kautex deliver?", "suppliers.md"),
    ("Is there a warranty at all?", "warranty.md"),
    ("Hello there", None),
    ("What is my name?", None),
    ("Thank you very much", None),
    ("What is my favourite colour?", None),
    ("Who are you?", None),
    ("Vocês aceitam Pix?", "pagamento.md"),
    ("Posso parcelar a compra sem juros?", "pagamento.md"),
    ("Em quantos dias vence o boleto?", "pagamento.md"),
    ("Quais cartões de crédito aceitam?", "pagamento.md"),
    ("Como limpo o couro?", "cuidados.md"),
    ("Posso secar as botas perto do fogo?", "cuidados.md"),
    ("Quantas vezes por mês passo creme?", "cuidados.md"),
    ("Com que pano limpo as botas de couro?", "cuidados.md"),
    ("Em até quantas vezes posso parcelar?", "pagamento.md"),
    ("O boleto vence quando?", "pagamento.md"),
    ("Quantos dias de férias tem cada funcionário?", "ferias.md"),
    ("A quem faço o pedido de férias?", "ferias.md"),
    ("Com quanta antecedência peço férias?", "ferias.md"),
    ("O gerente aprova o pedido de férias?", "ferias.md"),
    ("Que cuidados o couro precisa?", "cuidados.md"),
    ("Olá, bom dia", None),
    ("Qual é o meu nome?", None),
    ("Muito obrigado", None),
    ("Qual é a minha comida preferida?", None),
    ("Quem é você?", None),
]
