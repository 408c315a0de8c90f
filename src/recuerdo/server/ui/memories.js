// "What is remembered": the user's memories, to read, correct, add and forget.

import * as api from './api.js';
import { byId, confirmed, el, icon, iconButton } from './dom.js';
import { ago, moment, t } from './language.js';
import { attribute } from './seen.js';
import { sourceHash } from './threads.js';

const SHOWN = 20; // the latest; the page of memories has all of them
const ASKED = ['name', 'employer', 'likes']; // what the greeting and the suggestions depend on

export class Memories {
  #list = byId('known');
  #note = byId('known-note');
  #all = byId('all-memories');
  #memories = [];
  #about = new Map();
  #hasMore = false;
  #fresh = new Set();
  #editing = null;
  #anonymous = false;

  constructor({ onProblem, onOpen }) {
    this.onProblem = onProblem;
    this.onOpen = onOpen;
    byId('add-memory').addEventListener('click', () => this.#edit('new'));
  }

  // The name that the user goes by, when it is known.
  get name() {
    return this.#about.get('name')?.value ?? null;
  }

  get isEmpty() {
    return this.#memories.length === 0;
  }

  knows(attribute) {
    return this.#about.has(attribute);
  }

  async refresh({ anonymous, fresh = [] }) {
    this.#anonymous = anonymous;
    const [pinned, { memories: latest, before }] = await Promise.all([api.memories({ limit: SHOWN, pinned: true }), api.memories({ limit: SHOWN, pinned: false })]);
    const memories = [...pinned.memories, ...latest].slice(0, SHOWN);
    const older = before ? await Promise.all(ASKED.map((attribute) => api.memories({ limit: 1, attribute }))) : [];
    this.#memories = memories;
    this.#hasMore = before !== null || pinned.memories.length + latest.length > SHOWN;
    const about = [...older.flatMap((page) => page.memories), ...memories.toReversed()];
    this.#about = new Map(about.map((memory) => [memory.attribute, memory]));
    this.#fresh = new Set(fresh.map((memory) => memory.id));
    if (this.#editing === null) this.render();
  }

  render() {
    byId('known-count').textContent = this.#memories.length ? `${this.#memories.length}${this.#hasMore ? '+' : ''}` : '';
    this.#all.hidden = this.isEmpty;
    byId('add-memory').hidden = byId('erase-all').hidden = this.#anonymous;
    this.#note.textContent = this.#anonymous ? t('knownAnonymous') : this.#memories.length ? '' : t('knownNothing');
    const entries = this.#memories.map((memory) => (this.#editing === memory.id ? this.#editor(memory) : this.#entry(memory)));
    if (this.#editing === 'new') entries.unshift(this.#editor(null));
    const isFocused = this.#list.contains(document.activeElement);
    this.#list.replaceChildren(...entries);
    (this.#list.querySelector('textarea') ?? (isFocused ? this.#list : null))?.focus();
    this.#fresh.clear(); // they glow once
  }

  #edit(id) {
    this.#editing = id;
    this.render();
  }

  #entry(memory) {
    const label = attribute(memory);
    return el(
      'li',
      { class: this.#fresh.has(memory.id) ? 'memory fresh' : 'memory', 'data-memory': memory.id },
      el(
        'div',
        { class: 'memory-head' },
        memory.pinned ? pinnedMark() : null,
        label ? el('b', { class: 'attribute' }, label) : null,
        el('button', { type: 'button', class: memory.value ? 'opens value' : 'opens whole', onclick: () => this.onOpen(memory) }, memory.value || memory.text),
        el(
          'span',
          { class: 'memory-tools' },
          iconButton('undo', `${t('undo')}: ${memory.text}`, () => this.undo(memory)),
          iconButton('pen', `${t('edit')}: ${memory.text}`, () => this.#edit(memory.id)),
          iconButton('bin', `${t('delete')}: ${memory.text}`, () => this.#remove(memory)),
        ),
      ),
      memory.value ? el('p', { class: 'memory-text' }, `“${memory.text}”`) : null,
      el('p', { class: 'memory-source' }, source(memory), ' · ', el('time', { datetime: memory.updated_at, title: moment(memory.updated_at) }, ago(memory.updated_at))),
    );
  }

  #editor(memory) {
    const field = el('textarea', { rows: 3, maxlength: 8000, 'aria-label': memory ? t('edit') : t('addMemory'), placeholder: t('newMemory') });
    field.value = memory?.text ?? '';
    const save = () => this.#save(memory, field.value);
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#edit(null);
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        save();
      }
    });
    return el(
      'li',
      { class: 'memory editing' },
      field,
      el(
        'div',
        { class: 'choices' },
        el('button', { type: 'button', class: 'button', onclick: () => this.#edit(null) }, t('cancel')),
        el('button', { type: 'button', class: 'button primary', onclick: save }, t('save')),
      ),
    );
  }

  async #save(memory, text) {
    if (!text.trim()) return;
    try {
      if (memory && text !== memory.text) await api.changeMemory(memory.id, { text });
      if (!memory) await api.addMemory(text);
      await this.#reload();
    } catch (error) {
      this.onProblem(error);
    }
  }

  // Takes back the latest change of the memory, with all that belongs to it.
  async undo(memory) {
    try {
      await api.undoMemory(memory.id);
    } catch (error) {
      if (error.status === 409) return this.onProblem(new api.ApiError(error.status, t('undoLater'), api.AS_IT_IS));
      if (error.status !== 404) return this.onProblem(error);
    }
    await this.#reload().catch(this.onProblem);
  }

  async #remove(memory) {
    if (!(await confirmed(t('deleteMemory'), memory.text, t('delete')))) return;
    try {
      await api.deleteMemory(memory.id);
    } catch (error) {
      if (error.status !== 404) return this.onProblem(error);
    }
    await this.#reload().catch(this.onProblem);
  }

  async #reload() {
    this.#editing = null;
    await this.refresh({ anonymous: this.#anonymous });
  }
}

export const pinnedMark = () => el('span', { class: 'pinned', title: t('pinned') }, icon('pin'), el('span', { class: 'visually-hidden' }, t('pinned')));

function source(memory) {
  if (!memory.source.thread) return t('sourceHand');
  return el('a', { href: sourceHash(memory) }, t('source'));
}
