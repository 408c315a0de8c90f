// The words of the tour, of getting ready and of images, in every language.

const en = {
  image: 'Image', attach: 'Add images', attached: 'Images for your message', removeImage: 'Remove image', noImage: '{name} is not an image that can be sent: use PNG, JPEG, WebP or GIF.',
  tourOffer: 'Take the tour: 60 seconds',
  tour: {
    next: 'Next', done: 'Done', leave: 'Leave', ask: 'Ask it',
    tell: ['Tell me something.', 'For example what your name is or where you live, and send it.'],
    seen: ['This is what the model saw.', 'The messages and memories that it was shown with yours, and nothing else.'],
    known: ['This is what I remember.', 'Touch a memory to see since when and from which sentence, and to correct it.'],
    rewind: ['All of it has a page.', 'There you search, turn time back, decide what may be kept, and take it along or have it forgotten.'],
    restart: ['Now stop me and start me again.', 'Ctrl-C in the terminal, then the same command. I will wait here.'],
    away: ['I am off.', 'Start me again with the same command.'],
    back: ['I am back, and nothing is lost.', 'Ask me what you told me.'],
    comeBack: ['Now close this page and come back.', 'Tomorrow, from another device: I will know what you told me.'],
  },
  gettingReady: 'Getting ready: {n} %', gettingReadyWhy: 'The models are being loaded. You can write already; the first answer takes a little longer.',
};

const es = {
  image: 'Imagen', attach: 'Añadir imágenes', attached: 'Imágenes para tu mensaje', removeImage: 'Quitar la imagen', noImage: '{name} no es una imagen que se pueda enviar: usa PNG, JPEG, WebP o GIF.',
  tourOffer: 'Haz el recorrido: 60 segundos',
  tour: {
    next: 'Siguiente', done: 'Listo', leave: 'Salir', ask: 'Preguntar',
    tell: ['Cuéntame algo.', 'Por ejemplo cómo te llamas o dónde vives, y envíalo.'],
    seen: ['Esto es lo que vio el modelo.', 'Los mensajes y recuerdos que recibió junto al tuyo, y nada más.'],
    known: ['Esto es lo que recuerdo.', 'Toca un recuerdo para ver desde cuándo y de qué frase, y para corregirlo.'],
    rewind: ['Todo tiene su página.', 'Allí buscas, vuelves atrás en el tiempo, decides qué se guarda, y te lo llevas o lo olvido.'],
    restart: ['Ahora apágame y vuelve a encenderme.', 'Ctrl-C en la terminal, y luego el mismo comando. Espero aquí.'],
    away: ['Ya no estoy.', 'Enciéndeme otra vez con el mismo comando.'],
    back: ['Volví, y no se perdió nada.', 'Pregúntame lo que me contaste.'],
    comeBack: ['Ahora cierra esta página y vuelve.', 'Mañana, desde otro dispositivo: sabré lo que me contaste.'],
  },
  gettingReady: 'Preparando: {n} %', gettingReadyWhy: 'Se están cargando los modelos. Ya puedes escribir; la primera respuesta tarda un poco más.',
};

const pt = {
  image: 'Imagem', attach: 'Adicionar imagens', attached: 'Imagens para a sua mensagem', removeImage: 'Tirar a imagem', noImage: '{name} não é uma imagem que se possa enviar: use PNG, JPEG, WebP ou GIF.',
  tourOffer: 'Faça o passeio: 60 segundos',
  tour: {
    next: 'Seguinte', done: 'Pronto', leave: 'Sair', ask: 'Perguntar',
    tell: ['Conte-me alguma coisa.', 'Por exemplo como você se chama ou onde mora, e envie.'],
    seen: ['Isto é o que o modelo viu.', 'As mensagens e memórias que recebeu junto com a sua, e nada mais.'],
    known: ['Isto é o que eu lembro.', 'Toque numa memória para ver desde quando e de qual frase, e para corrigi-la.'],
    rewind: ['Tudo tem a sua página.', 'Lá você busca, volta no tempo, decide o que fica guardado, e leva tudo ou pede que eu esqueça.'],
    restart: ['Agora me desligue e me ligue de novo.', 'Ctrl-C no terminal, e depois o mesmo comando. Espero aqui.'],
    away: ['Já não estou.', 'Ligue-me de novo com o mesmo comando.'],
    back: ['Voltei, e nada se perdeu.', 'Pergunte o que você me contou.'],
    comeBack: ['Agora feche esta página e volte.', 'Amanhã, de outro aparelho: vou saber o que você me contou.'],
  },
  gettingReady: 'Preparando: {n} %', gettingReadyWhy: 'Os modelos estão sendo carregados. Você já pode escrever; a primeira resposta demora um pouco mais.',
};

export const tourStrings = { en, es, pt };
