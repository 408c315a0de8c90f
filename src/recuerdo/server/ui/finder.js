// Ctrl-K: conversations, messages and memories, found while one types and opened with Enter.

import * as api from './api.js';
import { byId, el } from './dom.js';
import { t } from './language.js';
import { shortcuts } from './shortcuts.js';
import { sourceHash, threadHash } from './threads.js';

const MOST = 5;
const PAUSE = 200;

export class Finder {
  #dialog = byId('finder');
  #field = byId('finder-query');
  #results = byId('finder-results');
  #asked = 0;

  constructor({ onProblem, titled }) {
    this.titled = titled;
    let waiting;
    this.#field.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.#find().catch(onProblem), PAUSE);
    });
    byId('open-finder').addEventListener('click', () => this.open());
    this.#dialog.addEventListener('keydown', (event) => this.#walk(event));
    this.#results.addEventListener('click', (event) => event.target.closest('a') && this.#dialog.close());
    document.addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      this.open();
    });
  }

  open() {
    this.#field.value = '';
    this.#results.replaceChildren(...shortcuts());
    this.#dialog.showModal();
    this.#field.focus();
  }

  async #find() {
    const query = this.#field.value.trim();
    const asked = ++this.#asked;
    if (!query) return this.#results.replaceChildren(...shortcuts());
    const [memories, messages] = await Promise.all([api.searchMemories({ query, limit: MOST }), api.searchMessages({ query, limit: MOST })]);
    if (asked !== this.#asked) return;
    const found = [
      ...group('threads', this.titled(query).slice(0, MOST).map((thread) => [threadHash(thread.id), thread.title])),
      ...group('tabList', memories.memories.map((memory) => [memory.source.thread ? sourceHash(memory) : '#/memories', memory.text])),
      ...group('messages', messages.hits.map((hit) => [`${threadHash(hit.thread_id)}/${hit.seq}`, hit.message.content])),
    ];
    this.#results.replaceChildren(...(found.length ? found : [el('p', { class: 'hint' }, t('nothingFound'))]));
  }

  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...this.#results.querySelectorAll('a')];
    if (event.key === 'Enter' && event.target === this.#field) links[0]?.click();
    if (!step || !links.length) return;
    event.preventDefault();
    const next = links.indexOf(document.activeElement) + step;
    (next < 0 ? this.#field : links[Math.min(next, links.length - 1)]).focus();
  }
}

function group(title, lines) {
  if (!lines.length) return [];
  const line = ([href, text]) => el('li', {}, el('a', { href }, typeof text === 'string' ? text : '…'));
  return [el('h3', {}, t(title)), el('ul', {}, ...lines.map(line))];
}
