// The words of the pages of conversations, documents, operations and agents, in every language.

const en = {
  searchThreads: 'Title, or what was said', livingThreads: 'Not archived', archivedThreads: 'Archived', allThreads: 'All',
  when: 'When', anyTime: 'Any time', lastDay: 'Last day', lastWeek: 'Last week', lastMonth: 'Last month', lastYear: 'Last year',
  thisWeek: 'This week', searching: 'Searching …', nothingHere: 'Nothing fits.', import: 'Import', importedThreads: 'Imported: {what}.',
  archive: 'Archive', unarchive: 'Bring back', archived: 'archived', rename: 'Rename', openThread: 'Open in the chat',
  history: 'All that was said', historyAndWindow: 'History and window', policy: 'Limited by', policySize: 'At most', byMessages: 'Messages', byTokens: 'Tokens', withSummary: 'with its summary',
  windowShows: 'A model would see {n} of {of} messages.', steps: 'States of the graph', stepEnd: 'the end', state: 'State', forkHere: 'Fork from here',
  documents: 'Documents', searchDocuments: 'Ask what a document says', noDocuments: 'There are no documents yet.', whoMaySee: 'Who may see it', accessTenant: 'Our users', accessPublic: 'Everybody',
  addDocuments: 'Add files', tooLarge: 'This file has more than 700 KB: split it, or send its text.', unchanged: 'known already', chunks: 'Parts', deleteDocument: 'Delete this document for everybody?',
  nDocuments: { one: '{n} document', other: '{n} documents' }, nChunks: { one: '{n} part', other: '{n} parts' },
};

const es = {
  searchThreads: 'Título, o lo que se dijo', livingThreads: 'Sin archivar', archivedThreads: 'Archivadas', allThreads: 'Todas',
  when: 'Cuándo', anyTime: 'Cualquier fecha', lastDay: 'Último día', lastWeek: 'Última semana', lastMonth: 'Último mes', lastYear: 'Último año',
  thisWeek: 'Esta semana', searching: 'Buscando …', nothingHere: 'No hay nada así.', import: 'Importar', importedThreads: 'Importado: {what}.',
  archive: 'Archivar', unarchive: 'Recuperar', archived: 'archivada', rename: 'Cambiar el título', openThread: 'Abrir en el chat',
  history: 'Todo lo que se dijo', historyAndWindow: 'Historial y ventana', policy: 'Limitada por', policySize: 'Como máximo', byMessages: 'Mensajes', byTokens: 'Tokens', withSummary: 'con su resumen',
  windowShows: 'Un modelo vería {n} de {of} mensajes.', steps: 'Estados del grafo', stepEnd: 'el final', state: 'Estado', forkHere: 'Seguir desde aquí',
  documents: 'Documentos', searchDocuments: 'Pregunta qué dice un documento', noDocuments: 'Aún no hay documentos.', whoMaySee: 'Quién puede verlo', accessTenant: 'Nuestros usuarios', accessPublic: 'Cualquiera',
  addDocuments: 'Añadir archivos', tooLarge: 'Este archivo tiene más de 700 KB: divídelo, o envía su texto.', unchanged: 'ya estaba', chunks: 'Partes', deleteDocument: '¿Eliminar este documento para todos?',
  nDocuments: { one: '{n} documento', other: '{n} documentos' }, nChunks: { one: '{n} parte', other: '{n} partes' },
};

const pt = {
  searchThreads: 'Título, ou o que foi dito', livingThreads: 'Não arquivadas', archivedThreads: 'Arquivadas', allThreads: 'Todas',
  when: 'Quando', anyTime: 'Qualquer data', lastDay: 'Último dia', lastWeek: 'Última semana', lastMonth: 'Último mês', lastYear: 'Último ano',
  thisWeek: 'Esta semana', searching: 'Procurando …', nothingHere: 'Não há nada assim.', import: 'Importar', importedThreads: 'Importado: {what}.',
  archive: 'Arquivar', unarchive: 'Recuperar', archived: 'arquivada', rename: 'Mudar o título', openThread: 'Abrir no chat',
  history: 'Tudo o que foi dito', historyAndWindow: 'Histórico e janela', policy: 'Limitada por', policySize: 'No máximo', byMessages: 'Mensagens', byTokens: 'Tokens', withSummary: 'com o seu resumo',
  windowShows: 'Um modelo veria {n} de {of} mensagens.', steps: 'Estados do grafo', stepEnd: 'o fim', state: 'Estado', forkHere: 'Continuar daqui',
  documents: 'Documentos', searchDocuments: 'Pergunte o que diz um documento', noDocuments: 'Ainda não há documentos.', whoMaySee: 'Quem pode ver', accessTenant: 'Nossos usuários', accessPublic: 'Qualquer pessoa',
  addDocuments: 'Adicionar arquivos', tooLarge: 'Este arquivo tem mais de 700 KB: divida-o, ou envie o texto.', unchanged: 'já estava', chunks: 'Partes', deleteDocument: 'Excluir este documento para todos?',
  nDocuments: { one: '{n} documento', other: '{n} documentos' }, nChunks: { one: '{n} parte', other: '{n} partes' },
};

export const pageStrings = { en, es, pt };
