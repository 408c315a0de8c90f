// The page of documents: what agents look things up in, who may see it, and what a question would find.

import * as api from './api.js';
import { byId, confirmed, el, options } from './dom.js';
import { counted, day, t } from './language.js';
import { VirtualList } from './virtual_list.js';

const ROW = 64;
const HITS = 10;
const CHUNKS = 100; // of a document at a time
const MOST = 700 * 1024; // bytes of a file: a request's body has its limit, and base64 makes it longer
const TEXTS = /\.(txt|md|markdown|html?)$/i;

export class DocumentsPage {
  #page = byId('documents-page');

  constructor({ onProblem }) {
    this.onProblem = onProblem;
  }

  // `place`: the character at which a passage begins that is to be seen.
  async open({ includes, id, place }) {
    this.mayWrite = includes('editor');
    if (id) return this.#openDocument(id, place);
    this.note = el('p', { class: 'hint', role: 'status' });
    this.uploads = el('ul', { class: 'uploads', 'aria-live': 'polite' });
    this.hits = el('ol', { class: 'said hits' });
    const rows = el('div', { class: 'rows', id: 'document-rows', tabindex: 0, role: 'group', 'aria-label': t('documents') });
    this.list = new VirtualList(rows, { height: ROW, label: t('documents'), row: (one) => this.#row(one), onNearEnd: () => {} });
    const query = el('input', { type: 'search', id: 'document-query', maxlength: 1000, placeholder: t('searchDocuments'), 'aria-label': t('searchDocuments') });
    query.addEventListener('input', () => !query.value.trim() && this.hits.replaceChildren());
    const search = (event) => {
      event.preventDefault();
      this.#search(query.value.trim()).catch(this.onProblem);
    };
    this.#page.replaceChildren(
      el('form', { class: 'search', role: 'search', autocomplete: 'off', onsubmit: search }, query, el('button', { class: 'button' }, t('find'))),
      this.hits,
      el('div', { class: 'page-head' }, this.note, ...(this.mayWrite ? this.#uploader() : [])),
      this.uploads,
      rows,
    );
    await this.#load();
  }

  async #load() {
    const { documents } = await api.documents();
    this.list.show(documents);
    this.note.textContent = documents.length ? counted('nDocuments', documents.length) : t('noDocuments');
  }

  #row(document) {
    return [
      el(
        'a',
        { class: 'row', href: `#/documents/${encodeURIComponent(document.id)}` },
        el('span', { class: 'row-head' }, access(document), el('b', { class: 'value' }, document.title)),
        el('span', { class: 'row-below' }, `${document.source} · ${document.collection} · ${counted('nChunks', document.chunks)} · ${day(document.created_at)}`),
      ),
    ];
  }

  async #search(query) {
    const { hits } = query ? await api.searchDocuments(query, HITS) : { hits: [] };
    const hit = ({ document, chunk: found, score }) => chunk(found, el('a', { href: `#/documents/${encodeURIComponent(document.id)}` }, document.title), ` · ${Math.round(score * 100)} %`);
    this.hits.replaceChildren(...(hits.length || !query ? hits.map(hit) : [el('li', { class: 'hint' }, t('nothingHere'))]));
  }

  // --- adding ----------------------------------------------------------------------------------------------------

  #uploader() {
    this.access = el('select', { id: 'document-access', 'aria-label': t('whoMaySee') }, ...options([['tenant', t('accessTenant')], ['public', t('accessPublic')]]));
    const files = el('input', { type: 'file', id: 'document-files', multiple: true, 'aria-label': t('addDocuments') });
    files.addEventListener('change', async () => {
      const all = [...files.files];
      files.value = '';
      for (const file of all) await this.#upload(file);
      await this.#load().catch(this.onProblem);
    });
    return [this.access, el('label', { class: 'button primary file' }, t('addDocuments'), files)];
  }

  // What fails is told beside its name, and the next one is tried.
  async #upload(file) {
    const bar = el('progress', { max: 1, value: 0, 'aria-label': file.name });
    const line = el('li', {}, el('span', {}, file.name), bar);
    this.uploads.append(line);
    try {
      if (file.size > MOST) throw new api.ApiError(413, t('tooLarge'), api.AS_IT_IS);
      const content = TEXTS.test(file.name) ? { content: await file.text() } : { content_base64: await base64(file) };
      const { document, changed } = await api.addDocument({ source: file.name, access: this.access.value, ...content }, (part) => (bar.value = part));
      bar.replaceWith(el('b', {}, `✓ ${changed ? counted('nChunks', document.chunks) : t('unchanged')}`));
    } catch (error) {
      bar.replaceWith(el('b', { class: 'problem' }, error.message));
    }
  }

  // --- one document ------------------------------------------------------------------------------------------------

  async #openDocument(id, place) {
    const { document, chunks } = await api.documentOf(id);
    const list = el('ol', { class: 'said', tabindex: 0, 'aria-label': t('chunks') });
    const more = el('button', { type: 'button', class: 'link' }, t('more'));
    const pointed = place === null ? -1 : chunks.findIndex(({ start, end }) => start <= place && place < end);
    let from = Math.max(0, Math.floor(pointed / CHUNKS)) * CHUNKS;
    const show = () => {
      list.replaceChildren(...chunks.slice(from, from + CHUNKS).map((one) => chunk(one, `${one.number + 1}`)));
      list.scrollTop = 0;
      const found = list.children[pointed - from];
      found?.classList.add('pointed');
      found?.scrollIntoView({ block: 'center' });
      from += CHUNKS;
      more.hidden = chunks.length <= CHUNKS;
      if (from >= chunks.length) from = 0;
    };
    more.addEventListener('click', show);
    const remove = async () => {
      if (!(await confirmed(t('deleteDocument'), document.title, t('delete')))) return;
      await api.deleteDocument(id);
      location.hash = '#/documents';
    };
    this.#page.replaceChildren(
      el('div', { class: 'page-head' }, el('a', { class: 'link', href: '#/documents' }, `← ${t('documents')}`)),
      el('h2', { class: 'entity' }, document.title),
      el('p', { class: 'hint' }, access(document), ` ${document.source} · ${document.collection} · ${counted('nChunks', document.chunks)} · ${day(document.created_at)}`),
      ...(this.mayWrite ? [el('div', { class: 'tools' }, el('button', { type: 'button', class: 'button', onclick: () => remove().catch(this.onProblem) }, t('delete')))] : []),
      el('div', { class: 'scrolled' }, list, more),
    );
    show();
  }
}

const access = (document) => el('b', { class: 'attribute' }, t(document.access === 'public' ? 'accessPublic' : 'accessTenant'));

const chunk = ({ heading, text }, ...title) => el('li', { class: 'seen-entry' }, el('b', {}, ...title, heading ? ` · ${heading}` : ''), el('span', {}, text));

async function base64(file) {
  const url = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(file);
  });
  return url.slice(url.indexOf(',') + 1);
}
