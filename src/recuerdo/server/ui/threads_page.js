// The page of conversations: find them, keep them in order, and see beside each of them what a model would be shown.

import * as api from './api.js';
import { Checkpoints } from './checkpoints.js';
import { textOf } from './conversation.js';
import { byId, confirmed, download, el, options } from './dom.js';
import { ago, counted, groupOf, moment, t } from './language.js';
import { exported, imported } from './thread_files.js';
import { threadHash, threadPage } from './threads.js';
import { VirtualList } from './virtual_list.js';

const PAGE = 500;
const ROW = 60;
const PAUSE = 250;
const DAY = 86400000;
const SHOWN = 60; // messages of a history at a time, so that a long one has as few elements as a short one

export class ThreadsPage {
  #page = byId('threads-page');
  #asked = 0;

  constructor({ onProblem, onChange }) {
    this.onProblem = onProblem;
    this.onChange = onChange;
  }

  async open({ anonymous, id }) {
    this.anonymous = anonymous;
    if (id) return this.#openThread(id);
    this.#page.replaceChildren(...this.#lists());
    await this.#load();
  }

  // --- the list --------------------------------------------------------------------------------------------------

  #lists() {
    const again = () => this.#load().catch(this.onProblem);
    let waiting;
    const soon = () => {
      clearTimeout(waiting);
      waiting = setTimeout(again, PAUSE);
    };
    this.query = el('input', { type: 'search', id: 'thread-query', maxlength: 1000, placeholder: t('searchThreads'), 'aria-label': t('searchThreads'), oninput: soon });
    this.kept = el('select', { id: 'filter-archived', 'aria-label': t('status'), onchange: again }, ...options([['living', t('livingThreads')], ['archived', t('archivedThreads')], ['all', t('allThreads')]]));
    this.days = el('select', { id: 'filter-days', 'aria-label': t('when'), onchange: again }, ...options([['', t('anyTime')], ['1', t('lastDay')], ['7', t('lastWeek')], ['30', t('lastMonth')], ['365', t('lastYear')]]));
    this.note = el('p', { class: 'hint', role: 'status' });
    const file = el('input', { type: 'file', id: 'import-file', accept: '.jsonl,.json', 'aria-label': t('import'), onchange: () => this.#import(file).catch(this.onProblem) });
    const rows = el('div', { class: 'rows', id: 'thread-rows', tabindex: 0, role: 'group', 'aria-label': t('threads') });
    this.list = new VirtualList(rows, { height: ROW, label: t('threads'), row: (one) => this.#row(one), onNearEnd: () => this.#loadMore().catch(this.onProblem) });
    return [
      el('form', { class: 'search', role: 'search', autocomplete: 'off', onsubmit: (event) => event.preventDefault() }, this.query, this.kept, this.days),
      el(
        'div',
        { class: 'page-head' },
        this.note,
        el('label', { class: 'button file' }, t('import'), file),
        el('button', { type: 'button', class: 'button', id: 'export-threads', onclick: () => this.#export(this.list.items.filter((one) => one.id)).catch(this.onProblem) }, t('export')),
      ),
      rows,
    ];
  }

  async #load() {
    const asked = ++this.#asked;
    const query = this.query.value.trim();
    this.cursor = undefined;
    this.group = null;
    this.count = 0;
    this.said = new Map();
    if (query && !this.anonymous) {
      const { hits } = await api.searchMessages({ query, limit: 50 });
      const words = query.toLowerCase().split(/\s+/).filter((word) => word.length > 2);
      const holds = (text) => words.some((word) => text.toLowerCase().includes(word)); // a search also finds what is merely like it
      for (const hit of hits.toReversed()) if (holds(textOf(hit.message))) this.said.set(hit.thread_id, textOf(hit.message));
    }
    if (asked !== this.#asked) return;
    this.list.scroller.scrollTop = 0;
    this.list.show([]);
    await this.#loadMore();
  }

  // Titles may be sealed in the database: it is here that they are compared. The list goes on until enough is found.
  async #loadMore() {
    if (this.cursor === null) return;
    if (this.loading?.asked === this.#asked) return this.loading.page;
    const loading = { asked: this.#asked, page: api.threads({ limit: PAGE, cursor: this.cursor }).then((page) => this.#show(page, loading)) };
    this.loading = loading;
    await loading.page.finally(() => this.loading === loading && (this.loading = null));
  }

  #show(page, { asked }) {
    if (asked !== this.#asked) return;
    const oldest = this.days.value ? Date.now() - Number(this.days.value) * DAY : 0;
    const recent = page.threads.filter((thread) => new Date(thread.updated_at) >= oldest);
    this.cursor = recent.length < page.threads.length ? null : page.cursor;
    const fits = recent.filter((thread) => this.#fits(thread));
    this.count += fits.length;
    this.note.textContent = this.count ? counted('nThreads', this.count) + (this.cursor ? '+' : '') : t(this.cursor ? 'searching' : 'nothingHere');
    this.loading = null;
    this.list.more(fits.flatMap((thread) => this.#grouped(thread)));
  }

  #fits({ id, title, archived }) {
    const words = this.query.value.trim().toLowerCase();
    if (this.kept.value !== 'all' && archived !== (this.kept.value === 'archived')) return false;
    return !words || title.toLowerCase().includes(words) || this.said.has(id);
  }

  // A line with the day, or the month, stands above the first thread of it.
  #grouped(thread) {
    const group = groupOf(thread.updated_at);
    if (group === this.group) return [thread];
    this.group = group;
    return [{ group }, thread];
  }

  #row(thread) {
    if (thread.group) return [el('h2', { class: 'group' }, thread.group)];
    const below = this.said.get(thread.id) ?? `${counted('nMessages', thread.message_count)} · ${ago(thread.updated_at)}`;
    return [
      el(
        'a',
        { class: 'row', href: threadPage(thread.id), title: moment(thread.updated_at) },
        el('span', { class: 'row-head' }, thread.archived ? el('b', { class: 'attribute' }, t('archived')) : null, el('b', { class: 'value' }, thread.title || t('untitled'))),
        el('span', { class: 'row-below' }, below),
      ),
    ];
  }

  // --- files -----------------------------------------------------------------------------------------------------

  async #export(threads) {
    download(await exported(threads), 'conversations.jsonl');
  }

  async #import(file) {
    if (!file.files.length) return;
    const n = await imported(await file.files[0].text());
    file.value = '';
    await Promise.all([this.#load(), this.onChange()]);
    this.note.textContent = t('importedThreads', { what: counted('nThreads', n) });
  }

  // --- one conversation --------------------------------------------------------------------------------------------

  async #openThread(id) {
    const asked = ++this.#asked;
    const thread = await api.threadOf(id).catch((error) => (error.status === 404 ? unsaid(id) : Promise.reject(error)));
    if (asked !== this.#asked) return;
    this.thread = thread;
    const title = el('h2', { class: 'entity', id: 'thread-title' }, thread.title || t('untitled'));
    const button = (name, label, act) => el('button', { type: 'button', class: 'button', onclick: () => act().catch(this.onProblem) }, label);
    const archive = button('archive', t(thread.archived ? 'unarchive' : 'archive'), () => this.#archive());
    this.count = el('p', { class: 'hint', role: 'status', id: 'window-note' });
    this.history = el('ol', { class: 'said', id: 'history-side', tabindex: 0, 'aria-label': t('history') });
    this.window = el('ol', { class: 'said', id: 'window-side', tabindex: 0, 'aria-label': t('seen') });
    this.pages = el('div', { class: 'choices' });
    const checkpoints = el('section', { id: 'checkpoints', class: 'card', hidden: true });
    this.#page.replaceChildren(
      el('div', { class: 'page-head' }, el('a', { class: 'link', href: '#/threads' }, `← ${t('threads')}`), el('span', { class: 'hint' }, `${counted('nMessages', thread.message_count)} · ${moment(thread.updated_at)}`)),
      title,
      el(
        'div',
        { class: 'tools' },
        el('a', { class: 'button primary', href: threadHash(id) }, t('openThread')),
        button('rename', t('rename'), async () => this.#rename(title)),
        archive,
        button('export', t('export'), () => this.#export([this.thread])),
        button('delete', t('delete'), () => this.#delete()),
      ),
      this.#policy(),
      this.count,
      el('div', { class: 'sides', tabindex: 0, role: 'group', 'aria-label': t('historyAndWindow') },
        el('section', { class: 'side-by-side' }, el('h3', {}, t('history')), this.pages, this.history),
        el('section', { class: 'side-by-side' }, el('h3', {}, t('seen')), this.window),
        checkpoints),
    );
    this.inside = new Set();
    await Promise.all([...(thread.message_count ? [this.#showHistory({}), this.#showWindow()] : []), new Checkpoints(checkpoints, { onProblem: this.onProblem, onFork: (copy) => (location.hash = threadPage(copy)) }).open(id)]);
  }

  #policy() {
    const soon = () => {
      this.#sayPolicy();
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.#showWindow().catch(this.onProblem), PAUSE);
    };
    const most = Math.max(10, Math.min(this.thread.message_count, 500));
    this.unit = el('select', { id: 'policy-unit', 'aria-label': t('policy'), onchange: () => { this.#units(most); soon(); } }, ...options([['messages', t('byMessages')], ['tokens', t('byTokens')]]));
    this.size = el('input', { type: 'range', id: 'policy-size', 'aria-label': t('policySize'), oninput: soon });
    this.sizeText = el('output', {});
    this.summary = el('input', { type: 'checkbox', id: 'policy-summary', onchange: soon });
    this.#units(most);
    return el('div', { class: 'time policy' }, this.unit, this.size, this.sizeText, el('label', {}, this.summary, ' ', t('withSummary')));
  }

  #units(most) {
    const isTokens = this.unit.value === 'tokens';
    Object.assign(this.size, isTokens ? { min: 20, max: 8000, step: 20, value: 1000 } : { min: 1, max: most, step: 1, value: Math.min(50, most) });
    this.#sayPolicy();
  }

  #sayPolicy() {
    this.sizeText.textContent = counted(this.unit.value === 'tokens' ? 'nTokens' : 'nMessages', Number(this.size.value));
    this.size.setAttribute('aria-valuetext', this.sizeText.textContent);
  }

  async #showWindow() {
    const asked = (this.windowAsked = (this.windowAsked ?? 0) + 1);
    const { messages } = await api.windowOf(this.thread.id, { [this.unit.value]: this.size.value, summary: this.summary.checked || null });
    if (asked !== this.windowAsked) return;
    this.inside = new Set(messages.map((message) => message.seq).filter(Boolean));
    const shown = messages.slice(-SHOWN);
    this.window.replaceChildren(...shown.map((message) => said(message)));
    const more = messages.length - shown.length;
    this.count.textContent = t('windowShows', { n: messages.length, of: this.thread.message_count }) + (more ? ` ${t('andEarlier', { n: more })}` : '');
    this.#mark();
  }

  async #showHistory({ before, after }) {
    const page = await api.allMessages(this.thread.id, { limit: SHOWN, before, after });
    this.history.replaceChildren(...page.messages.map((message) => said(message)));
    const { version } = page;
    const last = Number(version.split('.')[1]);
    const turn = (label, isThere, where) => (isThere ? el('button', { type: 'button', class: 'link', onclick: () => this.#showHistory(where).catch(this.onProblem) }, label) : null);
    const [first, end] = [page.before ?? 0, page.after ?? 0];
    this.pages.replaceChildren(...[turn(t('older'), first > 1, { before: first }), turn(t('later'), end && end < last, { after: end })].filter(Boolean));
    this.#mark();
  }

  // What the model would not be shown is pale.
  #mark() {
    for (const one of this.history.children) one.classList.toggle('outside', !this.inside.has(Number(one.dataset.seq)));
  }

  #rename(title) {
    const field = el('input', { type: 'text', class: 'entity', maxlength: 80, value: this.thread.title, 'aria-label': t('rename') });
    const done = async () => {
      if (field.value.trim() && field.value !== this.thread.title) this.thread = { ...this.thread, ...(await api.renameThread(this.thread.id, field.value)) };
      title.textContent = this.thread.title || t('untitled');
      field.replaceWith(title);
      await this.onChange();
    };
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') field.replaceWith(title);
      if (event.key === 'Enter' && !event.isComposing) done().catch(this.onProblem);
    });
    title.replaceWith(field);
    field.select();
  }

  async #archive() {
    await api.archiveThread(this.thread.id, !this.thread.archived);
    await Promise.all([this.#openThread(this.thread.id), this.onChange()]);
  }

  async #delete() {
    if (!(await confirmed(t('deleteThread'), this.thread.title || t('untitled'), t('delete')))) return;
    await api.deleteWholeThread(this.thread.id);
    location.hash = '#/threads';
    await this.onChange();
  }
}

// A graph's state, copied from another thread, has nothing said yet.
const unsaid = (id) => ({ id, title: '', archived: false, message_count: 0, updated_at: new Date().toISOString() });

const LONGEST = 600;

function said(message) {
  const text = textOf(message);
  return el(
    'li',
    { class: `seen-entry ${message.role}`, 'data-seq': message.seq ?? null },
    el('b', {}, t(message.role === 'user' ? 'you' : message.role), message.seq ? ` · ${message.seq}` : ''),
    el('span', {}, text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text),
  );
}
