// The list of conversations.

import * as api from './api.js';
import { byId, confirmed, el, iconButton } from './dom.js';
import { ago, groupOf, moment, t } from './language.js';

const PAGE = 30;
const MOST = 90; // in the sidebar; the page of conversations has all of them

export const threadHash = (id) => `#/t/${encodeURIComponent(id)}`;
export const threadPage = (id) => `#/threads/${encodeURIComponent(id)}`;

// Where the memory was said: the thread, the message and the memory whose words are to be seen there.
export function sourceHash({ id, source }) {
  return source.seq ? `${threadHash(source.thread)}/${source.seq}/${encodeURIComponent(id)}` : threadHash(source.thread);
}

export function hashPlace() {
  const [, id = null, seq = null, memory = null] = /^#\/t\/([^/]+)(?:\/(\d+)(?:\/([^/]+))?)?$/.exec(location.hash) ?? [];
  try {
    return { id: id && decodeURIComponent(id), seq: seq && Number(seq), memory: memory && decodeURIComponent(memory) };
  } catch {
    return { id: null, seq: null, memory: null };
  }
}

export class ThreadList {
  #list = byId('thread-list');
  #more = byId('more-threads');
  #all = byId('all-threads');
  #end;
  #loading = null;
  #threads = [];
  #cursor = null;
  #current = null;
  #opened = null;

  constructor({ onDeleted, onRenamed, onProblem }) {
    this.onRenamed = onRenamed;
    this.onDeleted = onDeleted;
    this.onProblem = onProblem;
    const more = () => this.#loadMore().catch(onProblem);
    this.#more.addEventListener('click', more);
    const reach = (told) => told.at(-1).isIntersecting && this.#threads.length && more(); // a button is for the keyboard
    this.#end = new IntersectionObserver(reach, { root: this.#more.closest('nav') });
    this.#end.observe(this.#more);
  }

  title(id) {
    const known = [...this.#threads, this.#opened].find((thread) => thread?.id === id);
    return known ? known.title || t('untitled') : null;
  }

  // Also of one that is not in the list; null of one that is not there.
  async titleOf(id) {
    return this.title(id) ?? api.threadOf(id).then(({ title }) => title || null, () => null);
  }

  // Those of the list whose title has the words.
  titled(words) {
    return this.#threads.filter((thread) => (thread.title ?? '').toLowerCase().includes(words.toLowerCase()));
  }

  // Where it stands by now; an old one is not in the list.
  async version(id) {
    return (this.#threads.find((thread) => thread.id === id) ?? (await api.threadOf(id))).version;
  }

  // An old conversation has a title, too, before the list is as long.
  async learn(id) {
    if (this.title(id) === null) this.#opened = await api.threadOf(id);
  }

  // As many as are shown: who has asked for more keeps them.
  async refresh() {
    const page = await api.threads({ limit: Math.min(Math.max(PAGE, this.#threads.length), MOST) });
    this.#threads = page.threads;
    this.#cursor = page.cursor;
    this.render();
  }

  select(id) {
    this.#current = id;
    this.render();
  }

  render() {
    const focused = document.activeElement?.closest?.('[data-thread]')?.dataset.thread;
    const groups = this.#threads.map((thread) => groupOf(thread.updated_at));
    this.#list.replaceChildren(...this.#threads.map((thread, at) => this.#entry(thread, groups[at] === groups[at - 1] ? null : groups[at])));
    byId('no-threads').hidden = this.#threads.length > 0;
    const isFull = this.#threads.length >= MOST;
    this.#more.hidden = !this.#cursor || isFull;
    this.#all.hidden = !this.#cursor || !isFull;
    if (focused) (this.#list.querySelector(`[data-thread="${CSS.escape(focused)}"] a`) ?? byId('new-thread')).focus();
  }

  // Once at a time.
  #loadMore() {
    const before = this.#threads;
    const take = (page) => {
      if (this.#threads === before) { // else it was read anew meanwhile
        this.#threads = [...before, ...page.threads];
        this.#cursor = page.cursor;
        this.render();
      }
      this.#end.unobserve(this.#more); // seen before and after, the end is told of again only when observed anew
      this.#end.observe(this.#more);
    };
    this.#loading ??= api.threads({ limit: PAGE, cursor: this.#cursor }).then(take).finally(() => (this.#loading = null));
    return this.#loading;
  }

  // `group` stands above the first of a day or a month.
  #entry(thread, group) {
    const title = thread.title || t('untitled');
    return el(
      'li',
      { 'data-thread': thread.id, 'data-group': group, class: thread.id === this.#current ? 'current' : null },
      el(
        'a',
        { href: threadHash(thread.id), 'aria-current': thread.id === this.#current ? 'page' : null, title },
        el('span', { class: 'thread-title' }, title),
        el('time', { datetime: thread.updated_at, title: moment(thread.updated_at) }, ago(thread.updated_at)),
      ),
      iconButton('pen', `${t('rename')}: ${title}`, (event) => this.#rename(thread, event.currentTarget.closest('li'))),
      iconButton('bin', `${t('delete')}: ${title}`, () => this.#remove(thread, title)),
    );
  }

  #rename(thread, entry) {
    const field = el('input', { type: 'text', maxlength: 80, value: thread.title, 'aria-label': t('rename') });
    const done = () => {
      field.removeEventListener('blur', done);
      this.render();
    };
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') done();
      if (event.key !== 'Enter' || event.isComposing || !field.value.trim()) return;
      field.removeEventListener('blur', done);
      api.renameThread(thread.id, field.value).then(() => this.refresh()).then(this.onRenamed).catch(this.onProblem);
    });
    field.addEventListener('blur', done);
    entry.replaceChildren(field);
    field.select();
  }

  async #remove(thread, title) {
    if (!(await confirmed(t('deleteThread'), title, t('delete')))) return;
    try {
      await api.deleteWholeThread(thread.id);
    } catch (error) {
      if (error.status !== 404) return this.onProblem(error);
    }
    this.onDeleted(thread.id);
  }
}
