// The page of memories: all that is remembered, to search, rewind, correct, decide about and take along.

import * as api from './api.js';
import { byId, confirmed, download, el } from './dom.js';
import { counted, day, t } from './language.js';
import { whyItWaits } from './memory_details.js';
import { pinnedMark } from './memories.js';
import { relations } from './relations.js';
import { attribute } from './seen.js';
import { begins, timeline } from './timeline.js';
import { VirtualList } from './virtual_list.js';

const PAGE = 200;
const FOUND = 100;
const DAY = 86400000;
const ROW = 76;
const KINDS = ['semantic', 'episodic', 'procedural', 'summary'];
const SINGLE = ['name', 'employer', 'job', 'city', 'country', 'department', 'team', 'birthday', 'age', 'origin', 'marital_status', 'email'];
const MANY = ['phone', 'studies', 'health', 'allergy', 'diet', 'language', 'family', 'relative', 'pet', 'possession', 'likes', 'dislikes', 'preference', 'plan', 'remember'];

export class MemoriesPage {
  #tab = 'list';
  #before = null;
  #loading = null;
  #chosen = new Set();
  #ever = [];
  #turn = 0; // what was asked for before the latest change of filters is not shown any more

  constructor({ details, onProblem, onChange, onErase }) {
    this.details = details;
    this.onProblem = onProblem;
    this.onChange = onChange;
    this.list = new VirtualList(byId('memory-rows'), {
      height: ROW,
      label: t('memories'),
      row: (memory) => this.#row(memory),
      onNearEnd: () => this.#loadMore().catch(onProblem),
    });
    for (const tab of document.querySelectorAll('[data-tab]')) tab.addEventListener('click', () => this.#open(tab.dataset.tab));
    byId('memory-tabs').addEventListener('keydown', (event) => this.#walk(event));
    byId('memory-search').addEventListener('submit', (event) => event.preventDefault());
    byId('memory-query').addEventListener('input', () => this.#soon());
    for (const name of ['kind', 'attribute', 'status', 'source']) byId(`filter-${name}`).addEventListener('change', () => this.#load());
    byId('as-of').addEventListener('input', () => this.#soon());
    byId('export-memories').addEventListener('click', () => this.#export().catch(onProblem));
    byId('forget-me').addEventListener('click', onErase);
    byId('delete-chosen').addEventListener('click', () => this.#each('delete'));
    byId('approve-chosen').addEventListener('click', () => this.#each('approve'));
    byId('reject-chosen').addEventListener('click', () => this.#each('reject'));
    for (const what of ['pin', 'unpin']) byId(`${what}-chosen`).addEventListener('click', () => this.#each(what));
  }

  async open({ includes, anonymous }) {
    byId('tab-shared').hidden = !includes('admin');
    this.anonymous = anonymous;
    this.translate();
    const tab = byId(`tab-${this.#tab}`).hidden ? 'list' : this.#tab; // it may have been clicked before the page was ready
    await Promise.all([this.#remember(), this.#open(tab)]);
  }

  // The words of what is not in the markup.
  translate() {
    const option = (value, label) => el('option', { value }, label);
    const fill = (name, options) => {
      const chosen = byId(`filter-${name}`).value;
      byId(`filter-${name}`).replaceChildren(...options);
      byId(`filter-${name}`).value = chosen;
    };
    fill('kind', [option('', t('anyKind')), ...KINDS.map((kind) => option(kind, t(`kind_${kind}`)))]);
    fill('attribute', [option('', t('anyAttribute')), ...[...SINGLE, ...MANY].map((one) => option(one, t('attributes')[one]))]);
    fill('status', [option('', t('holdsNow')), option('pinned', t('pinned')), option('approved', t('heldEver')), option('rejected', t('status_rejected'))]);
    fill('source', [option('', t('anySource')), option('said', t('sourceSaid')), option('hand', t('sourceByHand')), option('others', t('sourceOthers'))]);
    this.list.label = t('memories');
    this.#showTime();
  }

  // All that ever held, as far as the timeline needs it: it also says how far back time can be turned.
  async #remember() {
    const page = await api.memories({ limit: 1000, status: 'approved' });
    const more = page.before ? await Promise.all(SINGLE.map((one) => api.memories({ limit: 100, status: 'approved', attribute: one }))) : [];
    const all = [page, ...more].flatMap(({ memories }) => memories);
    this.#ever = [...new Map(all.map((memory) => [memory.id, memory])).values()];
    const first = Math.min(Date.now() - DAY, ...this.#ever.map((memory) => begins(memory).getTime()));
    const isNow = this.#at === null;
    byId('as-of').min = Math.floor(first / DAY);
    byId('as-of').max = Math.floor(Date.now() / DAY) + 1;
    if (isNow) byId('as-of').value = byId('as-of').max;
    this.#showTime();
    if (this.#tab === 'timeline') this.#drawTimeline();
  }

  // The time to which everything is rewound; null is now.
  get #at() {
    const slider = byId('as-of');
    return slider.value === slider.max ? null : new Date(Number(slider.value) * DAY + DAY - 1);
  }

  #showTime() {
    byId('as-of-day').textContent = this.#at ? day(this.#at) : t('now');
    byId('as-of').setAttribute('aria-valuetext', byId('as-of-day').textContent);
  }

  #soon() {
    this.#showTime();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.#load(), 200);
  }

  #open(tab) {
    this.#tab = tab;
    for (const one of document.querySelectorAll('[data-tab]')) {
      const isOpen = one.dataset.tab === tab;
      one.setAttribute('aria-selected', String(isOpen));
      one.tabIndex = isOpen ? 0 : -1;
    }
    byId('memory-panel').setAttribute('aria-labelledby', `tab-${tab}`);
    byId('memory-search').hidden = tab !== 'list';
    byId('time').hidden = tab === 'waiting' || tab === 'shared';
    byId('timeline').hidden = tab !== 'timeline';
    byId('relations').hidden = tab !== 'relations';
    byId('memory-rows').hidden = tab === 'timeline' || tab === 'relations';
    return this.#load();
  }

  #walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...document.querySelectorAll('[data-tab]:not([hidden])')];
    const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length);
    this.#open(next.dataset.tab);
    next.focus();
  }

  async #load() {
    clearTimeout(this.waiting);
    const turn = ++this.#turn;
    this.#choose(() => this.#chosen.clear());
    if (this.#tab === 'timeline') return this.#drawTimeline();
    if (this.#tab === 'relations') return this.#drawRelations(turn).catch(this.onProblem);
    try {
      const page = await this.#ask(null);
      if (turn !== this.#turn) return;
      this.#before = page.before;
      byId('memory-rows').scrollTop = 0;
      this.list.show(this.#ofSource(page.memories));
      this.#note(page);
    } catch (error) {
      this.onProblem(error);
    }
  }

  #ask(before) {
    if (this.#tab === 'waiting') return api.memories({ limit: PAGE, before, status: 'quarantined' });
    if (this.#tab === 'shared') return sharedMemories();
    const [kind, name, status] = ['kind', 'attribute', 'status'].map((one) => byId(`filter-${one}`).value || null);
    const query = byId('memory-query').value.trim();
    const filters = { kind, attribute: name, as_of: this.#at?.toISOString() ?? null };
    if (query) return api.searchMemories({ query, limit: FOUND, ...filters });
    if (status === 'pinned') return api.memories({ limit: PAGE, before, ...filters, pinned: true });
    return api.memories({ limit: PAGE, before, ...filters, status: this.#at ? null : status });
  }

  async #loadMore() {
    if (!this.#before || this.#loading) return;
    const turn = this.#turn;
    this.#loading = this.#ask(this.#before);
    const page = await this.#loading.finally(() => (this.#loading = null)); // the list may ask for more at once
    if (turn !== this.#turn) return;
    this.#before = page.before;
    this.list.more(this.#ofSource(page.memories));
    this.#note(page);
  }

  // Who said it is compared here, and the list goes on until enough is found.
  #ofSource(memories) {
    const source = byId('filter-source').value;
    return source && this.#tab === 'list' ? memories.filter((memory) => sourceOf(memory) === source) : memories;
  }

  #note(page) {
    const n = this.list.items.length;
    const nothing = this.anonymous ? 'knownAnonymous' : { waiting: 'nothingWaits', shared: 'nothingShared' }[this.#tab] ?? 'nothingFound';
    byId('memories-note').textContent = n ? counted('nMemories', n) + (page.before ? '+' : '') : t(page.before ? 'searching' : nothing);
  }

  #drawTimeline() {
    byId('timeline').replaceChildren(...timeline(this.#ever, this.#at ?? new Date(), (memory) => this.details.open(memory)));
    byId('memories-note').textContent = byId('timeline').childElementCount ? t('timelineNote') : t('nothingFound');
  }

  async #drawRelations(turn) {
    const graph = await api.entities();
    if (turn !== this.#turn) return;
    const open = (id) => api.memoryOf(id).then((memory) => this.details.open(memory)).catch(this.onProblem);
    byId('relations').replaceChildren(...relations(graph, this.#at ?? new Date(), byId('relations').clientWidth, open));
    byId('memories-note').textContent = t(byId('relations').childElementCount ? 'relationsNote' : 'nothingFound');
  }

  #row(memory) {
    const label = attribute(memory);
    const choose = el('input', { type: 'checkbox', 'aria-label': `${t('choose')}: ${memory.text}`, onchange: (event) => this.#choose(() => this.#chosen[event.target.checked ? 'add' : 'delete'](memory.id)) });
    choose.checked = this.#chosen.has(memory.id);
    const until = memory.valid_until ? ` – ${day(memory.valid_until)}` : '';
    const waits = memory.status === 'quarantined' || memory.status === 'proposed';
    const below = waits && memory.review?.reason ? whyItWaits(memory) : `${t('sinceDay', { day: day(begins(memory)) })}${until}`;
    return [
      choose,
      el(
        'button',
        { type: 'button', class: 'row', onclick: () => this.details.open(memory, { shared: this.#tab === 'shared' }) },
        el('span', { class: 'row-head' }, memory.pinned ? pinnedMark() : null, label ? el('b', { class: 'attribute' }, label) : null, el('b', { class: 'value' }, memory.value || memory.text)),
        el('span', { class: 'row-below' }, waits || !memory.value ? below : `${below} · “${memory.text}”`),
      ),
    ];
  }

  #choose(change) {
    change();
    const n = this.#chosen.size;
    byId('bulk').hidden = n === 0;
    byId('bulk-count').textContent = n ? counted('nMemories', n) : '';
    byId('approve-chosen').hidden = byId('reject-chosen').hidden = this.#tab === 'list';
    byId('pin-chosen').hidden = byId('unpin-chosen').hidden = this.#tab !== 'list';
  }

  // One after another: what fails is told, and what is done stays done.
  async #each(what) {
    const chosen = [...this.#chosen];
    if (what === 'delete' && !(await confirmed(t('deleteChosen'), counted('nMemories', chosen.length), t('delete')))) return;
    const shared = this.#tab === 'shared';
    const decide = shared ? api.reviewShared : api.reviewMemory;
    const acts = {
      delete: shared ? api.deleteShared : api.deleteMemory,
      approve: (id) => decide(id, true),
      reject: (id) => decide(id, false),
      pin: (id) => api.changeMemory(id, { pinned: true }),
      unpin: (id) => api.changeMemory(id, { pinned: false }),
    };
    try {
      for (const id of chosen) await acts[what](id);
    } catch (error) {
      this.onProblem(error);
    }
    this.changed();
    this.onChange();
  }

  // Something was changed, here or in a memory's details.
  changed() {
    if (!byId('memories-page').hidden) Promise.all([this.#load(), this.#remember()]).catch(this.onProblem);
  }

  async #export() {
    download(await api.exportMemories(), 'memories.jsonl');
  }
}

const sourceOf = ({ source: { author = 'user', thread = null } }) => (author !== 'user' ? 'others' : thread === null ? 'hand' : 'said');

// What is proposed comes first: it is what an admin came for.
async function sharedMemories() {
  const [proposed, approved] = await Promise.all(['proposed', 'approved'].map((status) => api.sharedMemories({ limit: 500, status })));
  return { memories: [...proposed.memories, ...approved.memories], before: null };
}
